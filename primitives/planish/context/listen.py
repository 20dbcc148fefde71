"""`listen`: hear what happens during a run."""

from contextvars import Token
from dataclasses import replace
from types import TracebackType
from typing import Self

from planish.context.scope import Listener, Scope, current, enter, leave

__all__ = ["listen"]


class listen:  # noqa: N801 - reads as the verb it is: `async with listen(show):`
    """Call a function with every event of the runs inside an `async with` block.

    Args:
        listener: Called in order, in the task in which the event happens. It must not block;
            what it raises is raised there, as if the step had, so that it is noticed.
    """

    __slots__ = ("_listener", "_token")

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    async def __aenter__(self) -> Self:
        around = current()
        heard = (*around.listeners, self._listener)
        self._token: Token[Scope] = enter(replace(around, listeners=heard, unobserved=False))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave(self._token)
