"""Whatever the end: no process, no directory, no descriptor is left. Seen from outside."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from planish.data.program import Program, ResourceLimits
from planish_integrations.sandboxes.unsafe._conversation import Conversation
from planish_integrations.sandboxes.unsafe._orphans import kill_orphans
from planish_integrations.sandboxes.unsafe._supervisor import Supervisor
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = pytest.mark.usefixtures("nothing_left")

Python = Callable[..., Program]

# Starts whatever could be overlooked, then goes on. Each of them holds the output pipes.
BROOD = """
import os, subprocess, sys, time, signal
def sleep():
    for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(s, signal.SIG_IGN)
    time.sleep(60)
    os._exit(0)
if os.fork() == 0:                      # a child
    sleep()
if os.fork() == 0:                      # in its own group
    os.setpgid(0, 0); sleep()
if os.fork() == 0:                      # in its own session
    os.setsid(); sleep()
if os.fork() == 0:                      # a daemon: own session, orphaned
    os.setsid()
    if os.fork() == 0:
        os.chdir('/'); os.umask(0); sleep()
    os._exit(0)
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)
os.makedirs('a/b/c'); open('a/b/c/f', 'w').close(); os.chmod('a/b/c', 0); os.chmod('a', 0o555)
os.symlink('/etc', 'link'); os.mkfifo('fifo')
print('ready', flush=True)
"""


@pytest.mark.clock(reason="it promises an end within 100 ms")
@pytest.mark.anyio
async def test_a_cancelled_program_leaves_nothing_within_100_ms(
    sandbox: UnsafeLocalSandbox, python: Python, traces: Callable[[], list[str]]
) -> None:
    times: list[float] = []
    for _ in range(5):
        start = 0.0
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sandbox.run, python(BROOD + "time.sleep(60)"))
            while len(traces()) <= 5:  # noqa: ASYNC110  # processes have no event for that
                await anyio.sleep(0.01)
            start = time.monotonic()
            tasks.cancel_scope.cancel()
        times.append(time.monotonic() - start)
        assert traces() == []
    assert sorted(times)[2] < 0.1, times


@pytest.mark.clock(reason="it bounds how late a program is ended")
def test_wait_for_leaves_nothing(
    sandbox: UnsafeLocalSandbox, python: Python, traces: Callable[[], list[str]]
) -> None:
    async def main() -> None:
        start = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(sandbox.run(python(BROOD + "time.sleep(60)")), 0.25)
        assert time.monotonic() - start < 0.25 + 0.5
        assert traces() == []

    asyncio.run(main())


HOST = """
import sys, anyio
from planish.data.program import Program, ResourceLimits
from planish.errors import SandboxLostError
from planish_integrations.unsafe import UnsafeLocalSandbox
import os
async def main():
    sandbox = UnsafeLocalSandbox(directory=sys.argv[1])
    program = Program(main='m.py', files={'m.py': sys.stdin.read().encode()})
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sandbox.run, program)
        if sys.argv[2] == 'fork' and os.fork() == 0:
            import time; time.sleep(3); os._exit(0)   # keeps the host's end of the socket
        print('ready', flush=True)
        await anyio.sleep(60)
anyio.run(main)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("way", ["plain", "fork"])
def test_a_dead_host_leaves_nothing(
    tmp_path: Path,
    traces: Callable[[], list[str]],
    all_gone: Callable[[float], float],
    number: signal.Signals,
    way: str,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path), way],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as host:
        assert host.stdin
        assert host.stdout
        host.stdin.write((BROOD + "time.sleep(60)").encode())
        host.stdin.close()
        assert host.stdout.readline() == b"ready\n"
        while len(traces()) <= 5:
            time.sleep(0.01)
        os.killpg(host.pid, number)  # as a terminal does, or a supervisor
        host.wait(5)
        all_gone(30)


@pytest.mark.anyio
async def test_a_program_that_kills_its_supervisor_is_found_all_the_same(
    sandbox: UnsafeLocalSandbox, python: Python, traces: Callable[[], list[str]]
) -> None:
    completed = await sandbox.run(python(BROOD + "os.kill(os.getppid(), 9)\ntime.sleep(60)"))
    assert not completed.ok
    assert (completed.exit_code, completed.signal) == (None, signal.SIGKILL)
    assert "dead and removed" in completed.findings[0]
    assert traces() == []


@pytest.mark.anyio
async def test_a_program_that_stops_its_supervisor_is_ended_all_the_same(
    sandbox: UnsafeLocalSandbox, python: Python, traces: Callable[[], list[str]]
) -> None:
    body = BROOD + "os.kill(os.getppid(), signal.SIGSTOP)\ntime.sleep(60)"
    completed = await sandbox.run(python(body, limits=ResourceLimits(seconds=0.5)))
    assert completed.limit == "seconds"
    assert traces() == []


@pytest.mark.anyio
async def test_a_program_cannot_reach_its_supervisor_with_lesser_signals(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    body = (
        BROOD + "for s in (1, 2, 3, 10, 12, 13, 14, 15):\n    os.kill(os.getppid(), s)\nprint('on')"
    )
    completed = await sandbox.run(python(body))
    assert completed.ok
    assert completed.stdout == b"ready\non\n"


def _ready(runs: Path) -> bool:
    return any(runs.glob("*/tmp/ready"))


def _pid(runs: Path) -> str:
    """Return the process id that the one program in these runs has written."""
    return next(runs.glob("*/tmp/ready")).read_text()


async def _cancelled_when_ready(supervisor: Supervisor, program: Program, runs: Path) -> None:
    """Talk to a supervisor until its program says that it runs."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(Conversation(supervisor, program).wait)
        with anyio.fail_after(30):
            while not _ready(runs):  # noqa: ASYNC110  # told by a file
                await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_a_supervisor_with_much_to_report_ends_by_itself_after_a_cancellation(
    python: Python, tmp_path: Path
) -> None:
    body = "import os, time; open('big', 'wb').write(b'x' * 8_000_000)\n"
    ready = "open(os.environ['TMPDIR'] + '/ready', 'w').close(); time.sleep(60)"
    program = python(body + ready, collect=("big",))
    supervisor = Supervisor(program, (), str(tmp_path), 0)
    await _cancelled_when_ready(supervisor, program, tmp_path)
    await supervisor.terminate()
    assert supervisor.left == "", "it had to be killed"


def test_a_task_cancelled_by_asyncio_while_it_terminates_is_cancelled_once_nothing_is_left(
    python: Python, tmp_path: Path
) -> None:
    async def terminated() -> bool:
        supervisor = Supervisor(python("pass"), (), str(tmp_path), 0)
        task = asyncio.create_task(supervisor.terminate())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(terminated())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.anyio
async def test_a_supervisor_that_stays_stopped_is_killed_and_reaped(
    python: Python, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planish_integrations.sandboxes.unsafe._supervisor.PATIENCE", 1.0)
    body = "import os, signal, time; open('pid', 'w').write(str(os.getppid()))\n"
    body += (
        "os.kill(os.getppid(), signal.SIGSTOP); os.rename('pid', '../tmp/ready'); time.sleep(60)"
    )
    program = python(body)
    supervisor = Supervisor(program, (), str(tmp_path), 0)
    # The program could stop it again whenever it is resumed.
    monkeypatch.setattr(supervisor, "resume", lambda: None)
    await _cancelled_when_ready(supervisor, program, tmp_path)
    process = f"/proc/{_pid(tmp_path)}"
    await supervisor.terminate()
    assert supervisor.left == "All that could be found of it is dead and removed."
    assert not Path(process).exists()  # noqa: ASYNC240  # of /proc


@pytest.mark.parametrize("patience", [-1.0, 5.0])
def test_what_was_still_there_when_time_was_up_may_be_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    monkeypatch.setattr("planish_integrations.sandboxes.unsafe._orphans._PATIENCE", patience)
    with subprocess.Popen(["sleep", "60"], cwd=tmp_path) as orphan:  # noqa: S607
        assert kill_orphans(str(tmp_path)) is (patience > 0)
        assert orphan.wait() == -signal.SIGKILL


@pytest.mark.clock(reason="it compares processor time with time")
@pytest.mark.anyio
async def test_cleaning_up_leaves_the_event_loop_to_others(
    sandbox: UnsafeLocalSandbox, python: Python, tmp_path: Path
) -> None:
    body = "import os, time\nfor n in range(10):\n    os.makedirs(f'd{n}' + '/d' * 150)\n"
    program = python(body + "open(os.environ['TMPDIR'] + '/ready', 'w').close(); time.sleep(60)")
    scope = anyio.CancelScope()
    wall = busy = 0.0

    async def run() -> None:
        with scope:
            await sandbox.run(program)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        with anyio.fail_after(30):
            while not _ready(tmp_path):  # noqa: ASYNC110  # told by a file
                await anyio.sleep(0.01)
        wall, busy = time.monotonic(), time.process_time()
        scope.cancel()
    wall, busy = time.monotonic() - wall, time.process_time() - busy
    assert busy < wall / 10, (wall, busy)


@pytest.mark.anyio
async def test_a_program_that_removes_its_own_directory_is_no_trouble(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    body = "import os, shutil; shutil.rmtree(os.path.dirname(os.getcwd())); print('gone')"
    completed = await sandbox.run(python(body, collect=("main.py",)))
    assert completed.stdout == b"gone\n"
    assert completed.files == {}
