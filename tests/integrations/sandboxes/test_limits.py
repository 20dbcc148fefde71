"""Limits end a program in every sandbox that enforces them, and the result names the limit."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from tests.integrations.sandboxes.places import Place

from planish.abc import Sandbox
from planish.data.program import Completed, Program, ResourceLimits
from planish.data.sandbox import Guarantee

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]
Require = Callable[[Guarantee], None]
MIB = 1024 * 1024


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_output_is_cut_at_its_limit(sandbox: Sandbox, python: Python, stream: str) -> None:
    source = f"import sys\nwhile True: sys.{stream}.write('x' * 100_000)"
    memory = _memory()
    done = await sandbox.run(python(source, limits=ResourceLimits(output_bytes=100_001)))
    written = {"stdout": done.stdout, "stderr": done.stderr}
    assert written.pop(stream) == b"x" * 100_001
    assert [*written.values()] == [b""]
    assert done.limit == "output_bytes"
    assert _memory() - memory < 20 * MIB


async def test_output_of_exactly_the_limit_is_allowed(sandbox: Sandbox, python: Python) -> None:
    source = "import os; os.write(1, b'x' * {0}); os.write(2, b'y' * 5000)"
    limits = ResourceLimits(output_bytes=5000)
    done = await sandbox.run(python(source.format(5000), limits=limits))
    assert done.ok
    assert (len(done.stdout), len(done.stderr)) == (5000, 5000)
    over = await sandbox.run(python(source.format(5001), limits=limits))
    assert (over.limit, over.stdout, over.ok) == ("output_bytes", b"x" * 5000, False)


async def test_large_output_and_input_are_passed_whole(sandbox: Sandbox, python: Python) -> None:
    data = bytes(range(256)) * 20_000
    source = "import sys\ndata = sys.stdin.buffer.read()\nsys.stdout.buffer.write(data)\n"
    source += "sys.stderr.buffer.write(data[::-1])"
    limits = ResourceLimits(output_bytes=len(data))
    done = await sandbox.run(python(source, stdin=data, limits=limits))
    assert done.ok, done.stderr[:100]
    assert (done.stdout == data, done.stderr == data[::-1]) == (True, True)


async def test_output_is_not_lost_while_the_host_is_busy(sandbox: Sandbox, python: Python) -> None:
    source = "import fcntl, os; fcntl.fcntl(1, 1031, 1 << 20)\n"  # F_SETPIPE_SZ
    program = python(source + "os.write(1, b'x' * 900_000)")
    results: list[Completed] = []

    async def run() -> None:
        results.append(await sandbox.run(program))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await anyio.sleep(0.01)
        time.sleep(0.3)  # noqa: ASYNC251  # a host that blocks its event loop
    assert len(results[0].stdout) == 900_000, results[0].stderr


async def test_a_program_may_close_its_output_and_continue(
    sandbox: Sandbox, python: Python
) -> None:
    source = "import os, time; os.close(1); os.close(2); time.sleep(0.2); open('f', 'w').write('a')"
    done = await sandbox.run(python(source, collect=("f",)))
    assert done.files == {"f": b"a"}
    assert done.duration > 0.2


async def test_one_process_gets_at_most_its_memory(sandbox: Sandbox, python: Python) -> None:
    source = "try:\n    bytes(400 << 20)\nexcept MemoryError:\n    print('caught')\n"
    source += "bytes(400 << 20)"
    done = await sandbox.run(python(source, limits=ResourceLimits(memory_mb=300)))
    assert (done.exit_code, done.stdout) == (1, b"caught\n")
    assert b"MemoryError" in done.stderr


FORKS = """
import os, time
block = bytearray(b'x') * ({0} << 20)
for _ in range(6):
    if os.fork() == 0:
        own = bytearray(b'x') * ({1} << 20)
        time.sleep({2})
        os._exit(0)
for _ in range(6): os.wait()
"""


async def test_all_processes_together_get_at_most_their_memory(
    sandbox: Sandbox, python: Python, require: Require
) -> None:
    require("memory_total")
    limits = ResourceLimits(memory_mb=200, seconds=25)
    done = await sandbox.run(python(FORKS.format(0, 60, 30), limits=limits))
    assert done.limit == "memory_mb"


async def test_memory_that_forks_share_counts_once(
    sandbox: Sandbox, place: Place, python: Python, require: Require
) -> None:
    require("memory_total")
    if place.name == "bubblewrap":
        pytest.skip("this tier counts shared memory for each process that has it")
    done = await sandbox.run(python(FORKS.format(80, 0, 0.4), limits=ResourceLimits(memory_mb=200)))
    assert done.ok, done


COUNTS = """
import os, time
made = 0
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        made += 1
except OSError:
    print(made, flush=True)
    os._exit(0)
time.sleep(20)
"""


async def test_processes_are_counted(sandbox: Sandbox, python: Python, require: Require) -> None:
    require("processes")
    done = await sandbox.run(python(COUNTS, limits=ResourceLimits(processes=20, seconds=10)))
    if done.limit != "processes":  # the kernel has refused the fork
        assert 15 <= int(done.stdout) <= 19


async def test_threads_count_as_processes(
    sandbox: Sandbox, python: Python, require: Require
) -> None:
    require("processes")
    source = "import threading, time\nfor _ in range({}):\n"
    source += "    threading.Thread(target=time.sleep, args=({},), daemon=True).start()\n"
    source += "time.sleep({})"
    few = await sandbox.run(python(source.format(7, 0.2, 0.2), limits=ResourceLimits(processes=10)))
    many = await sandbox.run(python(source.format(20, 20, 20), limits=ResourceLimits(processes=10)))
    assert few.ok, few
    assert many.limit == "processes" or b"can't start new thread" in many.stderr


async def test_a_file_grows_to_its_limit_only(sandbox: Sandbox, python: Python) -> None:
    source = "open('f', 'wb', buffering=0).write(b'x' * 2000)\n"
    source += "open('f', 'ab', buffering=0).write(b'x')"
    limits = ResourceLimits(file_bytes=2000)
    done = await sandbox.run(python(source, limits=limits, collect=("f",)))
    assert b"File too large" in done.stderr
    assert done.files == {"f": b"x" * 2000}


@pytest.mark.parametrize("limit", ["disk_mb", "files"])
async def test_all_files_together_are_limited(
    sandbox: Sandbox, place: Place, python: Python, limit: str
) -> None:
    source = "import time\nfor n in range(64): open(str(n), 'wb').write(bytes({}))\ntime.sleep(5)"
    limits = {"disk_mb": ResourceLimits(disk_mb=8), "files": ResourceLimits(files=30)}[limit]
    program = python(source.format(1 << 20 if limit == "disk_mb" else 0), limits=limits)
    done = await sandbox.run(program)
    assert not done.ok
    if limit == "disk_mb" and done.limit is None and place.tier is None:
        assert b"No space left on device" in done.stderr  # a file system of that size
    else:
        assert done.limit == limit


@pytest.mark.parametrize("files", [150, 2_000])
async def test_folders_in_folders_count_as_files(
    sandbox: Sandbox, place: Place, python: Python, files: int
) -> None:
    if place.tier is None and files == 2_000:
        pytest.skip("a container's supervisor finds its time used up before that")
    source = "import os\nwhile True:\n    os.mkdir('d' * 50)\n    os.chdir('d' * 50)"
    done = await sandbox.run(python(source, limits=ResourceLimits(files=files, seconds=30)))
    assert done.limit == "files"


async def test_open_files_without_a_name_count(sandbox: Sandbox, python: Python) -> None:
    source = (
        "import os, time\n"
        "for n in range(64):\n"
        "    file = os.open('f', os.O_RDWR | os.O_CREAT)\n"
        "    os.unlink('f')\n"
        "    os.write(file, bytes(1 << 20))\n"
        "time.sleep(5)"
    )
    done = await sandbox.run(python(source, limits=ResourceLimits(disk_mb=8)))
    assert done.limit == "disk_mb" or b"No space left on device" in done.stderr


async def test_large_limits_are_allowed(sandbox: Sandbox, python: Python) -> None:
    limits = ResourceLimits(
        seconds=120, memory_mb=1 << 20, file_bytes=1 << 40, processes=4_000, output_bytes=1 << 30
    )
    assert (await sandbox.run(python("import json", limits=limits))).ok
