"""Time limits count what a program does: the load of the machine decides nothing."""

import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

import pytest

from planish.data.program import Program, ResourceLimits
from planish_integrations.local import InSession, LocalSandbox, LocalSession, Tier
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

SECONDS = 0.5
ENOUGH, TOO_MUCH = 0.45, 2.2  # times the limit

SPIN = "import time\nwhile time.process_time() < {0}: pass\n"
# Four at once, and a hundred one after another; what they use is summed.
TOGETHER = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        begin = time.process_time()
        while time.process_time() - begin < {0} / 4: pass
        os._exit(0)
for _ in range(4): os.wait()
"""
IN_TURN = """
import os, time
for _ in range(20):
    if os.fork() == 0:
        begin = time.process_time()
        while time.process_time() - begin < {0} / 20: pass
        os._exit(0)
    os.wait()
"""
THREADS = """
import threading, time
def spin():
    while time.process_time() < {0}: pass
threads = [threading.Thread(target=spin) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
SLEEP = "import time; time.sleep({0})"
COMPUTING = {"spin": SPIN, "together": TOGETHER, "in turn": IN_TURN, "threads": THREADS}


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
@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # it is the supervisor that keeps time
@pytest.mark.parametrize("others", [1, 4, 16])
@pytest.mark.parametrize("kind", ["spin", "in turn", "sleep"])
async def test_beside_busy_processes_the_limit_is_the_same(
    sandbox: LocalSandbox, kind: str, others: int
) -> None:
    source = {**COMPUTING, "sleep": SLEEP}[kind]
    with busy(others):
        done = await sandbox.run(runs(source, ENOUGH))
        assert done.exit_code == 0, done
        assert done.limit is None
        stopped = await sandbox.run(runs(source, TOO_MUCH))
    assert stopped.limit == "seconds", stopped


@pytest.mark.clock(reason="busy processes beside it take what time they can get")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("others", [1, 16])
@pytest.mark.parametrize("kind", ["spin", "in turn", "sleep"])
async def test_the_unsafe_sandbox_keeps_the_same_time(kind: str, others: int) -> None:
    sandbox = UnsafeLocalSandbox()
    source = {**COMPUTING, "sleep": SLEEP}[kind]
    with busy(others):
        done = await sandbox.run(runs(source, ENOUGH))
        assert done.exit_code == 0, done
        stopped = await sandbox.run(runs(source, TOO_MUCH))
    assert stopped.limit == "seconds", stopped


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


@pytest.mark.parametrize("kind", COMPUTING)
async def test_what_all_processes_use_is_summed(sandbox: LocalSandbox, kind: str) -> None:
    stopped = await sandbox.run(runs(COMPUTING[kind], 20))
    assert stopped.limit == "seconds", stopped
    assert stopped.cpu_seconds is not None
    assert stopped.cpu_seconds < 20 * SECONDS / 2


async def test_what_was_used_is_told(sandbox: LocalSandbox) -> None:
    for source in COMPUTING.values():
        done = await sandbox.run(runs(source, 0.03, 30))
        used = 0.03 * 30
        assert done.ok, done
        assert done.cpu_seconds is not None
        assert used * 0.9 < done.cpu_seconds < used * 1.5
    done = await sandbox.run(runs(SLEEP, 0.05, 30))
    assert done.cpu_seconds is not None
    assert done.cpu_seconds < 1 < done.duration


async def test_a_session_that_is_open_long_has_used_nothing_of_a_step(tier: Tier) -> None:
    async with LocalSandbox(tier=tier) as sandbox, LocalSession(sandbox) as session:
        for _ in range(3):
            step = await session.run(SPIN.format(0) + "for _ in range(10**6): pass", seconds=30)
            assert step.exit_code == 0, step
            assert step.cpu_seconds is None or step.cpu_seconds < 20
