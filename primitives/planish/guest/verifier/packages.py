"""Which packages beyond the standard library a process has imported."""

from __future__ import annotations

import sys

__all__ = ["packages"]

_PLACES = ("/site-packages/", "/dist-packages/")
_before = frozenset(sys.modules)  # imported ahead, for all programs


def packages() -> tuple[str, ...]:
    """Name the packages from outside the standard library that were imported since the start."""
    found: set[str] = set()
    for name, module in list(sys.modules.items()):
        if name not in _before:
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and any(place in file for place in _PLACES):
                found.add(name.partition(".")[0])
    return tuple(sorted(found))
