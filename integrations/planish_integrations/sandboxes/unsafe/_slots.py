"""How many programs run at once: the others wait."""

import os
import sys
from weakref import WeakKeyDictionary

import anyio
from anyio.lowlevel import RunVar

__all__ = ["cpus", "slots"]

# Limiters belong to an event loop, the objects that ask for them do not.
_limiters: RunVar[WeakKeyDictionary[object, anyio.CapacityLimiter]] = RunVar("planish_local_slots")


def slots(owner: object, count: int) -> anyio.CapacityLimiter:
    """The owner's places in this event loop, `count` of them."""
    try:
        limiters = _limiters.get()
    except LookupError:
        limiters = WeakKeyDictionary[object, anyio.CapacityLimiter]()
        _limiters.set(limiters)
    return limiters.setdefault(owner, anyio.CapacityLimiter(count))


def cpus() -> int:
    """The processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
