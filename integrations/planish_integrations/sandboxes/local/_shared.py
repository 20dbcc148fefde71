"""The zygotes of this process: sandboxes of equal configuration share one."""

import os
import resource
import threading
from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

from ._configuration import Recipe
from ._zygote import Zygote

__all__ = ["acquire", "release"]

_LIMITS = sorted({number for name, number in vars(resource).items() if name.startswith("RLIMIT_")})


class _Started:
    """Holds the zygotes in use, weakly: one without a holder is ended by its finalizer."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start empty, as a fork of the host does: the zygotes it inherited are its parent's."""
        self.lock = threading.Lock()
        self.zygotes: WeakValueDictionary[tuple[Any, ...], Zygote] = WeakValueDictionary()


_started = _Started()
os.register_at_fork(after_in_child=_started.forget)


def acquire(recipe: Recipe, holder: object) -> Zygote:
    """Return the zygote of a recipe, started if there is none that is usable.

    Args:
        recipe: What it is made of.
        holder: Who uses it. The zygote is kept while a holder is alive and has not released it.

    Raises:
        SandboxError: it cannot be started.
    """
    key = (recipe, *_inherited())
    with _started.lock:
        known = _started.zygotes.get(key)
        if known is None or not known.usable:
            known = _started.zygotes[key] = Zygote(recipe)
        known.holders.add(holder)
        return known


def _inherited() -> Iterator[Any]:
    """What a process that is started now has from this one: users, limits, processors."""
    yield from (os.getresuid(), os.getresgid(), tuple(os.getgroups()))
    yield frozenset(os.sched_getaffinity(0))
    yield tuple(resource.getrlimit(number) for number in _LIMITS)


def release(zygote: Zygote, holder: object) -> None:
    """End a zygote, unless another holds it too. Blocks until it has ended."""
    with _started.lock:
        zygote.holders.discard(holder)
        if zygote.holders:
            return
        zygote.usable = False  # from here on `acquire` starts another
    zygote.close()
