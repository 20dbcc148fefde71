"""The time of a candidate: what it computes, and what it idles, but not what others take."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from planish.guest.verifier.clock import Clock


@pytest.fixture
def sleeper() -> Iterator[int]:
    """A process that sleeps."""
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; print(1, flush=True); time.sleep(60)"],
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.readline()
    yield child.pid
    child.kill()
    child.wait()
    child.stdout.close()


def test_idle_time_counts_to_twice_the_limit(sleeper: int) -> None:
    clock = Clock(sleeper, 5.0)
    clock.waited(9.9)
    assert not clock.over()
    clock.waited(0.2)
    assert clock.over()


def test_a_clock_begins_at_nothing(sleeper: int) -> None:
    clock = Clock(sleeper, 1000.0)
    for _ in range(3):
        clock.waited(600.0)
        assert not clock.over()
    clock.waited(600.0)
    assert clock.over()


def test_time_in_which_it_computes_is_not_idle() -> None:
    # In a process of its own: this one may have children, with which idle time does not count.
    computes = """
import os, time
from planish.guest.verifier.clock import Clock

clock = Clock(os.getpid(), 1000.0)
until = time.process_time() + 0.05
while time.process_time() < until:
    pass
clock.waited(0.04)
clock.waited(1999.999)  # all of it idle: the first 40 ms were not
assert not clock.over()
clock.waited(60.0)  # much more than this process can have waited for a processor meanwhile
assert clock.over()
"""
    subprocess.run([sys.executable, "-c", computes], check=True)


def test_what_it_has_computed_counts() -> None:
    used = time.process_time()
    assert Clock(os.getpid(), used / 2).over()
    assert not Clock(os.getpid(), used + 100).over()


def test_with_children_idle_time_does_not_count() -> None:
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    try:
        clock = Clock(os.getpid(), 1000.0)
        clock.waited(10_000.0)
        assert not clock.over()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_process_that_is_no_more_has_used_nothing() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    clock = Clock(child, 0.01)
    clock.waited(10_000.0)
    assert not clock.over()
