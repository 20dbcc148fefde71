"""Run a step once for equal inputs and store its results."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Protocol, cast, runtime_checkable

import anyio

from planish.arguments import require_count
from planish.context.path import path_scope
from planish.data.execution import Execution
from planish.data.record import Record
from planish.data.report import Report
from planish.data.status import Status
from planish.errors import WiringError
from planish.runtime.naming import name_in_path
from planish.runtime.primitive import In, Out, Primitive, as_primitive
from planish.runtime.signature import implements
from planish.runtime.wiring import require_callable

__all__ = ["Cache", "CacheStore", "MemoryStore"]


@runtime_checkable
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
        ValueError: entries is not a whole number of at least 1.
    """

    def __init__(self, entries: int = 1024) -> None:
        require_count("MemoryStore", "entries", entries)
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
    Errors are not stored, nor are results that are incomplete: those that did not pass and that
    a budget, a timeout or an error in a branch cut short. The
    results are in the store, not in the pipeline: you decide its size, its lifetime, and who
    shares it.

    Args:
        step: The step to run.
        store: The storage of the results.
        key: Returns a hashable key; inputs with equal keys are equal. By default it is the JSON
            of a planish value, and any other input itself with its type, so that 1, True and
            1.0 are not equal; it must be hashable. The step is not part of the key, so give each
            cache a store of its own.

    Raises:
        WiringError: the store does not have `get` and `put`, or `key` is not a function; at run
            time, the input is not hashable and there is no `key`.
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
        if isinstance(store, type) or not implements(store, CacheStore):
            raise WiringError(
                f"Cache(store={store!r}): a store is an object with `get` and `put`, such as "
                "MemoryStore()"
            )
        require_callable("Cache", "key", key, "from an input to a hashable key")
        self.store = store
        self.key = key
        self._signature = self.step.signature
        # Only of calls that are running: it is empty whenever no run is active.
        self._running: dict[Hashable, anyio.Event] = {}

    async def _run(self, value: In) -> Out:
        key = self._default_key(value) if self.key is None else self.key(value)
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

    def _default_key(self, value: object) -> Hashable:
        try:
            key = _typed(value)
            hash(key)
        except TypeError as error:
            raise WiringError(
                f"Cache({self.step!r}): the input is a {type(value).__qualname__}, which is no "
                f"key ({error}): pass key=..., a function from the input to a hashable key"
            ) from error
        return key

    async def _run_and_store(self, call: Hashable, key: Hashable, value: In) -> Out:
        ended = self._running[call] = anyio.Event()
        try:
            with path_scope(name_in_path(self, "Cache")):
                result = await self.step.run(value)
            if not _is_incomplete(result):
                self.store.put(key, result)
        finally:
            del self._running[call]
            ended.set()
        return result


def _is_incomplete(result: object) -> bool:
    """Return whether a result did not pass, and another run may come to another result.

    That is a report of a run that a budget, a timeout or an error in a branch cut short, an
    execution in a sandbox that failed, an item that raised, and a list or tuple with one of them.
    """
    if isinstance(result, list | tuple):
        return any(map(_is_incomplete, cast("list[object]", result)))
    if isinstance(result, Execution):
        return result.status is Status.INFRA_ERROR
    if not isinstance(result, Report):
        return isinstance(getattr(result, "error", None), Exception)
    if result.passed:
        return False
    cut_short = result.stop_reason in ("budget", "timeout", "error")
    failed = any(branch.outcome == "failed" for branch in result.branches)
    return cut_short or failed or any(map(_is_incomplete, (a.execution for a in result.history)))


def _typed(value: Any) -> Hashable:
    """Return a value with its type: 1, True and 1.0 are equal, and are different inputs.

    A float is given by its digits: 0.0 equals -0.0, and NaN does not equal itself.
    """
    kind = type(value).__qualname__
    if isinstance(value, Record):
        return kind, value.to_json()
    if isinstance(value, float):
        return kind, value.hex()
    if isinstance(value, complex):
        return kind, value.real.hex(), value.imag.hex()
    if isinstance(value, tuple | frozenset):
        members: Any = map(_typed, cast("Iterable[Any]", value))
        return kind, tuple(members) if isinstance(value, tuple) else frozenset(members)
    return kind, cast("Hashable", value)
