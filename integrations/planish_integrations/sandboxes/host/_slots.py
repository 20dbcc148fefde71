"""Keep objects of each event loop: limiters, locks, and whatever else belongs to one."""

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import anyio
from anyio.lowlevel import RunVar

__all__ = ["cpus", "per_loop", "slots", "turns"]

T = TypeVar("T")

_objects: RunVar[WeakKeyDictionary[object, dict[str, Any]]] = RunVar("planish_sandboxes")


def per_loop(owner: object, name: str, make: Callable[[], T]) -> T:
    """Return an owner's object in this event loop, which is made once.

    Args:
        owner: Any object; when it is gone, so is what it has here.
        name: What tells its objects apart.
        make: Makes it.
    """
    try:
        owners = _objects.get()
    except LookupError:
        owners = WeakKeyDictionary[object, dict[str, Any]]()
        _objects.set(owners)
    things = owners.setdefault(owner, {})
    if name not in things:
        things[name] = make()
    found: T = things[name]
    return found


def slots(owner: object, count: int) -> anyio.CapacityLimiter:
    """Return the limiter of an owner's programs in this event loop, `count` at once."""
    return per_loop(owner, "slots", lambda: anyio.CapacityLimiter(count))


def turns(owner: object) -> anyio.Lock:
    """Return an owner's lock in this event loop."""
    return per_loop(owner, "turns", anyio.Lock)


def cpus() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
