"""How much time the candidate's process has used."""

from __future__ import annotations

import time
from os import listdir

__all__ = ["Clock"]

_SCHEDULED = 2  # of a CPU clock's number: the time that the scheduler gave (CPUCLOCK_SCHED)
_BILLION = 1e9


class Clock:
    """Measures a process against a limit, so that load on the machine does not count.

    Its CPU time counts, and so does time in which it was waited for, did nothing and waited for
    no processor. Where the system does not tell that (`/proc` is closed), or the process has
    children that may be at work, idle time does not count here: the sandbox's own limit holds.

    Args:
        pid: The process.
        seconds: The most CPU seconds, and half of the idle ones.
    """

    def __init__(self, pid: int, seconds: float) -> None:
        self._number = ~pid << 3 | _SCHEDULED  # what clock_getcpuclockid(3) computes
        self._tasks = f"/proc/{pid}/task"
        self._seconds = seconds
        self._idle = 0.0
        self._last = self._busy()

    def waited(self, seconds: float) -> None:
        """Count wall time in which an answer was waited for."""
        now = self._busy()
        if now is not None and self._last is not None:
            self._idle += max(0.0, seconds - (now - self._last))
        self._last = now

    def over(self) -> bool:
        """Tell whether the limit is reached."""
        return self._cpu() >= self._seconds or self._idle >= 2 * self._seconds

    def _cpu(self) -> float:
        try:
            return time.clock_gettime(self._number)
        except OSError:  # it is no more
            return 0.0

    def _busy(self) -> float | None:
        """Return seconds its threads ran, or could have run but for others; None where unknown."""
        total = 0
        try:
            for task in listdir(self._tasks):  # noqa: PTH208  # pathlib costs 10 ms
                with open(f"{self._tasks}/{task}/children", "rb") as file:  # noqa: PTH123  # slow
                    if file.read():
                        return None
                with open(f"{self._tasks}/{task}/schedstat", "rb") as file:  # noqa: PTH123
                    ran, queued, _ = file.read().split()
                total += int(ran) + int(queued)
        except (OSError, ValueError):
            return None
        return total / _BILLION
