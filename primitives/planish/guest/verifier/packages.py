"""Find the packages beyond the standard library that a process has imported."""

from __future__ import annotations

import sys

__all__ = ["new_packages"]

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


def _newer_than(last: str | None) -> list[str]:
    names: list[str] = []
    for name in reversed(sys.modules):
        if name == last:
            break
        if name not in _loaded_ahead:
            names.append(name)
    return names
