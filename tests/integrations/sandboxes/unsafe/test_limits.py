"""Limits hold, and the result says which one it was."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from planish.data.program import Completed, Program, ResourceLimits
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nothing_left")]

Python = Callable[..., Program]
MIB = 1024 * 1024

DEAF = (
    "import signal\nfor s in set(signal.Signals) - {9, 19}:\n    signal.signal(s, signal.SIG_IGN)\n"
)


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.clock(reason="it bounds how late a program is ended")
@pytest.mark.parametrize("body", ["import time; time.sleep(60)", "while True: pass"])
async def test_time_ends_a_program_that_sleeps_spins_or_ignores_signals(
    sandbox: UnsafeLocalSandbox, python: Python, body: str
) -> None:
    completed = await sandbox.run(python(DEAF + body, limits=ResourceLimits(seconds=0.3)))

    assert (completed.limit, completed.exit_code, completed.signal) == ("seconds", None, 9)
    if "while" in body:
        assert completed.cpu_seconds is not None
        assert 0.2 < completed.cpu_seconds < 0.6
    else:
        assert 0.6 <= completed.duration < 1.0  # one that waits has twice its seconds
    assert not completed.ok


async def test_what_was_written_before_the_time_was_up_is_kept(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = (
        "import sys, time; print('begun', flush=True); open('f', 'w').write('x')\ntime.sleep(9)"
    )
    completed = await sandbox.run(
        python(source, limits=ResourceLimits(seconds=0.5), collect=("f",))
    )
    assert completed.stdout == b"begun\n"
    assert completed.files == {"f": b"x"}


@pytest.mark.clock(reason="it bounds how late a program is ended")
async def test_time_is_kept_while_the_host_is_busy(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    program = python("import time; time.sleep(60)", limits=ResourceLimits(seconds=0.2))
    results: list[Completed] = []

    async def run() -> None:
        results.append(await sandbox.run(program))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await anyio.sleep(0.1)
        time.sleep(0.6)  # noqa: ASYNC251  # a host that blocks its event loop
    assert results[0].limit == "seconds"
    assert results[0].duration < 0.6  # twice its seconds, within the time the host blocked


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_a_flood_is_cut_at_the_limit(
    sandbox: UnsafeLocalSandbox, python: Python, stream: str
) -> None:
    source = f"import sys\nwhile True: sys.{stream}.write('x' * 100_000)"
    memory = _memory()

    completed = await sandbox.run(python(source, limits=ResourceLimits(output_bytes=100_001)))

    flood, other = completed.stdout, completed.stderr
    if stream == "stderr":
        flood, other = other, flood
    assert flood == b"x" * 100_001
    assert other == b""
    assert completed.limit == "output_bytes"
    assert _memory() - memory < 20 * MIB


async def test_output_of_exactly_the_limit_is_no_flood(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = "import os; os.write(1, b'x' * 5000); os.write(2, b'y' * 5000)"
    completed = await sandbox.run(python(source, limits=ResourceLimits(output_bytes=5000)))
    assert completed.ok
    assert (len(completed.stdout), len(completed.stderr)) == (5000, 5000)


async def test_one_byte_too_many_is_one(sandbox: UnsafeLocalSandbox, python: Python) -> None:
    source = "import os; os.write(1, b'x' * 5001)"
    completed = await sandbox.run(python(source, limits=ResourceLimits(output_bytes=5000)))
    assert completed.limit == "output_bytes"
    assert completed.stdout == b"x" * 5000
    assert not completed.ok


async def test_large_output_and_input_pass_whole(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    data = bytes(range(256)) * 20_000
    source = "import sys\ndata = sys.stdin.buffer.read()\nsys.stdout.buffer.write(data)\n"
    source += "sys.stderr.buffer.write(data[::-1])"
    limits = ResourceLimits(output_bytes=len(data))

    completed = await sandbox.run(python(source, stdin=data, limits=limits))

    assert completed.ok, completed.stderr[:100]
    assert completed.stdout == data
    assert completed.stderr == data[::-1]


async def test_output_that_waited_for_a_busy_host_is_not_lost(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = "import fcntl, os; fcntl.fcntl(1, 1031, 1 << 20)\n"  # F_SETPIPE_SZ
    program = python(source + "os.write(1, b'x' * 900_000)")
    results: list[Completed] = []

    async def run() -> None:
        results.append(await sandbox.run(program))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await anyio.sleep(0.01)
        time.sleep(0.3)  # noqa: ASYNC251  # a host that blocks its event loop
    assert len(results[0].stdout) == 900_000


async def test_input_that_nobody_reads_does_not_matter(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    assert (await sandbox.run(python("pass", stdin=b"x" * 5_000_000))).ok
    assert (await sandbox.run(python("import os; os.close(0)", stdin=b"x" * 5_000_000))).ok


async def test_a_program_may_close_its_output_and_go_on(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = "import os, time; os.close(1); os.close(2); time.sleep(0.2); open('f', 'w').write('a')"
    completed = await sandbox.run(python(source, collect=("f",)))
    assert completed.files == {"f": b"a"}
    assert completed.duration > 0.2


async def test_one_process_gets_no_more_memory_than_allowed(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    completed = await sandbox.run(
        python("x = bytes(400 << 20)", limits=ResourceLimits(memory_mb=300))
    )
    assert completed.exit_code == 1
    assert b"MemoryError" in completed.stderr


async def test_forks_get_no_more_memory_together(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = "import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n"
    source += (
        "        x = bytearray(b'x') * (60 << 20)\n        time.sleep(20)\n        os._exit(0)\n"
    )
    source += "time.sleep(20)"

    completed = await sandbox.run(python(source, limits=ResourceLimits(memory_mb=200, seconds=15)))

    assert completed.limit == "memory_mb"


async def test_memory_that_forks_share_counts_once(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = "import os, time\nx = bytearray(b'x') * (80 << 20)\nfor _ in range(5):\n"
    source += "    if os.fork() == 0:\n        time.sleep(0.5)\n        os._exit(0)\n"
    source += "for _ in range(5): os.wait()"

    completed = await sandbox.run(python(source, limits=ResourceLimits(memory_mb=200)))

    assert completed.ok, completed


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


async def test_threads_count_as_processes(sandbox: UnsafeLocalSandbox, python: Python) -> None:
    source = "import threading, time\nfor _ in range({}):\n"
    source += "    threading.Thread(target=time.sleep, args=({},)).start()"
    few = await sandbox.run(python(source.format(8, 0.2), limits=ResourceLimits(processes=10)))
    many = await sandbox.run(python(source.format(20, 20), limits=ResourceLimits(processes=10)))
    assert few.ok
    assert many.limit == "processes"


async def test_a_file_grows_no_larger_than_allowed(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = "open('f', 'wb', buffering=0).write(b'x' * 2000)\n"
    source += "open('f', 'ab', buffering=0).write(b'x')"
    completed = await sandbox.run(
        python(source, limits=ResourceLimits(file_bytes=2000), collect=("f",)),
    )
    assert b"File too large" in completed.stderr
    assert completed.files == {"f": b"x" * 2000}


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
