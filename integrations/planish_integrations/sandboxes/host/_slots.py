"""Keep objects of each event loop: limiters, locks, and whatever else belongs to one."""

import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import anyio
from anyio.lowlevel import RunVar

from planish.errors import UnsupportedError

__all__ = ["cpus", "per_loop", "slot", "turns"]

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


@dataclass(frozen=True, eq=False)
class _Holder:
    """Holds one slot: a task that has sessions open holds several."""

    task: int


@asynccontextmanager
async def slot(owner: object, count: int) -> AsyncGenerator[None]:
    """Take one of an owner's slots in this event loop, of which there are `count`.

    Raises:
        UnsupportedError: this task holds them all itself, so none would ever become free.
    """
    limiter = per_loop(owner, "slots", lambda: anyio.CapacityLimiter(count))
    holder = _Holder(anyio.get_current_task().id)
    holders = limiter.statistics().borrowers
    if len(holders) == count and all(
        isinstance(one, _Holder) and one.task == holder.task for one in holders
    ):
        raise UnsupportedError(
            f"this task has {count} sessions open in a sandbox that runs {count} programs at "
            f"once: close one, or make the sandbox with concurrency={count + 1}"
        )
    await limiter.acquire_on_behalf_of(holder)
    try:
        yield
    finally:
        limiter.release_on_behalf_of(holder)


def turns(owner: object) -> anyio.Lock:
    """Return an owner's lock in this event loop."""
    return per_loop(owner, "turns", anyio.Lock)


def cpus() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
