"""Processes of a sandbox that something kills leave nothing, and come back."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from tests.integrations.sandboxes.processes import family, parent_of

from planish.data.program import Program
from planish.errors import SandboxLostError
from planish_integrations.local import LocalSandbox, Tier

Python = Callable[..., Program]


@pytest.mark.anyio
async def test_a_zygote_that_was_killed_is_started_again(tier: Tier, python: Python) -> None:
    own = family(os.getpid())
    async with LocalSandbox(tier=tier, spare=3) as sandbox:
        _kill_all(own)
        assert (await sandbox.run(python("print('again')"))).stdout == b"again\n"


@pytest.mark.anyio
async def test_processes_that_were_killed_leave_no_directory(
    tier: Tier, python: Python, runs: Path
) -> None:
    own = family(os.getpid())
    theirs = runs / "planish-0123456789ab-1"  # of another host
    theirs.mkdir()
    async with LocalSandbox(tier=tier, spare=3) as sandbox:
        assert (await sandbox.run(python("pass"))).ok
        assert (len(_names_in(runs)) > 1) == (tier == "landlock")  # the others' are mounts
        _kill_all(own)
        assert (await sandbox.run(python("pass"))).ok
    assert _names_in(runs) == [theirs.name]


def _names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.mark.anyio
async def test_a_run_whose_watcher_is_killed_is_lost(tier: Tier, python: Python) -> None:
    own = family(os.getpid())
    await _lose_a_run(tier, python, lambda _: _kill_all(own), r"process.* was killed")


@pytest.mark.anyio
async def test_a_run_whose_template_process_is_killed_is_lost_and_says_why(
    tier: Tier, python: Python
) -> None:
    def kill(pid: int) -> None:
        for _ in ("the program", "its first process", "its supervisor", "the template process"):
            pid = parent_of(pid)
        os.kill(pid, signal.SIGKILL)

    await _lose_a_run(tier, python, kill, r"the template process.* was killed")


async def _lose_a_run(tier: Tier, python: Python, kill: Callable[[int], None], why: str) -> None:
    """Check that a run is lost when something is killed, and that the next one works.

    Args:
        tier: The sandbox's.
        python: Makes a program.
        kill: Gets a child of the program that runs.
        why: A pattern of the error.
    """
    own = family(os.getpid())

    async def kill_once_it_runs() -> None:
        while not (found := [p for p in family(os.getpid(), but=own) if _runs(p, b"61.5")]):  # noqa: ASYNC110
            await anyio.sleep(0.01)
        kill(found[0])

    async with LocalSandbox(tier=tier, spare=3) as sandbox:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(kill_once_it_runs)
            with pytest.raises(SandboxLostError, match=why):
                await sandbox.run(python("import subprocess; subprocess.run(['sleep', '61.5'])"))
        assert (await sandbox.run(python("print('again')"))).stdout == b"again\n"


def _runs(pid: int, argument: bytes) -> bool:
    try:
        return argument in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _kill_all(own: set[int]) -> None:
    """Kill all that has been started since; none is to see another's end and clear up after it."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in family(os.getpid(), but=own):
            _send(pid, number)


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
