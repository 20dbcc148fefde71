"""Have the code find what the tests put in place of a module, or of a part of one."""

from __future__ import annotations

import sys

from .guard import Module, is_a, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["GONE", "Substitutes", "change_name", "is_made", "owner_of", "substitute"]

GONE = object()
"""In place of the value of a name that is not there."""


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


def owner_of(module: str, name: str) -> tuple[Any, str]:
    """Return what has a name, a module or a class in it, and the last part of the name."""
    title, _, part = name.rpartition(".")
    owner: Any = sys.modules[module]
    return (_vars(owner).get(title) if title else owner), part


def change_name(module: str, name: str, original: bool, gone: bool, value: Any) -> None:  # noqa: FBT001
    """Set a name of a module or of a class in it, put back what was there, or delete it."""
    if module not in sys.modules:
        return
    owner, part = owner_of(module, name)
    first = _before.setdefault((module, name), _vars(owner).get(part, GONE))
    new = first if original else (GONE if gone else value)
    if not is_a(owner, type):
        if new is GONE:
            _vars(owner).pop(part, None)
        else:
            _vars(owner)[part] = new
        return
    try:
        if new is GONE:
            delattr(owner, part)
        else:
            setattr(owner, part, new)
    except (AttributeError, TypeError):  # it is not there, or of the interpreter's own
        return


_vars: Any = vars
_before: dict[tuple[str, str], Any] = {}
_replaced: dict[str, Any] = {}
_NONE = object()
