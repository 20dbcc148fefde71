"""Observe runs: the types of their events, and two ways to receive them.

`listen` calls a function with each event; `watch` runs a pipeline and is iterated over.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Token
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

import anyio

from planish.context.scope import Listener, Scope, current, enter, leave
from planish.data.events import (
    Action,
    AttemptStarted,
    BranchEnded,
    CandidateJudged,
    CodeExecuted,
    CodeGenerated,
    Event,
    LoopStopped,
    RunEnded,
    RunStarted,
    TokensReceived,
)
from planish.runtime.branches import unwrap_single_exception

if TYPE_CHECKING:  # slow to import, and only annotations name them
    from anyio.streams.memory import MemoryObjectReceiveStream

__all__ = [
    "Action",
    "AttemptStarted",
    "BranchEnded",
    "CandidateJudged",
    "CodeExecuted",
    "CodeGenerated",
    "Event",
    "EventStream",
    "Listener",
    "LoopStopped",
    "RunEnded",
    "RunStarted",
    "TokensReceived",
    "listen",
    "watch",
]

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)
Value = TypeVar("Value")
Result = TypeVar("Result")


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
        outer = current()
        listeners = (*outer.listeners, self._listener)
        self._token: Token[Scope] = enter(replace(outer, listeners=listeners, unobserved=False))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave(self._token)


class _Runs(Protocol[In, Out]):
    async def run(self, value: In) -> Out: ...


class EventStream(Generic[Result]):
    """A run that is being watched: iterate over its events, then ask for its result."""

    def __init__(self, events: "MemoryObjectReceiveStream[Event]", given: list[Result]) -> None:
        self._events = events
        self._given = given

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._events

    @property
    def result(self) -> Result:
        """What the run gave.

        Raises:
            RuntimeError: it has not ended; iterate to the end first.
        """
        if not self._given:
            raise RuntimeError("the run has not ended: iterate over its events to the end first")
        return self._given[0]


@asynccontextmanager
async def watch(
    pipeline: _Runs[Value, Result], value: Value
) -> AsyncGenerator[EventStream[Result]]:
    """Run a pipeline and get its events as they happen.

    The run goes on while events wait to be read. Leaving the block early cancels it. What the
    run raises is raised here.

    Example:
        `async with watch(loop, task) as run:` then `async for event in run: ...`, and at the
        end `run.result`.

    Args:
        pipeline: What to run.
        value: Its input.
    """
    send, receive = anyio.create_memory_object_stream[Event](float("inf"))
    given: list[Result] = []
    raised: list[Exception] = []

    async def run() -> None:
        with send:
            try:
                async with listen(send.send_nowait):
                    given.append(await pipeline.run(value))
            except Exception as error:  # noqa: BLE001 - raised again below, not in a group
                raised.append(error)

    with receive, unwrap_single_exception():
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            yield EventStream(receive, given)
            group.cancel_scope.cancel()
    if raised:
        raise raised[0]
