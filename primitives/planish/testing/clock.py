"""A clock for tests, whose time advances only by calls."""

import anyio.lowlevel

__all__ = ["FakeClock"]


class FakeClock:
    """A clock whose sleeps return at once, advance its time and are recorded.

    Args:
        now: The initial time in seconds; 0.0 by default.
    """

    def __init__(self, now: float = 0.0) -> None:
        self._now = now
        self.sleeps: list[float] = []
        """The duration of each sleep in seconds, in order."""

    def now(self) -> float:
        """Return the clock's time in seconds."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Advance the time by `seconds` at once, and record the sleep."""
        self.sleeps.append(seconds)
        self.advance(seconds)
        await anyio.lowlevel.checkpoint()

    def advance(self, seconds: float) -> None:
        """Advance the time by `seconds`."""
        self._now += seconds
