"""Many runs, cancelled at any moment, leave the host as it was."""

import asyncio
import gc
import random
import threading
from collections.abc import Callable

import anyio
import pytest

from planish.data.program import Program, ResourceLimits
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = pytest.mark.usefixtures("nothing_left")

Python = Callable[..., Program]
RUNS = [pytest.param(1000, marks=pytest.mark.long), 160]
AT_ONCE = 8
BODIES = (
    "pass",
    "import time; time.sleep(5)",
    "import os, time\nif os.fork() == 0: os.setsid()\ntime.sleep(5)",
    "while True: print('x' * 1000)",
)


def _program(python: Python, chance: random.Random) -> Program:
    limits = ResourceLimits(seconds=chance.choice((0.03, 5)), output_bytes=100_000)
    return python(chance.choice(BODIES), stdin=b"x" * 100_000, limits=limits)


@pytest.mark.anyio
@pytest.mark.parametrize("runs", RUNS)
async def test_runs_cancelled_by_scopes_leave_nothing(
    sandbox: UnsafeLocalSandbox, python: Python, traces: Callable[[], list[str]], runs: int
) -> None:
    chance = random.Random(1)  # noqa: S311  # not for secrets
    cancelled = 0

    async def worker() -> None:
        nonlocal cancelled
        for _ in range(runs // AT_ONCE):
            with anyio.move_on_after(chance.uniform(0, 0.06)) as scope:
                await sandbox.run(_program(python, chance))
            cancelled += scope.cancelled_caught

    async with anyio.create_task_group() as tasks:
        for _ in range(AT_ONCE):
            tasks.start_soon(worker)

    assert cancelled > runs / 2
    assert traces() == []


@pytest.mark.parametrize("runs", RUNS)
def test_runs_cancelled_by_asyncio_leave_nothing(
    sandbox: UnsafeLocalSandbox, python: Python, traces: Callable[[], list[str]], runs: int
) -> None:
    chance = random.Random(2)  # noqa: S311  # not for secrets
    cancelled = 0

    async def worker() -> None:
        nonlocal cancelled
        for _ in range(runs // AT_ONCE):
            task = asyncio.ensure_future(sandbox.run(_program(python, chance)))
            await asyncio.sleep(chance.uniform(0, 0.06))
            for _ in range(chance.choice((1, 1, 3))):
                task.cancel()
                await asyncio.sleep(0)
            await asyncio.wait([task])
            cancelled += task.cancelled()

    async def main() -> None:
        # One more worker than there are places: some are cancelled while they wait for one.
        await asyncio.gather(*(worker() for _ in range(AT_ONCE + 2)))
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert (await sandbox.run(python("pass"))).ok  # no place was lost

    threads = threading.active_count()
    asyncio.run(main())

    assert cancelled > runs / 2
    assert traces() == []
    assert threading.active_count() <= threads
    gc.collect()  # an abandoned process or socket would warn, which fails the test
