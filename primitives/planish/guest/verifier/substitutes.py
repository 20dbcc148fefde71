"""Have the code import what the tests put into `sys.modules` in place of a module."""

from __future__ import annotations

import sys

from .guard import Module, is_a, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Substitutes", "is_made", "substitute"]


class Substitutes:
    """Find what the tests put into `sys.modules` in place of a module, for the code to import.

    Args:
        own: The modules that are the candidate's or hold the tests.
    """

    def __init__(self, own: set[str]) -> None:
        self.own = own
        self.known: dict[str, Any] = {}
        self.known = {name: value for name, _, value in self.news()}

    def news(self) -> tuple[tuple[str, bool, Any], ...]:
        """Return what has changed since the last call: a name, whether it has a substitute, it."""
        found = {name: value for name, value in [*sys.modules.items()] if self._is_one(name, value)}
        new = [
            (n, True, value) for n, value in found.items() if self.known.get(n, _NONE) is not value
        ]
        gone = [(name, False, None) for name in self.known if name not in found]
        self.known = found
        return (*new, *gone)

    def _is_one(self, name: str, value: Any) -> bool:
        """Tell whether a value is no module that was imported, but made by the tests, or None."""
        if name in self.own or value is None:
            return value is None
        if is_made(value):
            return True
        owner = value if is_a(value, type) else kind_of(value)
        module = type.__dict__["__module__"].__get__(owner)
        return module in self.own or module == "unittest.mock"


def is_made(module: Any) -> bool:
    """Tell whether a module was made as an object, and not imported."""
    if not is_a(module, Module):
        return False
    return Module.__dict__["__dict__"].__get__(module).get("__spec__") is None


def substitute(news: Any) -> None:
    """Have the code import the substitutes of the tests, or what was there before."""
    for name, there, value in news:
        before = _replaced.setdefault(name, sys.modules.get(name, _NONE))
        if there:
            sys.modules[name] = value
            continue
        del _replaced[name]
        if before is _NONE:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before


_replaced: dict[str, Any] = {}
_NONE = object()
