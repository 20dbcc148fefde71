"""Run a step on many items."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence, Sized
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import anyio

from planish.arguments import require_count
from planish.context.interception import decide
from planish.context.ledger import ledger_scope
from planish.context.path import path_scope
from planish.context.replay import Endings, Raised, Reached
from planish.context.scope import current
from planish.context.turns import Pause, checkpoint
from planish.errors import Suspended, WiringError, attach_report
from planish.runtime.branches import unwrap_single_exception
from planish.runtime.diagram import Links
from planish.runtime.naming import name_in_path, segment_of, with_article
from planish.runtime.primitive import Primitive, as_primitive
from planish.runtime.suspensions import Suspensions

if TYPE_CHECKING:  # slow to import, and used in annotations only
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

__all__ = ["ItemResult", "Map"]

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class ItemResult(Generic[A, B]):
    """The result of one item: a value or an error.

    Attributes:
        index: Index of the item, from 0.
        item: The item.
        value: What the step returned; None if it raised.
        error: What the step raised; None if it returned.
    """

    index: int
    item: A
    value: B | None = None
    error: Exception | None = None

    @property
    def ok(self) -> bool:
        """Whether the step returned a value."""
        return self.error is None

    def unwrap(self) -> B:
        """Return the value.

        Raises:
            Exception: the step raised it.
        """
        if self.error is not None:
            raise self.error
        return cast("B", self.value)


class Map(Primitive[Iterable[A], list[ItemResult[A, B]]]):
    """Run a step on many items, several at once; an item that fails does not affect the others.

    `run(items)` returns the results in the items' order; `stream(items)` yields each as it
    finishes. An item is read from the iterable only when it can start.

    Args:
        step: The step to run on each item.
        concurrency: The number of items at the same time; at least 1. There is no default: it
            depends on the limits of your model and sandbox.

    Raises:
        ValueError: concurrency is not a whole number of at least 1.
    """

    records_result = False

    def __init__(self, step: Primitive[A, B], *, concurrency: int) -> None:
        require_count("Map", "concurrency", concurrency)
        self.step: Primitive[A, B] = as_primitive(step, "Map:")
        self.concurrency = concurrency
        self._signature = (Iterable, list)

    def _links(self) -> Links:
        return Links("fork", ("each item",))

    async def _run(self, value: Iterable[A]) -> list[ItemResult[A, B]]:
        results: dict[int, ItemResult[A, B]] = {}

        async def run_all() -> Endings:
            reached: dict[int, Reached] = {}
            await self._run_items(value, results, partial(self._track_item, reached))
            if results and len(reached) == len(results):
                raise _AllRaisedError
            return Endings(cut=tuple(map(reached.get, range(len(results)))))

        async def repeat(endings: Endings) -> None:
            await self._run_items(value, results, partial(self._repeat_item, endings.cut))

        if current().interceptors:
            with suppress(_AllRaisedError):
                await decide("Map", run_all, Endings, repeat=repeat)
        else:
            await self._run_items(value, results, self._run_item)
        return [results[index] for index in range(len(results))]

    async def _run_items(
        self,
        items: Iterable[A],
        results: dict[int, ItemResult[A, B]],
        run_one: Callable[[int, A], Awaitable[ItemResult[A, B]]],
    ) -> None:
        """Call a function with the index and the value of each item, several at once."""
        numbered = _numbered(items)
        slots, pause = _Slots(self.concurrency, items), Pause()
        suspensions = Suspensions()

        async def worker() -> None:
            for index, item in numbered:
                if slots.take():
                    group.start_soon(worker)
                if pause.is_due():
                    await checkpoint()
                try:
                    results[index] = await run_one(index, item)
                except Suspended as suspended:
                    suspensions.add(suspended)

        with unwrap_single_exception():
            async with anyio.create_task_group() as group:
                for _ in range(slots.take_first()):
                    group.start_soon(worker)
        suspensions.raise_first()

    async def _track_item(
        self, reached: dict[int, Reached], index: int, item: A
    ) -> ItemResult[A, B]:
        """Run an item, and put into `reached` what it had produced if it raises."""
        with ledger_scope() as ledger:
            result = await self._run_item(index, item)
            if result.error is not None:
                raised = Raised.of(result.error)
                report = ledger.partial_report("error")
                reached[index] = Reached(report=report, usage=ledger.usage, error=raised)
            ledger.merge_into_parent()
        return result

    async def _repeat_item(
        self, cut: Sequence[Reached | None], index: int, item: A
    ) -> ItemResult[A, B]:
        """Run an item, or restore one that raised when this was recorded."""
        reached = cut[index] if index < len(cut) else None
        if reached is None or reached.error is None:
            return await self._run_item(index, item)
        reached.restore()
        error = reached.error.to_error()
        attach_report(error, reached.report)
        return ItemResult(index, item, None, error)

    async def _run_item(self, index: int, item: A) -> ItemResult[A, B]:
        segment = segment_of(name_in_path(self, "Map"), index, self.step)
        with path_scope(segment), ledger_scope() as ledger:
            try:
                value = await self.step.run(item)
            except Exception as error:  # noqa: BLE001 - an item may fail in any way; it is recorded
                attach_report(error, ledger.partial_report("error"))
                ledger.abandon()
                ledger.merge_into_parent()
                return ItemResult(index, item, None, error)
            # The other items still run: if they are cut short, this result must not be lost.
            return ItemResult(index, item, ledger.finish(value))

    @asynccontextmanager
    async def stream(
        self, items: Iterable[A]
    ) -> AsyncGenerator["MemoryObjectReceiveStream[ItemResult[A, B]]"]:
        """Open a stream of results, each as it finishes.

        Leaving the block early cancels the items that still run.

        Example:
            `async with Map(step, concurrency=8).stream(items) as results:` then
            `async for result in results: ...`
        """
        numbered = _numbered(items)
        slots = _Slots(self.concurrency, items)
        send, receive = anyio.create_memory_object_stream[ItemResult[A, B]](0)

        suspensions = Suspensions()

        async def worker(results: "MemoryObjectSendStream[ItemResult[A, B]]") -> None:
            async with results:
                for index, item in numbered:
                    if slots.take():
                        group.start_soon(worker, results.clone())
                    try:
                        await results.send(await self._run_item(index, item))
                    except Suspended as suspended:  # the other items go on
                        suspensions.add(suspended)
                    except anyio.BrokenResourceError:  # the block has ended; its own error counts
                        return

        with unwrap_single_exception():
            async with anyio.create_task_group() as group, receive:
                async with send:
                    for _ in range(slots.take_first()):
                        group.start_soon(worker, send.clone())
                yield receive
                group.cancel_scope.cancel()
        suspensions.raise_first()


class _AllRaisedError(Exception):
    """Every item has raised, so there is nothing to record: the run may be resumed to try again."""


def _numbered(items: Iterable[A]) -> Iterator[tuple[int, A]]:
    try:
        return enumerate(items)
    except TypeError:
        kind = with_article(type(items).__qualname__)
        raise WiringError(f"Map takes items, but it was given {kind}: give a list") from None


class _Slots:
    """Counts the tasks that may still be started: there are at most as many as items.

    Args:
        concurrency: The most tasks.
        items: The items. If their number is not known, one task starts at first, and each task
            that has an item starts one more.
    """

    __slots__ = ("_first", "_free")

    def __init__(self, concurrency: int, items: Iterable[Any]) -> None:
        self._free = concurrency
        self._first = 1
        if isinstance(items, Sized):
            self._first = self._free = min(concurrency, len(items))

    def take_first(self) -> int:
        """Return how many tasks to start at first."""
        self._free -= self._first
        return self._first

    def take(self) -> bool:
        """Return whether to start one more task, and count it."""
        if self._free:
            self._free -= 1
            return True
        return False
