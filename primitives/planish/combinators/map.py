"""Many values through one step."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import anyio

from planish.context.ledger import ledger_scope
from planish.errors import attach_report
from planish.runtime.branches import unwrap_single_exception
from planish.runtime.diagram import Links
from planish.runtime.primitive import Primitive, as_primitive

if TYPE_CHECKING:  # slow to import, and only annotations name them
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

__all__ = ["ItemResult", "Map"]

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class ItemResult(Generic[A, B]):
    """What became of one item: a value or an error.

    Attributes:
        index: Its place among the items, from 0.
        item: The item.
        value: What the step gave; None when it raised.
        error: What it raised; None when it did not.
    """

    index: int
    item: A
    value: B | None = None
    error: Exception | None = None

    @property
    def ok(self) -> bool:
        """It gave a value."""
        return self.error is None

    def unwrap(self) -> B:
        """The value.

        Raises:
            Exception: what the step raised.
        """
        if self.error is not None:
            raise self.error
        return cast("B", self.value)


class Map(Primitive[Iterable[A], list[ItemResult[A, B]]]):
    """Run a step on many items, so many at once; one that fails does not lose the others.

    `run(items)` gives the results in the items' order; `stream(items)` gives each as it
    finishes. Items are taken from the iterable only when there is room for them.

    Args:
        step: What to run on each item.
        concurrency: How many at once; at least 1. There is no default: it is what your model
            and sandbox can bear.

    Raises:
        ValueError: concurrency is less than 1.
    """

    records_result = False

    def __init__(self, step: Primitive[A, B], *, concurrency: int) -> None:
        if concurrency < 1:
            raise ValueError(f"Map(concurrency={concurrency!r}): must be at least 1")
        self.step: Primitive[A, B] = as_primitive(step, "Map:")
        self.concurrency = concurrency
        self._signature = (Iterable, list)

    def _links(self) -> Links:
        return Links("fork", ("each item",))

    async def _run(self, value: Iterable[A]) -> list[ItemResult[A, B]]:
        results: dict[int, ItemResult[A, B]] = {}
        waiting = enumerate(value)

        async def worker() -> None:
            for index, item in waiting:
                results[index] = await self._one(index, item)

        with unwrap_single_exception():
            async with anyio.create_task_group() as group:
                for _ in range(self.concurrency):
                    group.start_soon(worker)
        return [results[index] for index in range(len(results))]

    async def _one(self, index: int, item: A) -> ItemResult[A, B]:
        done: ItemResult[A, B]
        with ledger_scope() as book:
            try:
                done = ItemResult(index, item, await self.step.run(item))
            except Exception as error:  # noqa: BLE001 - it is kept beside the others' results
                attach_report(error, book.partial_report("error"))
                done = ItemResult(index, item, None, error)
            # The others still run: should they be cut short, this one is not lost with them.
            book.merge_into_parent()
            return done

    @asynccontextmanager
    async def stream(
        self, items: Iterable[A]
    ) -> AsyncGenerator["MemoryObjectReceiveStream[ItemResult[A, B]]"]:
        """Results as they finish.

        Leaving the block early cancels what still runs.

        Example:
            `async with Map(step, concurrency=8).stream(items) as results:` then
            `async for done in results: ...`
        """
        send, receive = anyio.create_memory_object_stream[ItemResult[A, B]](0)
        waiting = enumerate(items)

        async def worker(mine: "MemoryObjectSendStream[ItemResult[A, B]]") -> None:
            async with mine:
                for index, item in waiting:
                    await mine.send(await self._one(index, item))

        with unwrap_single_exception():
            async with anyio.create_task_group() as group, receive:
                async with send:
                    for _ in range(self.concurrency):
                        group.start_soon(worker, send.clone())
                yield receive
                group.cancel_scope.cancel()
