"""The same answer for the same question."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Protocol, cast

import anyio

from planish.data.record import Record
from planish.data.report import Report
from planish.runtime.primitive import In, Out, Primitive, as_primitive

__all__ = ["Cache", "CacheStore", "MemoryStore"]


class CacheStore(Protocol):
    """Where a `Cache` keeps its results."""

    def get(self, key: Hashable, /) -> Any:
        """The value kept, or raise KeyError."""
        ...

    def put(self, key: Hashable, value: Any, /) -> None:
        """Keep a value."""
        ...


class MemoryStore:
    """Keeps the results used last, in this process.

    Args:
        entries: How many; 1,024 by default.

    Raises:
        ValueError: entries is less than 1.
    """

    def __init__(self, entries: int = 1024) -> None:
        if entries < 1:
            raise ValueError(f"MemoryStore(entries={entries!r}): must be at least 1")
        self._entries = entries
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, /) -> Any:
        """The value kept.

        Raises:
            KeyError: there is none.
        """
        self._kept.move_to_end(key)
        return self._kept[key]

    def put(self, key: Hashable, value: Any, /) -> None:
        """Keep a value; the one not used for longest goes."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._entries:
            self._kept.popitem(last=False)

    def __len__(self) -> int:
        return len(self._kept)

    def __repr__(self) -> str:
        return f"MemoryStore(entries={self._entries})"


class Cache(Primitive[In, Out]):
    """Run a step once for equal inputs and keep what it gave.

    Equal inputs at the same time run it once: the others wait. What raises is not kept, nor is
    the report of a run that a budget or a timeout cut short. The results live in the store,
    which is yours to share, size and drop; a pipeline itself never changes.

    Args:
        step: What to run.
        store: Where results are kept.
        key: What makes inputs equal; by default planish values are compared by their JSON
            and all others by themselves, so they must be hashable. The step is no part of it:
            give each cache a store of its own.
    """

    delegates = True

    def __init__(
        self,
        step: Primitive[In, Out],
        *,
        store: CacheStore,
        key: Callable[[In], Hashable] | None = None,
    ) -> None:
        self.step: Primitive[In, Out] = as_primitive(step, "Cache:")
        self.store = store
        self.key = key
        self._signature = self.step.signature
        # Only calls in flight stand here; nothing of a run that has ended.
        self._flights: dict[Hashable, anyio.Event] = {}

    async def _run(self, value: In) -> Out:
        key = _default_key(value) if self.key is None else self.key(value)
        # An event belongs to one event loop, so calls in flight are told apart by theirs.
        from anyio.lowlevel import current_token  # noqa: PLC0415 - slow to import

        flying = (current_token(), key)
        while True:
            try:
                return cast("Out", self.store.get(key))
            except KeyError:
                pass
            flight = self._flights.get(flying)
            if flight is None:
                return await self._fly(flying, key, value)
            # Whoever flies may fail or be cancelled: then the next one tries.
            await flight.wait()

    async def _fly(self, flying: Hashable, key: Hashable, value: In) -> Out:
        landed = self._flights[flying] = anyio.Event()
        try:
            result = await self.step.run(value)
            if not _cut_short(result):
                self.store.put(key, result)
        finally:
            del self._flights[flying]
            landed.set()
        return result


def _cut_short(result: object) -> bool:
    """It tells how far a budget or the time allowed, not what the input leads to."""
    if not isinstance(result, Report) or result.passed:
        return False
    return result.stop_reason in ("budget", "timeout")


def _default_key(value: Any) -> Hashable:
    if isinstance(value, Record):
        return (type(value).__qualname__, value.to_json())
    return cast("Hashable", value)
