"""What a program and all it has started have used: computing, waiting, and time at all."""

import os
import signal
import time

import pytest
from tests.guest.conftest import Started
from tests.guest.linux.children import in_child

from planish.guest.e2b import usage
from planish.guest.e2b.usage import Usage


def compute(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_what_computes_is_measured_while_it_lives_and_when_it_is_gone(started: Started) -> None:
    used = Usage()

    def act() -> None:
        compute(0.15)
        signal.pause()

    child = started(act)
    while used.cpu < 0.1:
        used.look([child])
        time.sleep(0.01)
    assert used.idle < 0.1
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    used.look([])
    assert 0.1 <= used.cpu < 1.0
    assert not used.over(1.0, 60.0)
    assert used.over(0.1, 60.0)


def test_what_was_used_before_does_not_count(started: Started) -> None:
    os.waitpid(started(lambda: compute(0.1)), 0)
    used = Usage()
    used.look([])
    assert used.cpu == 0.0


def test_children_of_which_nothing_is_reaped_count_as_they_were_seen_last() -> None:
    def act() -> object:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # their time is charged to no parent
        used = Usage()
        child = os.fork()
        if child == 0:
            compute(0.15)
            signal.pause()
        while used.cpu < 0.1:
            used.look([child])
            time.sleep(0.01)
        before = used.cpu
        os.kill(child, signal.SIGKILL)
        while os.path.exists(f"/proc/{child}/stat"):  # noqa: PTH110
            time.sleep(0.01)
        used.look([])
        used.look([])
        return [before, used.cpu]

    before, after = in_child(act)
    assert before == after >= 0.1


def test_children_that_are_reaped_by_the_program_count(started: Started) -> None:
    def act() -> None:
        if os.fork() == 0:
            compute(0.15)
            os._exit(0)
        os.wait()
        signal.pause()

    used = Usage()
    child = started(act)
    deadline = time.monotonic() + 20
    while used.cpu < 0.1 and time.monotonic() < deadline:
        used.look([child])
        time.sleep(0.01)
    assert used.cpu >= 0.1


def test_waiting_is_measured_apart_from_computing(started: Started) -> None:
    used = Usage()
    child = started(signal.pause)
    used.look([child])
    time.sleep(0.25)
    used.look([child])
    assert 0.2 <= used.idle < 2.0
    assert used.cpu < 0.1
    idle = used.idle
    used.look([child])  # too soon to measure
    assert used.idle == idle
    assert used.over(idle / 2, 60.0)
    assert not used.over(idle / 2 + 0.01, 60.0)


@pytest.mark.parametrize(
    ("cpu", "idle", "over"),
    [(0.99, 1.99, False), (1.0, 0.0, True), (0.0, 2.0, True), (0.0, 0.0, False)],
)
def test_a_limit_is_passed_where_it_is_reached(cpu: float, idle: float, *, over: bool) -> None:
    used = Usage()
    used.cpu, used.idle = cpu, idle
    assert used.over(1.0, 60.0) is over


def test_time_at_all_is_limited_whatever_it_does() -> None:
    used = Usage()
    time.sleep(0.02)
    assert used.over(60.0, 0.01)
    assert not used.over(60.0, 60.0)


def test_waiting_for_a_processor_is_not_idle(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays = iter([0.0, 10.0, 10.0])

    def delay(_pid: int) -> float:
        return next(delays)

    monkeypatch.setattr(usage, "_delay", delay)
    used = Usage()
    child = started(signal.pause)
    for expected in (True, False, True):
        idle = used.idle
        time.sleep(0.11)
        used.look([child])
        assert (used.idle > idle) == expected


def test_a_process_that_is_gone_has_used_nothing(started: Started) -> None:
    child = started(lambda: None)
    os.waitpid(child, 0)
    used = Usage()
    used.look([child])
    assert used.cpu == pytest.approx(0.0, abs=0.05)
