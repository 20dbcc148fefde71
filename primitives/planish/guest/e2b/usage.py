"""What a program and all it has started have used of the processors, and how long they waited."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["Usage"]

_TICKS = os.sysconf("SC_CLK_TCK")
_STEP = 0.1  # seconds over which waiting is measured: the kernel counts in steps of 0.01
_IDLE_FACTOR = 2  # of the time limit: how long a program may wait
_OWN = slice(11, 13)  # fields of /proc/<pid>/stat after the name: user and system time
_REAPED = slice(13, 15)  # the same of children that have ended
_STARTED = 19


class Usage:
    """The time a program has used, from its start on.

    Attributes:
        cpu: CPU seconds of all its processes, those included that have ended.
        idle: Seconds in which it neither computed nor waited for a processor.
    """

    def __init__(self) -> None:
        self.cpu: float = 0.0
        self.idle: float = 0.0
        self._begin = self._step = time.monotonic()
        self._reaped_before = _reaped()
        self._seen: dict[tuple[int, str], float] = {}
        self._gone = 0.0  # CPU seconds of processes that are no more, as they were last seen
        self._step_cpu = self._step_delay = 0.0

    def look(self, pids: Iterable[int]) -> None:
        """Measure the processes that live now."""
        known, delay = _reaped() - self._reaped_before, 0.0
        seen: dict[tuple[int, str], float] = {}
        for pid in pids:
            fields = _stat(pid)
            if fields:
                own = _seconds(fields[_OWN])
                known += own + _seconds(fields[_REAPED])
                seen[pid, fields[_STARTED]] = own
                delay += _delay(pid)
        self._gone += sum(own for key, own in self._seen.items() if key not in seen)
        self._seen = seen
        # A parent that ignores the end of its children is not charged for them: so both are kept.
        self.cpu = max(self.cpu, known, self._gone + sum(seen.values()))
        self._wait(delay)

    def _wait(self, delay: float) -> None:
        now = time.monotonic()
        if now - self._step >= _STEP:
            busy = self.cpu - self._step_cpu + max(0.0, delay - self._step_delay)
            self.idle += max(0.0, now - self._step - busy)
            self._step, self._step_cpu, self._step_delay = now, self.cpu, delay

    def over(self, seconds: float, wall_seconds: float) -> bool:
        """Return whether the program has used up its time.

        Args:
            seconds: It may compute for so long, and wait for twice as long.
            wall_seconds: It may last so long at all.
        """
        return (
            self.cpu >= seconds
            or self.idle >= _IDLE_FACTOR * seconds
            or time.monotonic() - self._begin >= wall_seconds
        )


def _reaped() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _stat(pid: int) -> list[str]:
    with suppress(OSError):
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        return text.rpartition(")")[2].split()
    return []


def _seconds(ticks: list[str]) -> float:
    return sum(map(int, ticks)) / _TICKS


def _delay(pid: int) -> float:
    """Return for how long the threads of a process waited for a processor; 0 if not known."""
    nanoseconds = 0
    with suppress(OSError):
        for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with suppress(OSError, ValueError, IndexError):
                nanoseconds += int(file.read_text("ascii").split()[1])
    return nanoseconds / 1e9
