"""Who descends from a process, and the memory of all of them, as /proc shows it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from planish.guest.supervisor.memory import resident_memory, used_memory
from planish.guest.supervisor.processes import by_children_files, by_scan, descendants, slurp

FAMILY = """
import os, threading
data = bytearray(b'x') * (30 << 20)
read, write = os.pipe()
for _ in range(2):
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        os.write(write, b'x')
        threading.Event().wait()
for _ in range(4):
    os.read(read, 1)
print('ready', flush=True)
threading.Event().wait()
"""


@pytest.fixture
def family() -> Iterator[int]:
    """A process with two children and two grandchildren of two threads each."""
    with subprocess.Popen([sys.executable, "-S", "-c", FAMILY], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = [pid for pid, _ in descendants(process.pid)]
        yield process.pid
        for pid in [*found, process.pid]:
            os.kill(pid, signal.SIGKILL)


def test_all_descendants_are_found_with_their_threads(family: int) -> None:
    found = dict(descendants(family))
    assert list(found.values()) == [2, 2, 2, 2]
    assert family not in found
    parents = {slurp(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1] for pid in found}
    assert str(family).encode() in parents
    assert len(parents) == 3


def test_both_ways_to_find_descendants_find_the_same(family: int) -> None:
    assert dict(by_scan(family)) == dict(by_children_files(family))


def test_a_command_name_cannot_mislead_the_scan() -> None:
    source = "import time; open('/proc/self/comm', 'w').write(') R 1 (x'); print(flush=True)\n"
    with subprocess.Popen(
        [sys.executable, "-c", source + "time.sleep(30)"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        assert (process.pid, 1) in list(by_scan(os.getpid()))
        process.kill()


def test_what_is_shared_is_divided(family: int) -> None:
    pids = [family, *(pid for pid, _ in descendants(family))]
    assert resident_memory(pids) > 5 * (30 << 20)
    assert 30 << 20 < used_memory(pids) < 3 * (30 << 20)
    assert resident_memory([]) == used_memory([]) == 0


def test_what_is_gone_counts_nothing() -> None:
    gone = 2**22 + 1
    assert list(descendants(gone)) == list(by_scan(gone)) == []
    assert resident_memory([gone]) == used_memory([gone]) == 0
    assert slurp(f"/proc/{gone}/stat") == b""
    assert slurp("/proc/self") == b""
    large = slurp("/proc/self/smaps")
    assert large.count(b"\n") > 1000
