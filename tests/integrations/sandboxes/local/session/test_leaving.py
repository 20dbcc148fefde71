"""Nothing outlives a session, however it ends; and no verdict is what a program beside it says."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.forging.subjects import SUBJECTS
from tests.forging.tricks import TRICKS

from planish import Candidate, CodeExecution, Task
from planish.data import Assertions, Status
from planish_integrations.local import InSession, LocalSandbox, LocalSession

_HOST = """
import sys, anyio
from planish_integrations.local import LocalSandbox
from planish_integrations.local import LocalSession

async def main():
    async with LocalSandbox(tier=sys.argv[1]) as sandbox, LocalSession(sandbox) as session:
        await session.run("import os, time\\nif not os.fork():\\n  os.fork()\\n  time.sleep(600)")
        await session.snapshot()
        print("up", flush=True)
        await session.run("import time\\ntime.sleep(600)", seconds=600)

anyio.run(main)
"""
_TRICKS = (
    *("os._exit", "records on every descriptor", "parent killed"),
    "memory of the parent searched for the key",
)
RIGHT, WRONG = SUBJECTS["square"].right, SUBJECTS["square"].wrong
_CHECKS = "assert square(1) == 1\nassert square(7) == 49\nassert square(9) == 81"


def descendants(root: int) -> set[int]:
    """All processes below one."""
    found: set[int] = set()
    waiting = [root]
    while waiting:
        tasks = Path(f"/proc/{waiting.pop()}/task")
        for children in tasks.glob("*/children"):
            waiting += map(int, children.read_text().split())
        found |= {*waiting}
    return found


def lives(pid: int) -> bool:
    """Return whether a process runs: one that has ended and was not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for_the_end_of(pids: set[int]) -> None:
    waited = time.monotonic() + 30
    while any(map(lives, pids)) and time.monotonic() < waited:
        time.sleep(0.02)
    assert [pid for pid in pids if lives(pid)] == []


@pytest.mark.parametrize("tier", ["namespaces", "landlock"])
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_nothing_outlives_the_host(tmp_path: Path, tier: str, blow: signal.Signals) -> None:
    tmp_path.chmod(0o711)
    before = {*Path("/tmp").glob("planish-*-*")}  # noqa: S108  # of processes that were killed
    env = {**os.environ, "TMPDIR": "/tmp", "PYTHONPATH": os.pathsep.join(sys.path)}  # noqa: S108
    with subprocess.Popen(
        [sys.executable, "-c", _HOST, tier], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    ) as host:
        assert host.stdout is not None
        assert host.stderr is not None
        if host.stdout.readline() != b"up\n":
            error = host.stderr.read().decode()
            assert "UnsupportedError" in error, error
            pytest.skip(f"no tier {tier} on this machine")
        inside = descendants(host.pid)
        assert len(inside) >= 6
        host.send_signal(blow)
        host.stderr.read()
    wait_for_the_end_of(inside)
    places = {str(pid) for pid in inside}
    found = {*Path("/tmp").glob("planish-*-*")} - before  # noqa: S108
    left = [path for path in found if path.name.split("-")[1] in places]
    assert left == []


@pytest.mark.anyio
async def test_nothing_outlives_the_session(sandbox: LocalSandbox) -> None:
    before = descendants(os.getpid())
    async with LocalSession(sandbox) as session:
        await session.run("import os, time\nif os.fork() == 0:\n    time.sleep(600)")
        await session.snapshot()
        inside = descendants(os.getpid()) - before
        assert len(inside) >= 3
    await sandbox.aclose()  # and what it keeps ready
    wait_for_the_end_of(inside)


@pytest.mark.anyio
async def test_no_trick_passes_beside_a_session(sandbox: LocalSandbox) -> None:
    task = Task("Square.", entry_point="square", tests=Assertions(_CHECKS))
    async with LocalSession(sandbox) as session:
        await session.run("kept = [1]")
        execute = CodeExecution(InSession(session))
        for code in (RIGHT, WRONG, *(TRICKS[name].candidate for name in _TRICKS)):
            judged = await execute.run(Candidate(task=task, code=code))
            assert (judged.status is Status.SUCCESS) is (code == RIGHT)
            assert (await session.run("kept")).displays[0].text == "[1]"
            assert await session.files() == {}
