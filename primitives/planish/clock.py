"""`SYSTEM_CLOCK`, the `Clock` of real time."""

import time

import anyio

from planish.abc import Clock

__all__ = ["SYSTEM_CLOCK"]


class _SystemClock:
    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    def __repr__(self) -> str:
        return "SYSTEM_CLOCK"


SYSTEM_CLOCK: Clock = _SystemClock()
"""The clock of real time: the default of every `clock=` parameter."""
