"""How an engine's command is called, and what is made of what it says when it fails."""

from pathlib import Path

import anyio
import pytest

from planish.data.program import Program, ResourceLimits
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.containers import ContainerSandbox
from planish_integrations.sandboxes.containers import _engine
from planish_integrations.sandboxes.containers._engine import Engine, answering, find

pytestmark = pytest.mark.anyio
HELLO = Program(main="main.py", files={"main.py": b"print(1)"})


def script(path: Path, *lines: str) -> str:
    """A command of these lines; it writes down how it is called."""
    path.write_text("\n".join(["#!/bin/sh", f'echo "$*" >> {path}.calls', *lines]) + "\n")
    path.chmod(0o755)
    return str(path)


def calls(path: str) -> list[str]:
    """How it was called: the words of each call, in order."""
    file = Path(f"{path}.calls")
    return file.read_text().splitlines() if file.exists() else []


async def test_a_container_is_made_started_and_removed_by_its_name(tmp_path: Path) -> None:
    path = script(tmp_path / "docker", 'case "$2" in start) exit 1;; esac')
    sandbox = ContainerSandbox(engine=path, image="i:1", options=("--remote",))
    with pytest.raises(SandboxError, match="start failed"):
        await sandbox.run(HELLO)
    made, *after = [line for line in calls(path) if line.startswith("--remote ")]
    name = made.split("--name ")[1].split()[0]
    assert made.startswith(
        f"--remote create --rm --interactive --name {name} --label planish --network none "
        "--ipc private --hostname planish --read-only --user 65534:65534 --cap-drop ALL "
        "--security-opt no-new-privileges --tmpfs /planish:rw,exec,nosuid,nodev,mode=1777,size="
    )
    assert "m --shm-size 1m --workdir / --memory " in made
    assert "--ulimit nofile=1024:1024 --ulimit nproc=4096:4096 --entrypoint python3 i:1" in made
    assert made.endswith("i:1 -I -S -B -c ")
    assert after == [
        f"--remote start --attach --interactive {name}",
        f"--remote kill --signal KILL {name}",
        f"--remote rm --force --volumes {name}",
    ]
    assert name.startswith("planish-")


async def test_a_small_disk_is_still_one(tmp_path: Path) -> None:
    path = script(tmp_path / "docker", 'case "$1" in create) exit 1;; esac')
    limits = ResourceLimits(disk_mb=1)
    with pytest.raises(SandboxError, match="create failed"):
        await ContainerSandbox(engine=path).run(
            Program(main="m.py", files={"m.py": b""}, limits=limits)
        )
    assert "size=1m" in calls(path)[0]
    assert "--cpus" not in calls(path)[0]


REMEDIES = [
    ("Cannot connect to the Docker daemon at x", "start the Docker daemon, or use Podman"),
    ("permission denied while trying to connect", "add this user to the group docker"),
    ("dial unix /x: connect", "start the Docker daemon, or use Podman"),
    ("Unable to find image 'x' locally", "build or pull the image first, or check its name"),
    ("Error: No such image: x", "build or pull the image first, or check its name"),
    ("manifest unknown", "check the name and tag of the image"),
    ("error setting rlimit type 6", "raise the limits of the engine (ulimit -Hn, ulimit -Hu)"),
    ("write: no space left on device", "free some disk, or prune images"),
    ('short-name "x" did not resolve', "name the image with its registry"),
]


@pytest.mark.parametrize(("words", "remedy"), REMEDIES)
async def test_a_known_failure_comes_with_what_to_do(words: str, remedy: str) -> None:
    message = str(Engine("/bin/docker").failed("start", f"  {words}\n".encode()))
    assert message.startswith(f"/bin/docker start failed ({remedy}")
    assert message.endswith(f"): {words}")


async def test_another_failure_comes_as_it_is_from_its_end() -> None:
    engine = Engine("docker")
    assert str(engine.failed("rm", b"odd \xff\n")) == "docker rm failed: odd \ufffd"
    assert str(engine.failed("rm", b" \n")) == "docker rm failed: it said nothing"
    assert str(engine.failed("rm", b"a" + b"b" * 2000)) == "docker rm failed: " + "b" * 2000


async def test_a_call_gives_what_was_printed(tmp_path: Path) -> None:
    engine = Engine(script(tmp_path / "docker", "cat", 'printf "\\377"'), ("--a", "b"))
    assert await engine.call("info", "--x", stdin=b"in") == "in\ufffd"
    assert calls(engine.path) == ["--a b info --x"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("echo out; echo err >&2; exit 1", "info failed: err"),
        ("echo out; exit 1", "info failed: out"),
        ("exec sleep 60", r"docker info did not answer within 0.1 s: .*Try: \S*/docker info"),
    ],
)
async def test_a_call_that_fails_says_why(tmp_path: Path, line: str, reason: str) -> None:
    engine = Engine(script(tmp_path / "docker", line))
    with pytest.raises(SandboxError, match=reason):
        await engine.call("info", seconds=0.1 if "sleep" in line else 60.0)


async def test_what_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    engine = Engine(str(tmp_path / "absent"))
    with pytest.raises(SandboxError, match="absent cannot be started"):
        await engine.call("info")
    with pytest.raises(SandboxError, match="absent cannot be started"):
        await engine.start("start")


@pytest.mark.parametrize(
    ("words", "fine"),
    [
        *(("No such container: x", True), ("no container with name x", True)),
        *(("removal of container x is already in progress", True), ("device is busy", False)),
    ],
)
async def test_a_container_that_is_gone_is_removed(
    tmp_path: Path, words: str, *, fine: bool
) -> None:
    engine = Engine(script(tmp_path / "docker", f'echo "{words}" >&2', "exit 1"))
    if fine:
        await engine.remove("x")
    else:
        with pytest.raises(SandboxError, match="rm failed"):
            await engine.remove("x")
    assert calls(engine.path) == ["kill --signal KILL x", "rm --force --volumes x"]


BUSY = 'echo "unmounting /x/merged: device or resource busy" >&2; exit 1'


async def test_a_container_that_the_engine_itself_removes_is_removed_again(tmp_path: Path) -> None:
    path = tmp_path / "podman"
    twice = f'[ "$(grep -c ^rm {path}.calls)" -gt 2 ] || {{ {BUSY}; }}'
    engine = Engine(script(path, f'case "$1" in rm) {twice};; esac'))
    await engine.remove("x")
    assert calls(engine.path) == ["kill --signal KILL x", *["rm --force --volumes x"] * 3]


async def test_a_container_that_stays_busy_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_engine, "_PAUSES", (0.0, 0.0))
    engine = Engine(script(tmp_path / "podman", f'case "$1" in rm) {BUSY};; esac'))
    with pytest.raises(SandboxError, match="rm failed: unmounting"):
        await engine.remove("x")
    assert calls(engine.path)[1:] == ["rm --force --volumes x"] * 3


async def test_an_engine_is_found_by_name_or_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    docker, podman = script(tmp_path / "docker"), script(tmp_path / "podman")
    assert find(None, ["--a"]) == (Engine(docker, ("--a",)), Engine(podman, ("--a",)))
    assert find("podman", ()) == (Engine(podman),)
    assert find(docker, ()) == (Engine(docker),)
    assert [one.is_podman for one in find(None, ())] == [False, True]
    (tmp_path / "docker").unlink()
    assert find(None, ()) == (Engine(podman),)
    (tmp_path / "podman").unlink()
    with pytest.raises(UnsupportedError, match="no container engine: 'docker' or 'podman' is not"):
        find(None, ())


async def test_where_no_engine_answers_each_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    for name in ("docker", "podman"):
        script(tmp_path / name, f"echo {name} is down >&2; exit 1")
    with pytest.raises(
        SandboxError, match=r"no container engine answers: .*docker is down; .*podm"
    ):
        await ContainerSandbox().run(HELLO)


@pytest.mark.parametrize("concurrency", [1, 2])
async def test_only_so_many_containers_run_at_once(tmp_path: Path, concurrency: int) -> None:
    path = script(tmp_path / "docker", 'case "$1" in create) exec sleep 60;; esac')
    sandbox = ContainerSandbox(engine=path, concurrency=concurrency)
    made: list[str] = []
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(sandbox.run, HELLO)
        with anyio.move_on_after(20):
            while len(made) < concurrency:
                await anyio.sleep(0.05)  # also after the last, for one too many
                made = [line for line in calls(path) if line.startswith("create ")]
        tasks.cancel_scope.cancel()
    assert len(made) == concurrency


async def test_a_language_that_is_not_known_is_named_with_those_that_are(tmp_path: Path) -> None:
    sandbox = ContainerSandbox(
        engine=script(tmp_path / "docker"), languages={"b": ("b",), "a": ("a",)}
    )
    program = Program(language="c", main="m", files={"m": b""})
    with pytest.raises(UnsupportedError, match=r"knows no language 'c'; it has a, b\. Add"):
        await sandbox.run(program)
    assert sandbox.name == "container"
    assert repr(ContainerSandbox(engine=str(tmp_path / "docker"), image="i:1")) == (
        f"ContainerSandbox({str(tmp_path / 'docker')!r}, 'i:1')"
    )


async def test_the_engine_that_answers_is_asked_once_by_its_owner(tmp_path: Path) -> None:
    class Owner:
        pass

    silent, speaking = (
        Engine(script(tmp_path / name, code))
        for name, code in (("docker", "exit 1"), ("podman", "exit 0"))
    )
    owner = Owner()
    for _ in range(2):
        assert await answering(owner, (silent, speaking)) == speaking
    assert (calls(silent.path), calls(speaking.path)) == (["info"], ["info"])
    with pytest.raises(SandboxError, match=r"no container engine answers: .*docker.*docker"):
        await answering(Owner(), (silent, silent))
    assert await answering(Owner(), (silent,)) == silent, "its own error is clearer"
