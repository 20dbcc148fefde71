"""Keep objects of each event loop: limiters, locks, and whatever else belongs to one."""

import os
import sys
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import anyio
from anyio.lowlevel import RunVar

from planish.errors import UnsupportedError

__all__ = ["cpus", "per_loop", "require_whole", "slot", "turns"]

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


def require_whole(owner: str, name: str, value: Any, *, least: int = 1) -> None:
    """Check that an argument of a sandbox is a whole number, as of places or tries.

    Args:
        owner: The class, for the message.
        name: The parameter, for the message.
        value: The argument.
        least: The least number that is allowed.

    Raises:
        ValueError: it is not a whole number, or less than `least`.
    """
    if type(value) is not int or value < least:
        raise ValueError(f"{owner}({name}={value!r:.80}): must be at least {least}, a whole number")


def require_texts(owner: str, name: str, value: Any) -> None:
    """Check that an argument of a sandbox is a tuple or another collection of texts, not one text.

    Args:
        owner: The class, for the message.
        name: The parameter, for the message.
        value: The argument; paths count as texts.

    Raises:
        TypeError: it is something else.
    """
    is_collection = isinstance(value, Collection) and not isinstance(value, str | bytes)
    items = cast("Collection[Any]", value) if is_collection else (None,)
    if not all(isinstance(item, str | os.PathLike) for item in items):
        raise TypeError(f"{owner}({name}={value!r:.80}): must be a tuple of texts")


def cpus() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
