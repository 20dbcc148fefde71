"""Two ways to find descendants find the same, and memory is counted once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from planish.guest.unsafe.planish_warden import _tree

TREE = """
import os, sys, threading, time
data = bytearray(b'x') * (30 << 20)
for _ in range(3):
    if os.fork() == 0:
        os.fork()
        threading.Thread(target=time.sleep, args=(30,)).start()
        time.sleep(30)
        os._exit(0)
threading.Thread(target=lambda: os.fork() or time.sleep(30)).start()
time.sleep(0.3)
print('ready', flush=True)
time.sleep(30)
"""


@pytest.fixture
def family() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", TREE], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        yield process.pid
        for pid, _ in list(_tree.by_scan(process.pid)):
            os.kill(pid, signal.SIGKILL)
        process.kill()


def test_both_ways_find_all_descendants_with_their_threads(family: int) -> None:
    found = dict(_tree.by_children_files(family))
    assert sorted(found.values()) == [1, 2, 2, 2, 2, 2, 2]
    assert dict(_tree.by_scan(family)) == found


def test_a_command_name_cannot_mislead_the_scan() -> None:
    source = "import time; open('/proc/self/comm', 'w').write(') R 1 (x'); print(flush=True)\n"
    with subprocess.Popen(
        [sys.executable, "-c", source + "time.sleep(30)"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        assert (process.pid, 1) in list(_tree.by_scan(os.getpid()))
        process.kill()


def test_shared_memory_counts_once(family: int) -> None:
    pids = [family, *dict(_tree.by_scan(family))]
    assert _tree.resident_memory(pids) > 4 * (30 << 20)
    assert (30 << 20) < _tree.private_memory(pids) < 3 * (30 << 20)


def test_who_has_gone_counts_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    time.sleep(0.01)
    assert _tree.resident_memory([process.pid]) == 0
    assert _tree.private_memory([process.pid]) == 0
    assert list(_tree.by_children_files(process.pid)) == []
    assert list(_tree.by_scan(process.pid)) == []
