"""Hosts that are short of something themselves: what they get, and what they are told."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.integrations.sandboxes.local.abuse.users import Leg

import planish
import planish_integrations
from planish.data.program import Program, ResourceLimits
from planish.errors import SandboxError
from planish_integrations.local import LocalSandbox, Tier
from planish_integrations.sandboxes.local._configuration import ZygoteConfig
from planish_integrations.sandboxes.local._zygote import Zygote

ROOTS = [str(Path(p.__file__ or "").parents[1]) for p in (planish, planish_integrations)]

RUN = """
import sys, anyio
from planish.data.program import Program
from planish.errors import PlanishError
from planish_integrations.local import LocalSandbox
program = Program(main="m.py", files={"m.py": b"print('fine')"})
tier = sys.argv[1] if len(sys.argv) > 1 else None
try:
    print(anyio.run(LocalSandbox(tier=tier).run, program).stdout)
except PlanishError as error:
    print(type(error).__name__, error)
"""


def started(
    source: str,
    *args: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    leg: Leg | None = None,
    before: Sequence[str] = (),
) -> str:
    """What a Python process prints, to both streams."""
    own = {"PATH": os.environ["PATH"], "PYTHONPATH": leg.path if leg else os.pathsep.join(ROOTS)}
    done = subprocess.run(
        [*before, leg.python if leg else sys.executable, "-c", source, *args],
        env=own if env is None else {**own, **env},
        cwd=cwd or "/",
        user=leg.uid if leg else None,
        group=leg.uid if leg else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=100,
        check=False,
    )
    return done.stdout.decode()


@pytest.mark.parametrize("variable", ["HOME", "TMPDIR", "LANG", "PYTHONHASHSEED"])
def test_a_host_may_have_any_variable_first(tier: Tier, variable: str, tmp_path: Path) -> None:
    value = "0" if variable == "PYTHONHASHSEED" else str(tmp_path.parents[-2])
    first = f"import os\nos.environ.clear()\nos.environ[{variable!r}] = {value!r}\n"
    assert started(first + RUN, tier) == "b'fine\\n'\n"


def test_a_host_whose_folder_is_gone(tier: Tier, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    gone = "import os\nos.rmdir(os.getcwd())\n"
    assert started(gone + RUN, tier, cwd=tmp_path / "gone") == "b'fine\\n'\n"


@pytest.mark.anyio
async def test_a_sandbox_within_a_sandbox_is_refused_in_words(tier: Tier) -> None:
    packages = [*ROOTS, *filter(os.path.isdir, sys.path)]
    program = Program(main="m.py", files={"m.py": RUN.encode()}, limits=ResourceLimits(seconds=60))
    async with LocalSandbox(tier=tier, packages=packages) as sandbox:
        done = await sandbox.run(program)
    assert done.stdout.startswith(b"UnsupportedError LocalSandbox: programs cannot be isolated")
    assert b"if this process is in a sandbox itself, start it outside of that" in done.stdout


FEW = """
import gc, os, resource, sys, warnings, anyio
from planish.data.program import Program
from planish.errors import PlanishError
from planish_integrations.local import LocalSandbox
warnings.simplefilter("error")
program = Program(main="m.py", files={"m.py": b""})
async def main():
    least = len(os.listdir("/proc/self/fd"))
    for most in range(least, least + 16):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, 4000))
        sandbox = LocalSandbox(tier=sys.argv[1])
        try:
            await sandbox.run(program)
        except PlanishError:
            pass
        await sandbox.aclose()
        resource.setrlimit(resource.RLIMIT_NOFILE, (4000, 4000))
        assert len(os.listdir("/proc/self/fd")) <= least + 2, most  # the event loop's own threads
anyio.run(main)
print("all closed")
"""


def test_a_start_that_fails_for_lack_of_descriptors_leaves_none_open(tier: Tier) -> None:
    assert started(FEW, tier) == "all closed\n"


ALONE = """
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
"""


def test_a_user_who_may_start_no_process_is_told(tier: Tier, leg: Leg) -> None:
    if leg.owner == 0:
        pytest.skip("this limit does not bind root")
    said = started(ALONE + RUN, tier, leg=leg)
    assert said.startswith("SandboxError LocalSandbox: the self-test could not be run: ")
    assert "RLIMIT_NPROC (`ulimit -u`)" in said


SMALL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
"""
AGAIN = """
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


def test_what_was_lacking_is_named_and_a_later_run_tries_again(tier: Tier) -> None:
    first, last = started(SMALL + RUN + AGAIN + RUN, tier).splitlines()
    assert first.startswith("SandboxError LocalSandbox: ")
    assert "RLIMIT_FSIZE (`ulimit -f`)" in first
    assert "user namespaces" not in first
    assert last == "b'fine\\n'"


NO_MORE_FILES = """
import os, resource, sys, anyio
from planish.data.program import Program
from planish.errors import PlanishError
from planish_integrations.local import LocalSandbox
program = Program(main="m.py", files={"m.py": b"print('fine')"})
async def main():
    async with LocalSandbox(tier=sys.argv[1]) as sandbox:
        for _ in range(3):
            await sandbox.run(program)
        before = len(os.listdir("/proc/self/fd"))
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        for more in range(6):
            resource.setrlimit(resource.RLIMIT_NOFILE, (before + more - 3, hard))
            for _ in range(2):
                try:
                    await sandbox.run(program)
                except PlanishError as error:
                    assert "RLIMIT_NOFILE" in str(error), error
                    print("told")
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(3):
            assert (await sandbox.run(program)).ok
        assert len(os.listdir("/proc/self/fd")) <= before + 5  # one more may wait
    print("fine")
anyio.run(main)
"""


def test_a_host_without_descriptors_is_told_and_loses_none(tier: Tier) -> None:
    said = started(NO_MORE_FILES, tier).splitlines()
    assert said[-1] == "fine", said
    assert set(said[:-1]) == {"told"}, said


FULL = """
import os, tempfile
tempfile.gettempdir()  # another folder is taken if this one is full from the start
fill = os.open(os.environ["TMPDIR"] + "/fill", os.O_WRONLY | os.O_CREAT)
try:
    while os.write(fill, bytes(4096)): pass
except OSError:
    pass
"""
EMPTIED = """
os.unlink(os.environ["TMPDIR"] + "/fill")
os.close(fill)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a folder that is full")
def test_a_full_disk_is_named_and_a_later_run_tries_again(tier: Tier, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = f'mount -t tmpfs -o size=64k,mode=1777 none {folder} && exec "$@"'
    before = ("unshare", "--mount", "sh", "-c", mounted, "sh")
    for parent in (tmp_path, *tmp_path.parents[:3]):  # programs of the tier `landlock` pass them
        parent.chmod(parent.stat().st_mode | 0o111)
    env = {"TMPDIR": str(folder)}
    said = started(FULL + RUN + EMPTIED + RUN, tier, env=env, before=before)
    first, last = said.splitlines()
    assert first.startswith("SandboxError LocalSandbox: the self-test could not be run: "), said
    assert f"no space or no more files are left in {folder}" in first
    assert "user namespaces" not in first
    assert last == "b'fine\\n'"


SHORT = """
import os, resource, sys, anyio
from planish.data.program import Program
from planish.errors import PlanishError
from planish_integrations.local import LocalSandbox
program = Program(main="m.py", files={"m.py": b"print('fine')"})
limit = getattr(resource, "RLIMIT_" + sys.argv[2])
async def main():
    await anyio.sleep(0)
    soft, hard = resource.getrlimit(limit)
    most = len(os.listdir("/proc/self/fd")) if sys.argv[2] == "NOFILE" else 1
    if sys.argv[3] == "later":
        await LocalSandbox(tier=sys.argv[1]).run(program)
    resource.setrlimit(limit, (most, hard))
    sandbox = LocalSandbox(tier=sys.argv[1], readable=["/etc/hostname"])
    try:
        print((await sandbox.run(program)).stdout)
    except PlanishError as error:
        print(type(error).__name__, error)
    resource.setrlimit(limit, (soft, hard))
    print((await LocalSandbox(tier=sys.argv[1]).run(program)).stdout)
anyio.run(main)
"""


@pytest.mark.parametrize("when", ["first", "later"])
@pytest.mark.parametrize("limit", ["NOFILE", "NPROC"])
def test_a_limit_of_the_host_is_named_and_a_later_run_tries_again(
    tier: Tier, leg: Leg, limit: str, when: str
) -> None:
    if leg.owner == 0 and limit == "NPROC":
        pytest.skip("this limit does not bind root")
    said = started(SHORT, tier, limit, when, leg=leg)
    first, *_, last = said.splitlines()
    assert first.startswith("SandboxError LocalSandbox"), said
    assert f"RLIMIT_{limit}" in said, said
    assert "user namespaces" not in said
    assert last == "b'fine\\n'", said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can have a machine without /proc")
def test_a_machine_without_proc_is_told_so(tier: Tier) -> None:
    without = ("unshare", "--mount", "sh", "-c", 'umount -l /proc && exec "$@"', "sh")
    said = started(RUN, tier, before=without)
    assert "there is no /proc" in said
    assert "mount -t proc proc /proc" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's programs run as another user")
def test_a_folder_that_programs_may_not_pass_is_named(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    said = started(RUN, "landlock", env={"TMPDIR": str(closed)})
    assert "have TMPDIR name a folder that every user may pass" in said
    assert "5.13" not in said


@pytest.mark.anyio
async def test_the_output_of_an_interpreter_that_does_not_start_is_in_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_bytes(b"#!/bin/sh\nprintf '\\377 is no text' >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    zygote = Zygote(ZygoteConfig(tier="landlock", directory=str(tmp_path)))
    with pytest.raises(SandboxError, match=r"failed to start\. \ufffd is no text$"):
        await zygote.acquire()
