"""Time that passes only when told to."""

import anyio.lowlevel

__all__ = ["FakeClock"]


class FakeClock:
    """A clock for tests: sleeping takes no time, and is remembered.

    Args:
        now: Where it begins, in seconds; 0.0 by default.
    """

    def __init__(self, now: float = 0.0) -> None:
        self._now = now
        self.slept: list[float] = []
        """Every sleep, in seconds."""

    def now(self) -> float:
        """The time, in seconds."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Let the time pass at once."""
        self.slept.append(seconds)
        self.advance(seconds)
        await anyio.lowlevel.checkpoint()

    def advance(self, seconds: float) -> None:
        """Let the time pass."""
        self._now += seconds
