"""Receive the events of runs: `listen`, `watch`, and the types of events; `emit` your own.

`listen` calls a function with each event; `watch` runs a pipeline and yields its events.
"""

import inspect
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Token
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

import anyio

from planish.context.scope import Listener, Scope, changed, current, enter, leave
from planish.data.events import (
    Action,
    AttemptStarted,
    BranchEnded,
    CandidateJudged,
    CodeExecuted,
    CodeGenerated,
    Event,
    LoopStopped,
    ModelCallEnded,
    ModelCallStarted,
    RunEnded,
    RunStarted,
    SandboxChanged,
    SandboxRunEnded,
    SandboxRunStarted,
    SandboxState,
    TokensReceived,
)
from planish.errors import MisuseError, WiringError
from planish.runtime.branches import unwrap_single_exception
from planish.telemetry.logs import emit

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
    "ModelCallEnded",
    "ModelCallStarted",
    "RunEnded",
    "RunStarted",
    "SandboxChanged",
    "SandboxRunEnded",
    "SandboxRunStarted",
    "SandboxState",
    "TokensReceived",
    "emit",
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
        listener: Called with the events in order, in the task in which each happens. It must not
            block. An exception that it raises ends the run, as if the step had raised it; if the
            run ends with an error already, it becomes a note on that error.

    Raises:
        WiringError: the listener is not a function, or an `async def`, which would not be awaited.
        MisuseError: the block is entered while the same object is entered already.
    """

    __slots__ = ("_entered", "_listener", "_token")

    def __init__(self, listener: Listener) -> None:
        functions = (listener, getattr(listener, "__call__", None))  # noqa: B004 - not a test of it
        if not callable(listener) or any(map(inspect.iscoroutinefunction, functions)):
            raise WiringError(
                f"listen({listener!r:.80}): a listener is a plain function of an event; "
                "to await something for each event, iterate over those of watch(pipeline, value)"
            )
        self._listener = listener
        self._entered = False

    async def __aenter__(self) -> Self:
        if self._entered:
            raise MisuseError("this listen(...) is entered already: make one for each block")
        self._entered = True
        outer = current()
        listeners = (*outer.listeners, self._listener)
        self._token: Token[Scope] = enter(changed(outer, listeners=listeners, unobserved=False))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._entered = False
        leave(self._token)


class _Runnable(Protocol[In, Out]):
    async def run(self, value: In) -> Out: ...


class EventStream(Generic[Result]):
    """The events of a run, to be iterated over, and then its result.

    Args:
        events: Ends when the run ends.
        results: Empty until the run has ended with a result.
        errors: Empty until the run has ended with an error.
    """

    def __init__(
        self,
        events: "MemoryObjectReceiveStream[Event]",
        results: list[Result],
        errors: list[Exception],
    ) -> None:
        self._events = events
        self._results = results
        self._errors = errors

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._events

    @property
    def result(self) -> Result:
        """The result of the run.

        Raises:
            Exception: the run raised it.
            RuntimeError: the run has not ended; iterate over its events to the end first.
        """
        if self._errors:
            raise self._errors[0]
        if not self._results:
            raise RuntimeError("the run has not ended: iterate over its events to the end first")
        return self._results[0]


@asynccontextmanager
async def watch(
    pipeline: _Runnable[Value, Result], value: Value
) -> AsyncGenerator[EventStream[Result]]:
    """Run a pipeline and yield its events as they happen.

    The run does not wait for events to be read. Leaving the block early cancels it. An exception
    that the run raises is raised at the end of the block.

    Example:
        `async with watch(loop, task) as run:` then `async for event in run: ...`, and at the
        end `run.result`.

    Args:
        pipeline: The pipeline.
        value: Its input.

    Raises:
        WiringError: the first argument is no pipeline.
    """
    if not hasattr(pipeline, "run"):
        raise WiringError(f"watch({pipeline!r:.80}, ...): the pipeline comes first, then its input")
    send, receive = anyio.create_memory_object_stream[Event](float("inf"))
    results: list[Result] = []
    errors: list[Exception] = []

    async def run() -> None:
        with send:
            try:
                async with listen(send.send_nowait):
                    results.append(await pipeline.run(value))
            except Exception as error:  # noqa: BLE001 - raised again below, not in a group
                errors.append(error)

    with receive, unwrap_single_exception():
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            yield EventStream(receive, results, errors)
            group.cancel_scope.cancel()
    if errors:
        raise errors[0]
