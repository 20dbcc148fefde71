"""Find the packages that a process has imported, and what is or stands for a library's."""

from __future__ import annotations

import sys

from .guard import Module, is_a, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "Substitutes",
    "disguise_of",
    "is_made",
    "is_of_library",
    "new_packages",
    "substitute",
    "vars_of",
]

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
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None) if is_a(module, Module) else None
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


def vars_of(kind: type) -> Any:
    """Return the class's own dictionary."""
    return type.__dict__["__dict__"].__get__(kind)


def disguise_of(kind: Any) -> Any:
    """Return the class that a proxy reports: that of a library where the remote one is the same."""
    names = vars_of(kind)
    module, title = names.get("__module__"), type.__dict__["__qualname__"].__get__(kind)
    if type(module) is not str or type(title) is not str:
        return kind
    found: Any = sys.modules.get(_PUBLIC.get(module, module))
    if module.partition(".")[0] not in _LIBRARIES or module.startswith(_OWN) or found is None:
        return kind
    for part in title.split("."):
        found = _facts(found).get(part)
        if found is None:
            return kind
    if (
        not is_a(found, type)
        or kind_of(found) is kind_of(kind)
        or issubclass(found, (BaseException, *_VALUES))
    ):
        return kind
    return found


def _facts(place: Any) -> dict[str, Any]:
    if is_a(place, type):
        return dict(vars_of(place))
    if not is_a(place, Module):
        return {}
    facts: dict[str, Any] = Module.__dict__["__dict__"].__get__(place)
    return facts


_LIBRARIES = sys.stdlib_module_names | {"numpy", "pandas"}
_OWN = ("unittest", "doctest", "test")
_VALUES = (int, float, complex, str, bytes, tuple, list, dict, set, frozenset, bytearray, type)
_PUBLIC = {"_io": "io", "_collections": "collections", "_functools": "functools"}
