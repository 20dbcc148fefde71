"""`PlanishRunnable`: a planish pipeline as a LangChain Runnable."""

import inspect
import math
from collections.abc import Mapping
from typing import Any, cast

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from langchain_core.callbacks import (
    AsyncCallbackManagerForChainRun,
    adispatch_custom_event,
)
from langchain_core.runnables import Runnable, RunnableConfig

from planish import Primitive
from planish.data.task import Task
from planish.errors import TaskError
from planish.events import Event, listen
from planish_integrations.models.foreign.errors import require_asyncio

__all__ = ["PlanishRunnable"]


class PlanishRunnable(Runnable[Any, Any]):
    """The Runnable that `as_runnable` returns."""

    def __init__(self, pipeline: Primitive[Any, Any], name: str | None) -> None:
        self._pipeline = pipeline
        self.name = name or pipeline.name

    @property
    def InputType(self) -> Any:  # noqa: N802  # LangChain's name
        """The type of the input; LangChain does not check it."""
        return Any

    @property
    def OutputType(self) -> Any:  # noqa: N802  # LangChain's name
        """The type of the output; LangChain does not check it."""
        return Any

    def __repr__(self) -> str:
        return f"as_runnable({self._pipeline!r})"

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002  # LangChain's name
        """Run the pipeline in a new event loop.

        Raises:
            RuntimeError: an event loop is running in this thread; use `ainvoke`.
        """

        def run(value: Any) -> Any:
            return anyio.run(self._pipeline.run, self._value(value))

        return self._call_with_config(run, input, config, run_type="chain", **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """Run the pipeline.

        Raises:
            UnsupportedError: the event loop is trio's.
        """
        require_asyncio("LangChain")
        return await self._acall_with_config(
            self._run_observed, input, config, run_type="chain", **kwargs
        )

    async def _run_observed(
        self, value: Any, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
    ) -> Any:
        """Run the pipeline and dispatch its events to LangChain's callbacks."""
        argument = self._value(value)
        if not run_manager.handlers:
            return await self._pipeline.run(argument)
        send, receive = anyio.create_memory_object_stream[Event](math.inf)
        # A task group would wrap the pipeline's error in an exception group.
        failures: list[Exception] = []
        result: Any = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_dispatch, receive, config)
            with send:
                try:
                    async with listen(send.send_nowait):
                        result = await self._pipeline.run(argument)
                except Exception as error:  # noqa: BLE001  # raised below, unwrapped
                    failures.append(error)
        if failures:
            raise failures[0]
        return result

    def _value(self, value: Any) -> Any:
        if self._pipeline.signature[0] is not Task or isinstance(value, Task):
            return value
        if isinstance(value, Mapping):
            return _task_of(cast("Mapping[str, Any]", value))
        return Task(str(value))


def _task_of(arguments: Mapping[str, Any]) -> Task:
    """Return the task for a mapping of its constructor's arguments.

    Raises:
        TaskError: a key is none of them, or there is no requirement; the message has the names.
    """
    names = list(inspect.signature(Task).parameters)
    unknown = ", ".join(repr(key) for key in arguments if key not in names)
    if unknown or "requirement" not in arguments:
        wrong = f"no Task has {unknown}" if unknown else "it has no 'requirement'"
        raise TaskError(
            f"the input of as_runnable is a mapping of a Task's arguments, and {wrong}: they are "
            f"{', '.join(names)}"
        )
    return Task(**arguments)


async def _dispatch(receive: MemoryObjectReceiveStream[Event], config: RunnableConfig) -> None:
    async with receive:
        async for event in receive:
            await adispatch_custom_event(f"planish.{event.kind}", event, config=config)
