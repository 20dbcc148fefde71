"""Limits hold, and the result says which one it was."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from planish.data.program import Completed, Program, ResourceLimits
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nothing_left")]

Python = Callable[..., Program]

DEAF = (
    "import signal\nfor s in set(signal.Signals) - {9, 19}:\n    signal.signal(s, signal.SIG_IGN)\n"
)


FORK_BOMBS = {
    "plain": "import os\nwhile True: os.fork()",
    "own sessions": "import os\nwhile True:\n    os.fork() or os.setsid()",
    "orphans": "import os, time\nif os.fork(): time.sleep(20)\n"
    "while True:\n    if os.fork(): os._exit(0)\n    os.fork()",
    "deaf": DEAF + "import os\nwhile True: os.fork()",
}


@pytest.mark.parametrize("body", FORK_BOMBS.values(), ids=FORK_BOMBS.keys())
async def test_a_fork_bomb_is_put_out(
    sandbox: UnsafeLocalSandbox, python: Python, body: str
) -> None:
    completed = await sandbox.run(python(body, limits=ResourceLimits(processes=64, seconds=20)))
    assert completed.limit == "processes"


async def test_limits_larger_than_any_system_are_no_trouble(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    huge = ResourceLimits(seconds=1e300, memory_mb=10**15, file_bytes=10**20, processes=10**12)
    assert (await sandbox.run(python("pass", limits=huge))).ok


async def test_limits_smaller_than_the_interpreter_still_end_it(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    completed = await sandbox.run(
        python("import json", limits=ResourceLimits(memory_mb=1, processes=1))
    )
    assert not completed.ok


async def test_waiting_for_a_place_does_not_count_as_time(tmp_path: Path, python: Python) -> None:
    sandbox = UnsafeLocalSandbox(directory=tmp_path, concurrency=1)
    program = python("import time; time.sleep(0.3)", limits=ResourceLimits(seconds=0.6))
    results: list[Completed] = []

    async def run() -> None:
        results.append(await sandbox.run(program))

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(run)

    assert [completed.ok for completed in results] == [True] * 4


async def test_concurrency_is_a_bound(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, python: Python
) -> None:
    sandbox = UnsafeLocalSandbox(directory=tmp_path, concurrency=2)
    begun = tmp_path_factory.mktemp("begun")
    source = "import os, time\nprint(time.time())\n"
    source += f"open({str(begun)!r} + f'/{{os.getpid()}}', 'w').close()\n"
    # The first two are there at once, or else both would wait until their time is up.
    source += f"while len(os.listdir({str(begun)!r})) < 2: time.sleep(0.01)\n"
    program = python(source + "time.sleep(0.1); print(time.time())")
    spans: list[tuple[float, float]] = []

    async def run() -> None:
        begin, end = (await sandbox.run(program)).stdout.split()
        spans.append((float(begin), float(end)))

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(run)

    at_once = [sum(b <= begin < e for b, e in spans) for begin, _ in spans]
    assert max(at_once) == 2


async def test_a_program_that_stops_its_supervisor_and_ends_has_ended(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    completed = await sandbox.run(
        python("import os, signal; os.kill(os.getppid(), signal.SIGSTOP); print('on')")
    )
    assert completed.ok, completed
    assert completed.stdout == b"on\n"


async def test_the_supervisor_has_a_better_priority_than_the_program(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    """A real-time one, where the system grants it; or the program's is worse than this one's."""
    if os.geteuid() != 0:
        pytest.skip("only root's supervisor can have a better priority")
    own = os.nice(0)
    completed = await sandbox.run(python("import os; print(os.nice(0))"))
    assert int(completed.stdout) == (own if _grants_real_time() else min(own + 10, 19))


def _grants_real_time() -> bool:
    """Return whether a process of this user can have a real-time priority."""
    ask = "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"
    command = [sys.executable, "-I", "-S", "-c", ask]
    done = subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
    return done.returncode == 0
