"""A planish pipeline as a Runnable."""

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
from planish.events import Event, listen
from planish_integrations.models.foreign.errors import must_run_on_asyncio

__all__ = ["PlanishRunnable"]


class PlanishRunnable(Runnable[Any, Any]):
    """What `as_runnable` makes."""

    def __init__(self, pipeline: Primitive[Any, Any], name: str | None) -> None:
        self._pipeline = pipeline
        self.name = name or pipeline.name

    @property
    def InputType(self) -> Any:  # noqa: N802  # LangChain's name
        """What the pipeline takes."""
        return Any

    @property
    def OutputType(self) -> Any:  # noqa: N802  # LangChain's name
        """What the pipeline gives."""
        return Any

    def __repr__(self) -> str:
        return f"as_runnable({self._pipeline!r})"

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002  # LangChain's name
        """Run it in an event loop of its own.

        Raises:
            RuntimeError: there is one running in this thread: `ainvoke` it.
        """

        def run(value: Any) -> Any:
            return anyio.run(self._pipeline.run, self._value(value))

        return self._call_with_config(run, input, config, run_type="chain", **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """Run it.

        Raises:
            UnsupportedError: this is trio.
        """
        must_run_on_asyncio("LangChain")
        return await self._acall_with_config(self._heard, input, config, run_type="chain", **kwargs)

    async def _heard(
        self, value: Any, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
    ) -> Any:
        """Run it, and tell LangChain's callbacks what happens meanwhile."""
        told = self._value(value)
        if not run_manager.handlers:
            return await self._pipeline.run(told)
        send, receive = anyio.create_memory_object_stream[Event](math.inf)
        # A group would wrap what the pipeline raises.
        failures: list[Exception] = []
        result: Any = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_tell, receive, config)
            with send:
                try:
                    async with listen(send.send_nowait):
                        result = await self._pipeline.run(told)
                except Exception as error:  # noqa: BLE001  # raised below, as it is
                    failures.append(error)
        if failures:
            raise failures[0]
        return result

    def _value(self, value: Any) -> Any:
        if self._pipeline.signature[0] is not Task or isinstance(value, Task):
            return value
        if isinstance(value, Mapping):
            return Task(**cast("Mapping[str, Any]", value))
        return Task(str(value))


async def _tell(receive: MemoryObjectReceiveStream[Event], config: RunnableConfig) -> None:
    async with receive:
        async for event in receive:
            await adispatch_custom_event(f"planish.{event.kind}", event, config=config)
