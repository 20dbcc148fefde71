"""Who descends from a process, and the memory of all of them, as /proc shows it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from planish.guest.zygote._tree import descendants, resident_memory, shared_out_memory, slurp

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


def test_what_is_shared_is_divided(family: int) -> None:
    pids = [family, *(pid for pid, _ in descendants(family))]
    assert resident_memory(pids) > 5 * (30 << 20)
    assert 30 << 20 < shared_out_memory(pids) < 3 * (30 << 20)
    assert resident_memory([]) == shared_out_memory([]) == 0


def test_what_is_gone_counts_nothing() -> None:
    gone = 2**22 + 1
    assert list(descendants(gone)) == []
    assert resident_memory([gone]) == shared_out_memory([gone]) == 0
    assert slurp(f"/proc/{gone}/stat") == b""
    assert slurp("/proc/self") == b""
    large = slurp("/proc/self/smaps")
    assert large.count(b"\n") > 1000
