"""The time of a program by what the kernel shows: processors used, idle time, time at all."""

import os
from types import SimpleNamespace

import pytest

from planish.guest.supervisor import clock as clock_module
from planish.guest.supervisor.clock import Clock

TICKS = os.sysconf("SC_CLK_TCK")
NANO = 1_000_000_000


class Kernel:
    """Time, and by process what /proc shows of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 500.0
        self.own = 3.0  # processor time of the process that looks
        self.cost = 0.0  # of each look
        self.reaped = 0.0
        self.used: dict[int, float] = {}
        self.threads: dict[int, dict[int, tuple[float, float]]] = {}  # ran, waited
        self.clocks: dict[int, float] = {}
        monkeypatch.setattr(clock_module, "time", self)
        monkeypatch.setattr(clock_module, "resource", self)
        monkeypatch.setattr(clock_module, "_read", self.read)
        monkeypatch.setattr(clock_module, "_names", self.names)

    RUSAGE_CHILDREN = "children"

    def getrusage(self, who: str) -> SimpleNamespace:
        assert who == "children"
        return SimpleNamespace(ru_utime=self.reaped / 4, ru_stime=self.reaped * 3 / 4)

    def monotonic(self) -> float:
        return self.now

    def process_time(self) -> float:
        self.own += self.cost
        return self.own

    def clock_gettime(self, number: int) -> float:
        pid = ~(number >> 3)
        if number & 7 != 2 or pid not in self.clocks:
            raise ProcessLookupError
        return self.clocks[pid]

    def names(self, folder: str) -> list[str]:
        _, proc, pid, task = folder.split("/")
        assert (proc, task) == ("proc", "task")
        return [str(thread) for thread in self.threads.get(int(pid), {})]

    def read(self, path: str) -> bytes:
        pid, *rest = path.removeprefix("/proc/").split("/")
        if rest == ["stat"]:
            if int(pid) not in self.used:
                return b""
            ticks = round(self.used[int(pid)] * TICKS)
            times = [ticks // 2, ticks - ticks // 2, 0, 0]
            return b"7 (a) b) S " + b" ".join(b"%d" % n for n in [*[9] * 10, *times, *[9] * 9])
        ran, waited = self.threads[int(pid)][int(rest[1])]
        return b"%d %d 5" % (ran * NANO, waited * NANO)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """A kernel without processes."""
    return Kernel(monkeypatch)


def test_what_all_processes_compute_counts_and_nothing_before(kernel: Kernel) -> None:
    kernel.used = {7: 2.0, 8: 1.0}
    kernel.reaped = 4.0
    clock = Clock(10.0, [7, 8])
    kernel.used = {7: 2.5, 8: 1.25}
    kernel.reaped = 4.5
    clock.look([7, 8])
    assert clock.cpu == pytest.approx(1.25)
    kernel.used = {}
    kernel.reaped = 8.25
    clock.look([7, 8])
    assert clock.cpu == pytest.approx(1.25)  # never falls
    kernel.reaped = 9.0
    assert clock.end() == clock.cpu == pytest.approx(2.0)


def test_a_process_that_shows_nothing_is_read_by_its_clock(kernel: Kernel) -> None:
    kernel.clocks = {7: 1.0}
    clock = Clock(10.0, [7, 8])
    kernel.clocks = {7: 1.5, 9: 4.0}
    clock.look([7, 8])
    assert clock.cpu == pytest.approx(0.5)


def test_threads_that_leave_no_trace_count_as_they_were_seen(kernel: Kernel) -> None:
    kernel.threads = {7: {7: (5.0, 0.0)}}
    clock = Clock(10.0, [7])
    for ran in (5.5, 6.0):
        kernel.threads = {7: {7: (ran, 0.0), 70: (0.25, 0.0)}}
        clock.look([7])
    assert clock.cpu == pytest.approx(1.25)
    kernel.threads = {}
    clock.look([7])
    assert clock.cpu == pytest.approx(1.25)


def test_time_is_idle_where_nothing_ran_or_waited_for_a_processor(kernel: Kernel) -> None:
    kernel.used = {7: 0.0}
    kernel.threads = {7: {7: (0.0, 1.0)}}
    clock = Clock(10.0, [7])
    kernel.now += 3.0
    clock.look([7])
    assert clock.idle == pytest.approx(3.0)
    kernel.now += 2.0
    kernel.used, kernel.threads = {7: 1.0}, {7: {7: (0.0, 1.5)}}  # 1 s ran, 0.5 s waited
    clock.look([7])
    assert clock.idle == pytest.approx(3.5)
    kernel.now += 1.0
    kernel.used, kernel.threads = {7: 9.0}, {}
    clock.look([7])  # more than passed: a look had missed some, but not much is believed
    assert clock.idle == pytest.approx(3.45)
    clock.look([7])
    assert clock.idle == pytest.approx(3.45)


@pytest.mark.parametrize(
    ("cpu", "idle", "wall", "over"),
    [
        *((0.0, 0.0, 0.0, False), (1.99, 0.0, 1.99, False), (2.0, 0.0, 2.0, True)),
        *((0.0, 3.99, 3.99, False), (0.0, 4.0, 4.0, True)),
        *((0.0, 0.0, 39.99, False), (0.0, 0.0, 40.0, True)),
    ],
)
def test_each_limit_is_a_multiple_of_the_seconds(
    kernel: Kernel, cpu: float, idle: float, wall: float, *, over: bool
) -> None:
    kernel.used, kernel.threads = {7: 0.0}, {7: {7: (0.0, 0.0)}}
    clock = Clock(2.0, [7])
    kernel.now += wall
    kernel.used = {7: cpu}
    kernel.threads = {7: {7: (0.0, wall - idle - cpu)}}  # it waited for a processor
    assert clock.over([7]) is over
    assert clock.wall == pytest.approx(wall)


def test_a_look_is_not_taken_before_ten_times_its_cost_has_passed(kernel: Kernel) -> None:
    kernel.used = {7: 0.0}
    clock = Clock(1.0, [7])
    kernel.cost = 0.25
    assert not clock.over([7])
    kernel.used = {7: 5.0}
    kernel.now += 2.25
    assert not clock.over([7])
    kernel.now += 0.25
    assert clock.over([7])


def test_it_says_how_long_no_limit_can_be_passed(kernel: Kernel) -> None:
    kernel.used = {7: 0.0}
    clock = Clock(2.0, [7])
    assert clock.wait() == pytest.approx(2.0)
    kernel.used, kernel.now = {7: 0.5}, kernel.now + 0.5
    clock.look([7])
    assert clock.wait() == pytest.approx(1.5)
    kernel.now += 3.0
    clock.look([7])
    assert clock.wait() == pytest.approx(1.0)
    kernel.used = {7: 9.0}
    clock.look([7])
    assert clock.wait() == 0.001


def test_the_real_kernel_is_read() -> None:
    clock = Clock(60.0, [os.getpid()])
    until = os.times().user + 0.1
    while os.times().user < until:
        pass
    clock.look([os.getpid()])
    assert 0.05 < clock.cpu < 5.0
    clock.look([2**22 + 1])
