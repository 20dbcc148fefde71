"""After a run no process, descriptor or file of it is left, however it ends."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from tests.integrations.sandboxes.places import PLACES, Place
from tests.integrations.sandboxes.processes import eventually, marked

from planish.abc import Sandbox
from planish.data.program import Program, ResourceLimits

ROOT = Path(__file__).resolve().parents[3]

Python = Callable[..., Program]

# Starts what could be overlooked, then goes on. All of it has the output open.
STARTS = """
import ctypes, os, signal, subprocess, sys, time
ctypes.CDLL(None).prctl(15, b"{mark}", 0, 0, 0)
def sleep():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(60)
    os._exit(0)
def leave(function, *args):
    try:
        function(*args)
    except OSError:
        pass                            # some tiers refuse it
if os.fork() == 0:                      # a child
    sleep()
if os.fork() == 0:                      # in its own group
    leave(os.setpgid, 0, 0); sleep()
if os.fork() == 0:                      # in its own session
    leave(os.setsid); sleep()
if os.fork() == 0:                      # a daemon: own session, orphaned
    leave(os.setsid)
    if os.fork() == 0:
        os.chdir('/'); os.umask(0); sleep()
    os._exit(0)
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', "{mark}"])
os.makedirs('a/b/c'); open('a/b/c/f', 'w').close()
leave(os.chmod, 'a/b/c', 0); leave(os.chmod, 'a', 0o555)
os.symlink('/etc', 'link'); os.mkfifo('fifo')
print('ready', flush=True)
"""
STARTED = 6  # processes with the mark, the first among them
ENDS = {
    "normal": "",
    "exception": "1 / 0",
    "signal": "os.kill(os.getpid(), signal.SIGKILL)",
    "abrupt": "os._exit(3)",
    "own group": "os.killpg(0, signal.SIGKILL)",
    "time": "time.sleep(60)",
    "flood": "while True: print('x' * 10000)",
}


@pytest.fixture
def starts(mark: str) -> str:
    """The program's source, with the mark of this test."""
    return STARTS.replace("{mark}", mark)


@pytest.mark.one_in(3)  # of 7 ends and 7 places: each end at some places, at each place some ends
@pytest.mark.anyio
@pytest.mark.parametrize("end", ENDS)
async def test_a_program_that_has_ended_leaves_nothing(
    sandbox: Sandbox, python: Python, starts: str, mark: str, end: str
) -> None:
    done = await sandbox.run(python(starts + ENDS[end], limits=ResourceLimits(seconds=1)))
    assert marked(mark) == []
    assert done.stdout.startswith(b"ready\n"), done.stderr
    assert done.duration < 30  # what it started sleeps for 60 s, and was not waited for
    files = await sandbox.run(python("import os; print(os.listdir('.'))"))
    assert files.stdout == b"['main.py']\n"


@pytest.mark.anyio
async def test_a_cancelled_program_leaves_nothing(
    sandbox: Sandbox, python: Python, starts: str, mark: str
) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sandbox.run, python(starts + "time.sleep(60)"))
        with anyio.fail_after(30):
            while len(marked(mark)) < STARTED:  # noqa: ASYNC110  # processes have no event
                await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    assert marked(mark) == []


@pytest.mark.anyio
async def test_a_program_may_be_cancelled_while_it_starts(
    sandbox: Sandbox, place: Place, python: Python, starts: str, mark: str
) -> None:
    # A container takes some 200 ms to start, the others less than 50.
    late = (0.1, 0.3) if "container" in place.name else (0.03, 0.05)
    for delay in (0, 0.001, 0.005, 0.01, 0.02, *late):
        with anyio.move_on_after(delay) as scope:
            await sandbox.run(python(starts + "time.sleep(60)", stdin=b"x" * 1_000_000))
        assert scope.cancelled_caught
        assert marked(mark) == []
    assert (await sandbox.run(python("print('next')"))).stdout == b"next\n"


# anyio shields nothing from asyncio's own cancellation.
OWN_PROCESSES = pytest.mark.parametrize(
    "place",
    [place for place in PLACES if place.name != "e2b"],
    ids=str,
    indirect=True,
)


async def _until_begun(task: "asyncio.Task[object]", mark: str) -> None:
    while not marked(mark):
        assert not task.done()
        await asyncio.sleep(0.01)


@OWN_PROCESSES
def test_a_program_cancelled_by_asyncio_leaves_nothing(
    place: Place, python: Python, starts: str, mark: str
) -> None:
    async def main() -> None:
        async with place.open() as sandbox:
            for again in (1, 50):  # also while the first cancellation cleans up
                task = asyncio.ensure_future(sandbox.run(python(starts + "time.sleep(60)")))
                await _until_begun(task, mark)
                for _ in range(again):
                    task.cancel()
                    await asyncio.sleep(0)
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert marked(mark) == []

    asyncio.run(main())


@OWN_PROCESSES
def test_a_failing_sibling_in_asyncios_task_group_leaves_nothing(
    place: Place, python: Python, starts: str, mark: str
) -> None:
    async def fail(task: "asyncio.Task[object]") -> None:
        await _until_begun(task, mark)
        raise ZeroDivisionError

    async def both(sandbox: Sandbox) -> None:
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(sandbox.run(python(starts + "time.sleep(60)")))
            tasks.create_task(fail(task))

    async def main() -> None:
        async with place.open() as sandbox:
            with pytest.raises(ExceptionGroup):
                await both(sandbox)
            assert marked(mark) == []

    asyncio.run(main())


def test_one_object_serves_one_event_loop_after_another(place: Place, python: Python) -> None:
    if place.name == "e2b":
        pytest.skip("it is entered in one event loop")

    async def open_once() -> Sandbox:
        async with place.open() as sandbox:
            return sandbox

    sandbox = anyio.run(open_once)
    for backend in ("asyncio", "trio", "asyncio"):
        assert anyio.run(sandbox.run, python("pass"), backend=backend).ok


HOST = """
import sys, anyio
from planish.data.program import Program
from tests.integrations.sandboxes.places import place_named
program = Program(main='m.py', files={'m.py': sys.argv[2].encode()})
async def main():
    async with place_named(sys.argv[1]).open() as sandbox:
        await sandbox.run(program)
anyio.run(main)
"""


def test_when_the_host_is_killed_its_program_ends(place: Place, starts: str, mark: str) -> None:
    if place.name == "e2b":
        pytest.skip("the loopback server dies with the host")
    path = [str(ROOT), *filter(None, sys.path)]
    with subprocess.Popen(
        [sys.executable, "-c", HOST, place.name, starts + "time.sleep(60)"],
        env={**os.environ, "PYTHONPATH": ":".join(path)},
        start_new_session=True,
    ) as host:
        # The source is an argument of the host, so the mark is not a whole one of its words.
        assert eventually(lambda: len(marked(mark)) >= STARTED)
        host.kill()
        host.wait(10)
    assert eventually(lambda: marked(mark) == [])
