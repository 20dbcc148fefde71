"""Run a step once for equal inputs and store its results."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Protocol, cast

import anyio

from planish.context.path import path_scope
from planish.data.record import Record
from planish.data.report import Report
from planish.runtime.primitive import In, Out, Primitive, as_primitive

__all__ = ["Cache", "CacheStore", "MemoryStore"]


class CacheStore(Protocol):
    """The storage of a `Cache`."""

    def get(self, key: Hashable, /) -> Any:
        """Return the value stored under a key.

        Raises:
            KeyError: there is none.
        """
        ...

    def put(self, key: Hashable, value: Any, /) -> None:
        """Store a value under a key."""
        ...


class MemoryStore:
    """A store in memory that drops the least recently used values.

    Args:
        entries: The most values it stores; 1,024 by default.

    Raises:
        ValueError: entries is less than 1.
    """

    def __init__(self, entries: int = 1024) -> None:
        if entries < 1:
            raise ValueError(f"MemoryStore(entries={entries!r}): must be at least 1")
        self._entries = entries
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, /) -> Any:
        """Return the value stored under a key.

        Raises:
            KeyError: there is none.
        """
        self._values.move_to_end(key)
        return self._values[key]

    def put(self, key: Hashable, value: Any, /) -> None:
        """Store a value, and drop the least recently used one if there are too many."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._entries:
            self._values.popitem(last=False)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"MemoryStore(entries={self._entries})"


class Cache(Primitive[In, Out]):
    """Run a step once for equal inputs, and return the stored result after that.

    Of calls with equal inputs at the same time, one runs the step and the others wait for it.
    Errors are not stored, nor are failed reports of runs that a budget or a timeout ended. The
    results are in the store, not in the pipeline: you decide its size, its lifetime, and who
    shares it.

    Args:
        step: The step to run.
        store: The storage of the results.
        key: Returns a hashable key; inputs with equal keys are equal. By default it is the JSON
            of a planish value, and any other input itself, which must be hashable. The step is
            not part of the key, so give each cache a store of its own.
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
        # Only of calls that are running: it is empty whenever no run is active.
        self._running: dict[Hashable, anyio.Event] = {}

    async def _run(self, value: In) -> Out:
        key = _default_key(value) if self.key is None else self.key(value)
        from anyio.lowlevel import current_token  # noqa: PLC0415 - slow to import

        # An event belongs to one event loop, so calls of different loops do not wait for another.
        call = (current_token(), key)
        while True:
            try:
                return cast("Out", self.store.get(key))
            except KeyError:
                pass
            ended = self._running.get(call)
            if ended is None:
                return await self._run_and_store(call, key, value)
            # The running call may fail or be cancelled: then one of those that wait runs the step.
            await ended.wait()

    async def _run_and_store(self, call: Hashable, key: Hashable, value: In) -> Out:
        ended = self._running[call] = anyio.Event()
        try:
            with path_scope("Cache"):
                result = await self.step.run(value)
            if not _is_incomplete(result):
                self.store.put(key, result)
        finally:
            del self._running[call]
            ended.set()
        return result


def _is_incomplete(result: object) -> bool:
    """Return whether a result is a failed report of a run that a budget or a timeout ended."""
    if not isinstance(result, Report) or result.passed:
        return False
    return result.stop_reason in ("budget", "timeout")


def _default_key(value: Any) -> Hashable:
    if isinstance(value, Record):
        return (type(value).__qualname__, value.to_json())
    return cast("Hashable", value)
