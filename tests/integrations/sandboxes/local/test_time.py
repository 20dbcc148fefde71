"""Time limits count what a program does: the load of the machine decides nothing."""

import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

import pytest

from planish.data.program import Program, ResourceLimits
from planish_integrations.local import InSession, LocalSandbox, LocalSession, Tier

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

SECONDS = 0.5
ENOUGH, TOO_MUCH = 0.45, 2.2  # times the limit

SPIN = "import time\nwhile time.process_time() < {0}: pass\n"
IN_TURN = """
import os, time
for _ in range(20):
    if os.fork() == 0:
        begin = time.process_time()
        while time.process_time() - begin < {0} / 20: pass
        os._exit(0)
    os.wait()
"""


@contextmanager
def busy(count: int) -> Generator[None]:
    """So many processes that take what they can get of the processors."""
    with ExitStack() as stack:
        for _ in range(count):
            other = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
            stack.callback(other.wait)
            stack.callback(other.kill)
        yield


def runs(source: str, times: float, limit: float = SECONDS) -> Program:
    files = {"main.py": source.format(times * limit).encode()}
    return Program(main="main.py", files=files, limits=ResourceLimits(seconds=limit))


@pytest.mark.clock(reason="busy processes beside it take what time they can get")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("others", [1, 16])
async def test_a_session_keeps_the_same_time_where_it_can_see_its_processes(
    tier: Tier, others: int
) -> None:
    if tier != "namespaces":
        pytest.skip("there /proc is closed to it")
    async with LocalSandbox(tier=tier) as sandbox, LocalSession(sandbox) as session:
        beside = InSession(session)
        with busy(others):
            done = await beside.run(runs(SPIN, ENOUGH))
            assert done.exit_code == 0, done
            assert (await beside.run(runs(SPIN, TOO_MUCH))).limit == "seconds"
            step = await session.run(IN_TURN.format(ENOUGH * SECONDS), seconds=SECONDS)
            assert step.exit_code == 0, step
            step = await session.run(IN_TURN.format(TOO_MUCH * SECONDS), seconds=SECONDS)
            assert step.limit == "seconds"


async def test_a_session_that_is_open_long_has_used_nothing_of_a_step(tier: Tier) -> None:
    async with LocalSandbox(tier=tier) as sandbox, LocalSession(sandbox) as session:
        for _ in range(3):
            step = await session.run(SPIN.format(0) + "for _ in range(10**6): pass", seconds=30)
            assert step.exit_code == 0, step
            assert step.cpu_seconds is None or step.cpu_seconds < 20
