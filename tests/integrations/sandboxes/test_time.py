"""Time limits count what a program does: the load of the machine decides nothing."""

import time
from collections.abc import Callable

import anyio
import pytest
from tests.integrations.sandboxes.places import Place
from tests.integrations.sandboxes.timed import (
    ENOUGH,
    IN_TURN,
    SPIN,
    TOO_MUCH,
    busy,
    program,
)

from planish.abc import Sandbox
from planish.data.program import Completed, Program, ResourceLimits

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

# Four at once; what they use is summed.
TOGETHER = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        begin = time.process_time()
        while time.process_time() - begin < {0} / 4: pass
        os._exit(0)
for _ in range(4): os.wait()
"""
# Children that are not waited for, so that the kernel reaps them.
UNREAPED = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
read, write = os.pipe()
for _ in range(4):
    if os.fork() == 0:
        begin = time.process_time()
        while time.process_time() - begin < {0} / 4: pass
        os._exit(0)
os.close(write)
os.read(read, 1)
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
COMPUTING = {
    "spin": SPIN,
    "together": TOGETHER,
    "in turn": IN_TURN,
    "unreaped": UNREAPED,
    "threads": THREADS,
}
LOADED = {"spin": SPIN, "in turn": IN_TURN, "sleep": SLEEP}
IGNORE_SIGNALS = (
    "import signal\nfor s in set(signal.Signals) - {9, 19}:\n    signal.signal(s, signal.SIG_IGN)\n"
)


@pytest.mark.clock(reason="busy processes beside it take what time they can get")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # it is the supervisor that keeps time
@pytest.mark.parametrize("others", [1, 4, 16])
async def test_beside_busy_processes_the_limit_is_the_same(
    sandbox: Sandbox, place: Place, others: int
) -> None:
    if others < 16 and place.name != "namespaces":
        pytest.skip("one place shows it for less load; the supervisor is the same in all")
    done: dict[str, Completed] = {}
    stopped: dict[str, Completed] = {}

    async def run(kind: str) -> None:
        done[kind] = await sandbox.run(program(LOADED[kind], ENOUGH))
        stopped[kind] = await sandbox.run(program(LOADED[kind], TOO_MUCH))

    with busy(others):
        async with anyio.create_task_group() as tasks:
            for kind in LOADED:
                tasks.start_soon(run, kind)
    assert {kind: (one.exit_code, one.limit) for kind, one in done.items()} == dict.fromkeys(
        LOADED, (0, None)
    ), done
    assert {kind: one.limit for kind, one in stopped.items()} == dict.fromkeys(LOADED, "seconds"), (
        stopped
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", COMPUTING)
async def test_the_time_of_all_processes_is_summed(sandbox: Sandbox, kind: str) -> None:
    stopped = await sandbox.run(program(COMPUTING[kind], 20, 0.25))
    assert stopped.limit == "seconds", stopped
    assert stopped.cpu_seconds is not None
    assert stopped.cpu_seconds < 20 * 0.25 / 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", COMPUTING)
async def test_the_time_that_was_used_is_returned(sandbox: Sandbox, kind: str) -> None:
    # Of each of four children that the kernel reaps, what they use after the supervisor's last
    # look is not seen: up to the 20 ms between two looks.
    used = 1.2 if kind == "unreaped" else 0.3
    done = await sandbox.run(program(COMPUTING[kind], used / 30, 30))
    assert done.ok, done
    assert done.cpu_seconds is not None
    assert used * 0.8 < done.cpu_seconds < used * 2


async def test_waiting_uses_no_time(sandbox: Sandbox) -> None:
    done = await sandbox.run(program(SLEEP, 0.04, 30))
    assert done.cpu_seconds is not None
    assert done.cpu_seconds < 1 < done.duration


@pytest.mark.clock(reason="it bounds how late a program is ended")
@pytest.mark.parametrize("body", ["import time; time.sleep(60)", "while True: pass"])
async def test_a_program_that_ignores_signals_is_stopped_in_time(
    sandbox: Sandbox, python: Python, body: str
) -> None:
    done = await sandbox.run(python(IGNORE_SIGNALS + body, limits=ResourceLimits(seconds=0.3)))
    assert (done.limit, done.exit_code, done.signal, done.ok) == ("seconds", None, 9, False)
    if "while" in body:
        assert done.cpu_seconds is not None
        assert 0.2 < done.cpu_seconds < 0.6
    else:
        assert 0.6 <= done.duration < 1.0  # one that waits has twice its seconds


@pytest.mark.clock(reason="it bounds how late a program is ended")
async def test_time_is_counted_while_the_host_is_busy(
    sandbox: Sandbox, place: Place, python: Python
) -> None:
    if place.name == "e2b":
        pytest.skip("the loopback server is in this process, and busy with it")
    done: list[Completed] = []
    source = python("import time; time.sleep(60)", limits=ResourceLimits(seconds=0.2))

    async def run() -> None:
        done.append(await sandbox.run(source))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await anyio.sleep(0.5)
        time.sleep(0.6)  # noqa: ASYNC251  # a host that blocks its event loop
    assert done[0].limit == "seconds"
    assert done[0].duration < 0.7  # twice its seconds, not until the host has time again


async def test_output_and_files_before_the_limit_are_returned(
    sandbox: Sandbox, python: Python
) -> None:
    source = "import time; print('begun', flush=True); open('f', 'w').write('x')\ntime.sleep(9)"
    done = await sandbox.run(python(source, limits=ResourceLimits(seconds=0.3), collect=("f",)))
    assert (done.limit, done.stdout, done.files) == ("seconds", b"begun\n", {"f": b"x"})
