"""Limits of a run as a whole: memory, files and processes together, and time."""

from collections.abc import Callable

import pytest

from planish.data.program import Program, ResourceLimits
from planish_integrations.local import LocalSandbox, Tier

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

HOGS = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(60 << 20)
        for i in range(0, len(held), 4096): held[i] = 1
        time.sleep(30)
        os._exit(0)
time.sleep(30)
"""


async def test_memory_through_many_processes_is_counted_together(
    sandbox: LocalSandbox, python: Python
) -> None:
    limits = ResourceLimits(memory_mb=200, seconds=25)
    completed = await sandbox.run(python(HOGS, limits=limits))
    assert completed.limit == "memory_mb"


async def test_what_a_program_could_catch_is_its_own_affair(
    sandbox: LocalSandbox, python: Python
) -> None:
    source = "try:\n    bytearray(2 << 30)\nexcept MemoryError:\n    print('caught')"
    completed = await sandbox.run(python(source, limits=ResourceLimits(memory_mb=512)))
    assert (completed.ok, completed.stdout) == (True, b"caught\n")


async def test_many_files_fill_the_disk(sandbox: LocalSandbox, python: Python) -> None:
    source = "import time\nfor n in range(64):\n    open(str(n), 'wb').write(bytes(1 << 20))\n"
    source += "time.sleep(5)"
    completed = await sandbox.run(python(source, limits=ResourceLimits(disk_mb=8, seconds=20)))
    assert not completed.ok
    assert completed.limit == "disk_mb"


async def test_empty_files_are_counted_too(sandbox: LocalSandbox, python: Python) -> None:
    source = "import time\nfor n in range(2000): open(str(n), 'w').close()\ntime.sleep(5)"
    completed = await sandbox.run(python(source, limits=ResourceLimits(files=300, seconds=20)))
    assert not completed.ok
    assert completed.limit == "files"


async def test_forks_are_counted(sandbox: LocalSandbox, python: Python, tier: Tier) -> None:
    source = """
import os, time
made = 0
try:
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        made += 1
except OSError:
    print(made)
"""
    completed = await sandbox.run(python(source, limits=ResourceLimits(processes=20, seconds=20)))
    if completed.limit != "processes":  # the landlock tier may notice it first
        assert 15 <= int(completed.stdout) <= 19
    assert tier


async def test_the_time_limit_holds_for_all_that_was_started(
    sandbox: LocalSandbox, python: Python
) -> None:
    source = "import os\nos.fork(); os.fork()\nwhile True: pass"
    completed = await sandbox.run(python(source, limits=ResourceLimits(seconds=0.5)))
    assert completed.limit == "seconds"
    assert completed.signal == 9
    assert completed.duration < 10


async def test_huge_limits_within_reason_are_fine(sandbox: LocalSandbox, python: Python) -> None:
    limits = ResourceLimits(seconds=86_400, memory_mb=1 << 20, file_bytes=1 << 40, processes=4_000)
    assert (await sandbox.run(python("import json", limits=limits))).ok


async def test_memory_is_shared_by_files_and_not_by_anonymous_mappings(
    sandbox: LocalSandbox, python: Python
) -> None:
    source = """
import mmap, os
try: mmap.mmap(-1, 4096)
except OSError as error: print(error.errno)
mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE)
with open("shared", "wb+") as file:
    file.truncate(1 << 20)
    memory = mmap.mmap(file.fileno(), 1 << 20)
if os.fork() == 0:
    memory[:5] = b"hello"
    os._exit(0)
os.wait()
print(memory[:5])
try: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 4096)
except OSError as error: print(error.errno in (13, 19))
"""
    completed = await sandbox.run(python(source))
    assert completed.stdout == b"12\nb'hello'\nTrue\n", completed
