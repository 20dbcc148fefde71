"""What belongs to an event loop: how many containers run at once, and which engine answers."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import anyio
from anyio.lowlevel import RunVar

from planish.errors import SandboxError

from ._engine import Engine

__all__ = ["answering", "slots"]

_limiters: RunVar[WeakKeyDictionary[object, anyio.CapacityLimiter]] = RunVar(
    "planish_container_slots"
)
_engines: RunVar[WeakKeyDictionary[object, Engine]] = RunVar("planish_container_engines")


def slots(owner: object, count: int) -> anyio.CapacityLimiter:
    """The owner's places in this event loop, `count` of them."""
    try:
        limiters = _limiters.get()
    except LookupError:
        limiters = WeakKeyDictionary[object, anyio.CapacityLimiter]()
        _limiters.set(limiters)
    return limiters.setdefault(owner, anyio.CapacityLimiter(count))


async def answering(owner: object, engines: Sequence[Engine]) -> Engine:
    """The first engine that answers; where there is only one, that one.

    Raises:
        SandboxError: none does; it says why of each.
    """
    if len(engines) == 1:
        return engines[0]
    try:
        known = _engines.get()
    except LookupError:
        known = WeakKeyDictionary[object, Engine]()
        _engines.set(known)
    if owner in known:
        return known[owner]
    reasons: list[str] = []
    for engine in engines:
        try:
            await engine.call("info")
        except SandboxError as error:
            reasons.append(str(error))
        else:
            known[owner] = engine
            return engine
    raise SandboxError("no container engine answers: " + "; ".join(reasons))
