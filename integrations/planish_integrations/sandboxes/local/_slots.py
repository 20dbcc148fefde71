"""How many programs run at once, and who listens to a zygote: the others wait."""

import os
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import anyio
from anyio.lowlevel import RunVar

__all__ = ["cpus", "slots", "turns"]

# Limiters and locks belong to an event loop, the objects that ask for them do not.
_limiters: RunVar[WeakKeyDictionary[object, Any]] = RunVar("planish_sandbox_slots")
_locks: RunVar[WeakKeyDictionary[object, Any]] = RunVar("planish_sandbox_turns")


def slots(owner: object, count: int) -> anyio.CapacityLimiter:
    """The owner's places in this event loop, `count` of them."""
    made: anyio.CapacityLimiter = _own(_limiters, owner, lambda: anyio.CapacityLimiter(count))
    return made


def turns(owner: object) -> anyio.Lock:
    """One at a time, of the owner's in this event loop."""
    made: anyio.Lock = _own(_locks, owner, anyio.Lock)
    return made


def _own(
    variable: "RunVar[WeakKeyDictionary[object, Any]]", owner: object, make: Callable[[], Any]
) -> Any:
    try:
        known = variable.get()
    except LookupError:
        known = WeakKeyDictionary[object, Any]()
        variable.set(known)
    found = known.get(owner)
    if found is None:
        found = known.setdefault(owner, make())
    return found


def cpus() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0))
