"""Measure the processor time that a tree of processes has used, and how long it was idle.

The load of the machine changes neither: time in which a process waits for a processor is not
counted. Where there is no /proc, processes that still run are not seen, and all time is idle.
"""
# ruff: noqa: PTH208  # pathlib costs milliseconds at each start

import os
import resource
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["IDLE", "WALL", "Clock"]

IDLE = 2
"""Factor: a program may be idle for so many times its limit on processor time."""
WALL = 20
"""Factor: a program may last for so many times its limit on processor time."""

_TICKS: int = os.sysconf("SC_CLK_TCK")
_NANO = 1_000_000_000
_CPU_OF_PROCESS = 2  # linux/posix-timers.h: CPUCLOCK_SCHED, of a whole process
_CREDIT = 0.05  # seconds of processor that a look may have missed, and the next one finds
_SHARE = 10  # a look is not taken before this many times its own cost have passed


class Clock:
    """Measures the time of one program, and compares it with its limits.

    Args:
        seconds: Its limit on processor time.
        pids: Its processes now. What they have used before does not count.
        reaper: The process that waits for those of them that end; None: this process, whether
            it is an ordinary one, a subreaper, or process 1 of a container.
        longest: Seconds that it may last; default: `WALL` times `seconds`.

    Attributes:
        cpu: Seconds of processor that all its processes have used, those that ended included.
        idle: Seconds in which none of them ran or waited for a processor.
    """

    def __init__(
        self,
        seconds: float,
        pids: "Iterable[int]",
        reaper: "int | None" = None,
        longest: "float | None" = None,
    ) -> None:
        self.cpu: float = 0.0
        self.idle: float = 0.0
        self._seconds = seconds
        self._longest = WALL * seconds if longest is None else longest
        self._reaper = reaper
        self._peak = 0.0  # of `idle`, which may fall by as much as a look had missed
        self._threads: dict[int, tuple[int, int]] = {}
        self._ran = 0  # nanoseconds that were seen in threads, also of those that leave no trace
        self._before = 0.0
        self._before = self._used(pids)
        self._scheduled(pids)
        self._ran = 0
        self._started = self._last = time.monotonic()
        self._next = 0.0

    @property
    def wall(self) -> float:
        """Return the seconds since the program began."""
        return time.monotonic() - self._started

    def wait(self) -> float:
        """Return the seconds until a limit can be passed, by one process."""
        idle = IDLE * self._seconds - self.idle
        return max(0.001, min(self._seconds - self.cpu, idle))

    def over(self, pids: "Iterable[int]") -> bool:
        """Measure, unless that was just done; return whether the program has passed a limit."""
        if time.monotonic() < self._next:
            return False
        cost = time.process_time()
        self.look(pids)
        self._next = self._last + _SHARE * (time.process_time() - cost)
        most = self._seconds
        return self.cpu >= most or self.idle >= IDLE * most or self.wall >= self._longest

    def look(self, pids: "Iterable[int]") -> None:
        """Add what has been used since the last measurement."""
        now = time.monotonic()
        passed, self._last = now - self._last, now
        waited = self._scheduled(pids)
        cpu = max(self.cpu, self._used(pids), self._ran / _NANO)
        busy, self.cpu = cpu - self.cpu + waited / _NANO, cpu
        self.idle = max(0.0, self._peak - _CREDIT, self.idle + passed - busy)
        self._peak = max(self._peak, self.idle)

    def end(self, reaped: "float | None" = None) -> float:
        """Return the processor time used, when all its processes have ended.

        Args:
            reaped: What the reaper found that they have used; None: this process is the reaper.
        """
        self.cpu = max(self.cpu, self._used(()) if reaped is None else reaped)
        return self.cpu

    def _used(self, pids: "Iterable[int]") -> float:
        """Return the seconds used by these processes and by those that have been waited for."""
        ticks, seconds = 0, 0.0
        if self._reaper is None:
            ours = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = ours.ru_utime + ours.ru_stime
        else:
            ticks = sum(map(int, _times(self._reaper)[2:]))
        for pid in pids:
            times = _times(pid)
            ticks += sum(map(int, times))
            if not times:
                seconds += self._cpu_of(pid)
        return ticks / _TICKS + seconds - self._before

    def _cpu_of(self, pid: int) -> float:
        """Read a process's own clock, which needs no /proc; 0 where there is no such process."""
        if self._reaper == 1:  # of another pid namespace, which this process is not in
            return 0.0
        try:
            return time.clock_gettime((~pid << 3) | _CPU_OF_PROCESS)
        except OSError:
            return 0.0

    def _scheduled(self, pids: "Iterable[int]") -> int:
        """Return nanoseconds for which threads waited for a processor since the last time."""
        waited = 0
        before, self._threads = self._threads, {}
        for pid in pids:
            for thread in _names(f"/proc/{pid}/task"):
                numbers = _read(f"/proc/{pid}/task/{thread}/schedstat").split()
                if len(numbers) > 1:
                    ran, held_up = int(numbers[0]), int(numbers[1])
                    ran_before, held_up_before = before.get(int(thread), (0, 0))
                    self._threads[int(thread)] = ran, held_up
                    self._ran += max(0, ran - ran_before)
                    waited += max(0, held_up - held_up_before)
        return waited


def _times(pid: int) -> list[bytes]:
    """Return ticks in user and system mode, its own and of its children; [] if it is unknown."""
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[11:15]  # the 14th to the 17th


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []  # it has ended meanwhile, or /proc is closed


def _read(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, 4096)
    except OSError:
        return b""
    finally:
        os.close(file)
