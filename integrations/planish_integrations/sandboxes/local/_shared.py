"""Share one template process among the sandboxes of equal configuration in this process."""

import os
import resource
import threading
from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

from ._configuration import ZygoteConfig
from ._zygote import Zygote

__all__ = ["release_zygote", "share_zygote"]

_LIMITS = sorted({number for name, number in vars(resource).items() if name.startswith("RLIMIT_")})


class _Started:
    """The template processes in use, held weakly: one without a user is ended by its finalizer."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start empty, also in a fork of the host: what it inherited is its parent's."""
        self.lock = threading.Lock()
        self.zygotes: WeakValueDictionary[tuple[Any, ...], Zygote] = WeakValueDictionary()


_started = _Started()
os.register_at_fork(after_in_child=_started.forget)


def share_zygote(config: ZygoteConfig, user: object) -> Zygote:
    """Return the template process of a configuration; start it if none is usable.

    Args:
        config: What it is made of.
        user: The pool that uses it. It is kept while a user exists that has not released it.

    Raises:
        SandboxError: it cannot be started.
    """
    key = (config, *_inherited())
    with _started.lock:
        known = _started.zygotes.get(key)
        if known is None or not known.usable:
            known = _started.zygotes[key] = Zygote(config)
        known.users.add(user)
        return known


def _inherited() -> Iterator[Any]:
    """List what a process inherits when it is started now: users, processors, limits."""
    yield from (os.getresuid(), os.getresgid(), tuple(os.getgroups()))
    yield frozenset(os.sched_getaffinity(0))
    yield tuple(resource.getrlimit(number) for number in _LIMITS)


def release_zygote(zygote: Zygote, user: object) -> None:
    """End a template process, unless another pool uses it. Blocks until it has ended."""
    with _started.lock:
        zygote.users.discard(user)
        if zygote.users:
            return
        zygote.usable = False  # from here on `share_zygote` starts another
    zygote.close()
