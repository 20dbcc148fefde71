"""Find the packages that a process has imported, and what comes from a library."""

from __future__ import annotations

import sys

from .guard import Module, is_a, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["is_of_library", "new_packages"]

_FOLDERS = ("/site-packages/", "/dist-packages/")
_loaded_ahead = frozenset(sys.modules)  # for all programs
_last: list[str | None] = [next(reversed(sys.modules), None)]


def new_packages() -> tuple[str, ...]:
    """Return the names of the packages imported since the last call, sorted.

    Modules are in the order of their import. Those that were there are not touched: after a fork
    to do so would copy a page for each of them.
    """
    newest = next(reversed(sys.modules), None)
    if newest == _last[0]:
        return ()
    found: set[str] = set()
    for name in [*_newer_than(_last[0])]:
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and any(folder in file for folder in _FOLDERS):
            found.add(name.partition(".")[0])
    _last[0] = newest
    return tuple(sorted(found))


def is_of_library(value: Any, own: str) -> bool:
    """Tell whether a value is a module, or a class or function that a module has by its name.

    Args:
        value: The value.
        own: The module that does not count.
    """
    if is_a(value, Module):
        title = Module.__dict__["__dict__"].__get__(value).get("__name__")
        return title not in (own, "__main__") and sys.modules.get(title) is value
    title = getattr(value, "__name__", None)
    # Of a method, as `random.random` is one, the module of its class may have it.
    owner: Any = kind_of(getattr(value, "__self__", None))
    for place in (value, owner):
        module = sys.modules.get(str(getattr(place, "__module__", None)))
        if module is None or getattr(module, "__name__", None) in (own, "__main__"):
            continue
        if isinstance(title, str) and vars(module).get(title) is value:
            return True
    return False


def _newer_than(last: str | None) -> list[str]:
    names: list[str] = []
    for name in reversed(sys.modules):
        if name == last:
            break
        if name not in _loaded_ahead:
            names.append(name)
    return names
