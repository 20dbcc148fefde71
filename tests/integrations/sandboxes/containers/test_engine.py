"""Engines that fail, hang or are not there.

The engine here is a small script: it stands for the error roads only, which a healthy engine does
not take on demand. That containers work, test_real.py shows.
"""

import os
from pathlib import Path
from time import monotonic

import anyio
import pytest

from planish.data.program import Program, ResourceLimits
from planish.errors import SandboxError, SandboxLostError, UnsupportedError
from planish.guest.protocol import frames
from planish_integrations.containers import ContainerSandbox
from planish_integrations.environments import EnvSpec

pytestmark = pytest.mark.anyio
HELLO = Program(main="main.py", files={"main.py": b"print(1)"})


def _engine(folder: Path, *cases: str, name: str = "docker") -> str:
    """A script that writes down how it is called, and then does as the cases say."""
    path = folder / name
    body = "\n".join(cases)
    script = f'#!/bin/sh\necho "$1" >> {folder}/calls\n'
    script += f'case "$1" in\n{body}\n*) exit 0;;\nesac\n'
    path.write_text(script)
    path.chmod(0o755)
    return str(path)


def _calls(folder: Path) -> list[str]:
    """The verbs it was called with."""
    return (folder / "calls").read_text().split()


def test_without_an_engine_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnsupportedError, match="Install Docker"):
        ContainerSandbox()
    with pytest.raises(UnsupportedError, match="no-such-engine"):
        ContainerSandbox(engine="no-such-engine")


def test_an_image_and_a_spec_are_one_too_many(tmp_path: Path) -> None:
    engine = _engine(tmp_path)
    with pytest.raises(ValueError, match="one of them"):
        ContainerSandbox(engine=engine, image="a", spec=EnvSpec())
    with pytest.raises(ValueError, match="at least 1"):
        ContainerSandbox(engine=engine, concurrency=0)


@pytest.mark.parametrize("name", ["docker", "podman"])
async def test_all_that_is_forbidden_is_on_the_command_line(tmp_path: Path, name: str) -> None:
    engine = _engine(tmp_path, 'create) echo "$*" > ' + f"{tmp_path}/create; exit 1;;", name=name)
    limits = ResourceLimits(memory_mb=100, processes=7, disk_mb=9)
    sandbox = ContainerSandbox(engine=engine, image="i:1", cpus=1.5)
    with pytest.raises(SandboxError, match="create failed"):
        await sandbox.run(Program(main="m.py", files={"m.py": b""}, limits=limits))
    said = (tmp_path / "create").read_text()
    for words in (
        "--network none",
        "--read-only ",
        "--user 65534:65534",
        "--cap-drop ALL",
        "--security-opt no-new-privileges",
        "--ipc private",
        "--memory 164m --memory-swap 164m",
        "--pids-limit 8",
        "--cpus 1.5",
        "size=8m",
        "--entrypoint python3 ",
    ):
        assert words in said
    assert ("--read-only-tmpfs=false" in said) == (name == "podman")
    assert "--volume" not in said
    assert " -v " not in said


async def test_a_daemon_that_does_not_run_is_said_with_the_remedy(tmp_path: Path) -> None:
    refuse = 'create) echo "Cannot connect to the Docker daemon at unix:///x" >&2; exit 1;;'
    with pytest.raises(SandboxError, match=r"start the Docker daemon.*Cannot connect"):
        await ContainerSandbox(engine=_engine(tmp_path, refuse)).run(HELLO)
    assert _calls(tmp_path) == ["create", "kill", "rm"]


async def test_a_container_that_does_not_start_is_said(tmp_path: Path) -> None:
    refuse = 'start) echo "error setting rlimit type 6" >&2; exit 126;;'
    with pytest.raises(SandboxError, match=r"raise the limits of the engine.*rlimit type 6"):
        await ContainerSandbox(engine=_engine(tmp_path, refuse)).run(HELLO)
    assert _calls(tmp_path) == ["create", "start", "kill", "rm"]


async def test_a_container_that_vanishes_is_lost(tmp_path: Path) -> None:
    facts = (
        '{"uid":1,"pid":1,"capabilities":["0","0"],"no_new_privileges":true,"seccomp":true,'
        '"interfaces":["lo"],"namespaces":{},"root_is_read_only":true,"memory":null,'
        '"processes":null,"disk":1}'
    )
    frame = tmp_path / "frame"
    frame.write_bytes(frames.frame(frames.FACTS, facts.encode()))
    vanish = f'start) cat {frame}; echo "killed by the kernel" >&2; exit 137;;'
    refuse = 'info) echo "Cannot connect to the Docker daemon" >&2; exit 1;;'
    with pytest.raises(SandboxLostError, match="killed by the kernel"):
        await ContainerSandbox(engine=_engine(tmp_path, vanish, refuse)).run(HELLO)
    assert _calls(tmp_path).count("start") == 2
    assert _calls(tmp_path)[-2:] == ["rm", "info"]
    # Where the engine answers, only the program can have done it, and twice.
    completed = await ContainerSandbox(engine=_engine(tmp_path, vanish)).run(HELLO)
    assert (completed.exit_code, completed.signal, completed.limit) == (None, 9, None)
    assert "ended its supervisor" in completed.findings[0]


@pytest.mark.parametrize("verb", ["create", "start"])
async def test_cancelled_while_the_engine_hangs_it_removes_the_container(
    tmp_path: Path, verb: str
) -> None:
    engine = _engine(tmp_path, f"{verb}) exec sleep 600;;")
    begun = monotonic()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ContainerSandbox(engine=engine).run, HELLO)
        # The engine is another process, which sets no event here.
        while not (tmp_path / "calls").exists() or verb not in _calls(tmp_path):  # noqa: ASYNC110
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    assert monotonic() - begun < 30
    assert _calls(tmp_path)[-2:] == ["kill", "rm"]


async def test_a_container_that_cannot_be_removed_is_an_error(tmp_path: Path) -> None:
    engine = _engine(tmp_path, 'create|rm) echo "the disk is on fire" >&2; exit 1;;')
    with pytest.raises(SandboxError, match="rm failed"):
        await ContainerSandbox(engine=engine).run(HELLO)


async def test_an_image_is_built_once_by_its_fingerprint(tmp_path: Path) -> None:
    built = tmp_path / "built"
    engine = _engine(
        tmp_path,
        f"image) test -e {built} && echo 0123; exit 0;;",
        f'build) echo "$*" > {tmp_path}/how; cat > {tmp_path}/recipe; sleep 0.3; touch {built};;',
        'create) echo "enough" >&2; exit 1;;',
    )
    spec = EnvSpec(
        requirements=("pandas>=2,<3",),
        constraints=("numpy<3",),
        system_packages=("libgomp1",),
        commands=("echo hi",),
        env=("TOKEN",),
        sources=("https://packages.example/simple",),
    )
    sandbox = ContainerSandbox(engine=engine, spec=spec, concurrency=8)

    async def one() -> None:
        with pytest.raises(SandboxError, match="enough"):
            await sandbox.run(HELLO)

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(one)
    verbs = _calls(tmp_path)
    assert (verbs.count("build"), verbs.count("create")) == (1, 5)
    *_, tag, name, _, variable, context = (tmp_path / "how").read_text().split()
    assert (tag, name) == ("--tag", f"localhost/planish-env:{spec.fingerprint[:40]}")
    assert (variable, context) == ("TOKEN", "-")  # the recipe is read from standard input
    recipe = (tmp_path / "recipe").read_text()
    for words in (
        "FROM docker.io/library/python:",
        "ARG TOKEN\n",
        "libgomp1",
        "'pandas<3,>=2'",
        "--only-binary :all:",
        "--index-url https://packages.example/simple",
        "RUN echo hi\n",
    ):
        assert words in recipe


async def test_of_two_engines_the_one_that_answers_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _engine(tmp_path, 'info) echo "Cannot connect to the Docker daemon" >&2; exit 1;;')
    _engine(tmp_path, 'create) echo "podman was asked" >&2; exit 1;;', name="podman")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    for _ in range(2):
        with pytest.raises(SandboxError, match="podman was asked"):
            await ContainerSandbox().run(HELLO)


async def test_what_cannot_run_is_refused_before_the_engine_is_asked(tmp_path: Path) -> None:
    sandbox = ContainerSandbox(engine=_engine(tmp_path))
    with pytest.raises(UnsupportedError, match="klingon"):
        await sandbox.run(Program(language="klingon", main="m", files={"m": b""}))
    with pytest.raises(UnsupportedError, match="absolute"):
        await sandbox.run(Program(main="/m.py", files={"/m.py": b""}))
    assert not (tmp_path / "calls").exists()
