"""A clock for tests, whose time advances only by calls."""

from collections.abc import Mapping
from typing import Any

import anyio
import anyio.lowlevel

from planish.arguments import require_number

__all__ = ["FakeClock"]


class FakeClock:
    """A clock whose sleeps return at once, advance its time and are recorded.

    `async with planish.effects.use_clock(clock):` makes it the clock of runs: a `Timeout` ends
    when calls of `sleep` and `advance` have brought its time.

    Args:
        now: The initial time in seconds; 0.0 by default.

    Raises:
        ValueError: it is no number.
    """

    def __init__(self, now: float = 0.0) -> None:
        require_number("FakeClock", "now", now)
        self._start = self._now = now
        self.sleeps: list[float] = []
        """The duration of each sleep in seconds, in order."""
        self._waiting: list[tuple[float, anyio.Event]] = []

    def config(self) -> Mapping[str, Any]:
        """Return the initial time, for fingerprints."""
        return {"now": self._start}

    def __reduce__(self) -> "tuple[type[FakeClock], tuple[float]]":
        return FakeClock, (self._start,)

    def __repr__(self) -> str:
        return f"FakeClock({self._start!r})"

    def now(self) -> float:
        """Return the clock's time in seconds."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Advance the time by `seconds` at once, and record the sleep."""
        self.sleeps.append(seconds)
        self.advance(seconds)
        await anyio.lowlevel.checkpoint()

    def advance(self, seconds: float) -> None:
        """Advance the time by `seconds`, and wake those that wait for a time that has come."""
        self._now += seconds
        for time, event in self._waiting:
            if time <= self._now:
                event.set()

    async def wait_until(self, time: float) -> None:
        """Wait until calls have advanced the clock to this time."""
        entry = (time, anyio.Event())
        self._waiting.append(entry)
        try:
            while self._now < time:
                await entry[1].wait()
        finally:
            self._waiting.remove(entry)
