"""The clock of a run: which one decides, and a step that is cancelled when its time is over."""

from collections.abc import Awaitable, Callable
from contextvars import Token
from math import inf
from types import TracebackType
from typing import Any, TypeVar

import anyio

from planish.abc import Clock, WaitingClock
from planish.clock import SYSTEM_CLOCK
from planish.context.scope import Scope, changed, current, enter, leave
from planish.errors import WiringError

__all__ = ["current_clock", "run_for", "use_clock"]

R = TypeVar("R")


def current_clock() -> Clock:
    """Return the clock of the running code: that of `use_clock`, else the system's."""
    return current().clock


class use_clock:  # noqa: N801 - reads as the verb it is: `async with use_clock(clock):`
    """Set the clock of the runs inside an `async with` block, for tests and replays.

    All time that decides something is read from it: when a `Timeout` or the `seconds` of a
    `budget(...)` are over, and the seconds that stop rules of a `Retry` see, unless that has a
    clock of its own. Models wait between their tries by their own `clock=`, and sandboxes limit
    programs by real time.

    Args:
        clock: The clock. One with `wait_until` (`planish.abc.WaitingClock`), as
            `planish.testing.FakeClock`, is not made to pass by waiting for the end of a time.

    Raises:
        WiringError: the clock does not have `now` and `sleep`.
    """

    __slots__ = ("_clock", "_token")

    def __init__(self, clock: Clock) -> None:
        kind: Any = type(clock)
        if kind is type or not issubclass(kind, Clock):
            raise WiringError(
                f"use_clock({clock!r}): a clock is an object with `now` and `sleep`, such as "
                "planish.testing.FakeClock()"
            )
        self._clock = clock

    async def __aenter__(self) -> Clock:
        self._token: Token[Scope] = enter(changed(current(), clock=self._clock))
        return self._clock

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave(self._token)


async def run_for(call: Callable[[], Awaitable[R]], seconds: float, clock: Clock) -> list[R]:
    """Run a step, and cancel it after a time.

    Args:
        call: Runs the step.
        seconds: The time.
        clock: What it is measured by.

    Returns:
        The result of the step; nothing if it was cancelled.
    """
    results: list[R] = []
    if clock is SYSTEM_CLOCK:
        with anyio.move_on_after(seconds):
            results.append(await call())
        return results
    end = clock.now() + seconds
    raised: list[BaseException] = []
    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as step:

            async def watch() -> None:
                if seconds == inf:
                    return
                if isinstance(clock, WaitingClock):
                    await clock.wait_until(end)
                else:
                    await clock.sleep(max(0.0, end - clock.now()))
                step.cancel()

            group.start_soon(watch)
            try:
                results.append(await call())
            except anyio.get_cancelled_exc_class():
                raise
            except BaseException as error:  # noqa: BLE001 - raised below, in no group
                raised.append(error)
        group.cancel_scope.cancel()
    if raised:
        raise raised[0]
    return results
