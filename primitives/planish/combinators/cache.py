"""Run a step once for equal inputs and store its results."""

import warnings
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, TypeVar, cast, get_args

import anyio
from opentelemetry.trace import get_current_span

from planish.abc import Store
from planish.context.interception import decide
from planish.context.path import path_scope
from planish.data.encoding import decode, digest_of, encode, require_encodable
from planish.data.execution import Execution
from planish.data.record import Record
from planish.data.report import Report
from planish.data.status import Status
from planish.errors import WiringError
from planish.runtime.naming import name_in_path
from planish.runtime.primitive import In, Out, Primitive, as_primitive
from planish.runtime.signature import implements
from planish.runtime.wiring import require_callable

__all__ = ["Cache"]

_SECONDS_TO_STORE = 10.0
"""How long a result is stored at most when the run is cancelled meanwhile."""


class Cache(Primitive[In, Out]):
    """Run a step once for equal inputs, and return the stored result after that.

    Of calls with equal inputs at the same time, one runs the step and the others wait for it.
    Errors are not stored, nor are results that are incomplete: those that did not pass and that
    a budget, a timeout or an error in a branch cut short. The results are in the store, not in
    the pipeline: you decide its size, its lifetime, and who shares it.

    A store that fails loses nothing: if it cannot be read, or holds what is no result, the step
    runs; if it cannot be written, the result is returned all the same. Each failure is a
    `RuntimeWarning`, and an exception on the span.

    Args:
        step: The step to run.
        store: The storage of the results: `planish.stores.MemoryStore`, `FileStore`, or your own.
        key: Returns a key; inputs with equal keys are equal. By default the input itself with its
            type, so 1, True and 1.0 are not equal. Keys are texts, numbers, bytes, values of
            planish, dataclasses and collections of such. The step is not part of the key.
        prefix: The first part of all keys, for caches of different steps that share a store; such
            as `step.fingerprint()`. Empty by default.
        result_type: The type of the results, to store them as JSON; None (the default) for that
            of the step.

    Raises:
        WiringError: the store does not have `get`, `put` and `list`, `key` is not a function, or
            the type of the results does not say how to read them back; at run time, before the
            step runs, the input can be no key, or results of this type have no JSON form.
    """

    delegates = True

    def __init__(
        self,
        step: Primitive[In, Out],
        *,
        store: Store,
        key: Callable[[In], Any] | None = None,
        prefix: str = "",
        result_type: Any = None,
    ) -> None:
        self.step: Primitive[In, Out] = as_primitive(step, "Cache:")
        if isinstance(store, type) or not implements(store, Store):
            raise WiringError(
                f"Cache(store={store!r}): a store is an object with async `get`, `put` and "
                "`list`, such as planish.stores.MemoryStore()"
            )
        require_callable("Cache", "key", key, "from an input to a key")
        self.store = store
        self.key = key
        self.prefix = prefix
        self._signature = self.step.signature
        self.result_type: Any = self.signature[1] if result_type is None else result_type
        if _is_open(self.result_type):
            raise WiringError(
                f"Cache({self.step!r}): results of the type {self.result_type!r} cannot be read "
                "back from a store: annotate what the step returns, or pass result_type=..."
            )
        # Only of calls that are running: it is empty whenever no run is active.
        self._running: dict[Any, anyio.Event] = {}

    async def _run(self, value: In) -> Out:
        key = self._key_of(value)
        self._require_encodable()
        from anyio.lowlevel import current_token  # noqa: PLC0415 - slow to import

        # An event belongs to one event loop, so calls of different loops do not wait for another.
        turn = _Turn(self._running, (current_token(), key))
        found: list[Out] = []

        async def look_up() -> str | None:
            while True:
                stored = await self._stored(key, found)
                if stored is not None or turn.take():
                    return stored
                # The running call may fail or be cancelled: one of those that wait is the next.
                await turn.wait()

        async def repeat(stored: str | None) -> None:
            if stored is None:
                turn.take()

        try:
            # What a store holds depends on other runs, so a journal has to record it.
            stored = await decide("Cache", look_up, str | None, key, repeat=repeat)
            if stored is not None:
                return found[0] if found else cast("Out", decode(stored, self.result_type))
            with path_scope(name_in_path(self, "Cache")):
                result = await self.step.run(value)
            if not _is_incomplete(result):
                await self._put(key, result)
            return result
        finally:
            turn.end()

    def _key_of(self, value: In) -> str:
        equal_by: Any = value if self.key is None else self.key(value)
        try:
            digest = digest_of(_typed(equal_by))
        except TypeError as error:
            raise WiringError(
                f"Cache({self.step!r}): the input is a {type(value).__qualname__}, which gives no "
                f"key ({error}): pass key=..., a function from the input to a text"
            ) from error
        return f"{self.prefix}/{digest}" if self.prefix else digest

    def _require_encodable(self) -> None:
        try:
            require_encodable(self.result_type)
        except TypeError as error:
            raise WiringError(
                f"Cache({self.step!r}): its results cannot be stored: {error}"
            ) from error

    async def _stored(self, key: str, found: list[Out]) -> str | None:
        """Return the JSON of a stored result, and add the result to a list.

        None if there is none that can be read.
        """
        try:
            value = await self.store.get(key)
            if value is None:
                return None
            text = value.decode()
            found.append(decode(text, self.result_type))
        except Exception as error:  # noqa: BLE001 - a store may raise anything; the step can run
            self._report("read", error)
            return None
        return text

    async def _put(self, key: str, result: object) -> None:
        """Store a result that was paid for, also if the run is cancelled meanwhile."""
        try:
            value = encode(result, self.result_type).encode()
            with anyio.move_on_after(_SECONDS_TO_STORE, shield=True) as scope:
                await self.store.put(key, value)
            if scope.cancelled_caught:
                raise TimeoutError(f"the store took longer than {_SECONDS_TO_STORE:g} s")
        except Exception as error:  # noqa: BLE001 - a store may raise anything; the result stays
            self._report("write", error)

    def _report(self, action: str, error: Exception) -> None:
        get_current_span().record_exception(error)
        text = f"Cache could not {action} {self.store!r}: {type(error).__name__}: {error}"
        try:
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        except RuntimeWarning:  # made an error by a filter: the result comes first
            return


@dataclass
class _Turn:
    """The turn of one call among those with equal inputs, of which one runs the step.

    Attributes:
        running: The turns of calls that run, each with the end that others wait for.
        call: What calls with equal inputs have in common.
        end_event: The end of this turn; None while another call has it.
    """

    running: dict[Any, anyio.Event]
    call: Any
    end_event: anyio.Event | None = None

    def take(self) -> bool:
        """Take the turn, unless another call has it; return whether it was taken."""
        if self.call in self.running:
            return False
        self.end_event = self.running[self.call] = anyio.Event()
        return True

    async def wait(self) -> None:
        """Wait until the call that has the turn has ended."""
        await self.running[self.call].wait()

    def end(self) -> None:
        """End the turn, if it was taken, and wake those that wait."""
        if self.end_event is not None:
            del self.running[self.call]
            self.end_event.set()


_OPEN = (Any, object, list, tuple, dict, set, frozenset)


def _is_open(kind: Any) -> bool:
    """Return whether a type says too little to read a value of it back from JSON."""
    if any(kind is one for one in _OPEN) or isinstance(kind, TypeVar):
        return True
    return any(_is_open(part) for part in get_args(kind) if part is not Ellipsis)


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


def _typed(value: Any) -> Any:
    """Return JSON of a value with its type: 1, True and 1.0 are equal, and are different inputs.

    A float is given by its digits: 0.0 equals -0.0, and NaN does not equal itself.

    Raises:
        TypeError: the value has no JSON form.
    """
    whole = cast("Any", type(value))
    kind: str = whole.__qualname__
    if value is None or isinstance(value, bool | int | str):
        return [kind, value]
    if isinstance(value, Record):
        return [kind, value.to_json()]
    if isinstance(value, float):
        return [kind, value.hex()]
    if isinstance(value, complex):
        return [kind, value.real.hex(), value.imag.hex()]
    if isinstance(value, bytes | bytearray):
        return [kind, value.hex()]
    if issubclass(whole, Mapping):
        pairs = [[_typed(name), _typed(item)] for name, item in value.items()]
        return [kind, sorted(pairs, key=repr)]
    if issubclass(whole, AbstractSet):
        return [kind, sorted(map(_typed, value), key=repr)]
    if issubclass(whole, list | tuple):
        return [kind, *map(_typed, value)]
    return [kind, digest_of(value)]
