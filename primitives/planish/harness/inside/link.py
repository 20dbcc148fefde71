"""What stand-ins need of the side they are on; set up once, by `peer`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["DROPPED", "NUMBERS", "TRUSTED", "ask", "compared", "counted", "derive", "locals_of"]

NUMBERS: dict[Any, int] = {}
"""Of stand-in classes."""

TRUSTED: set[Any] = set()
"""Stand-in classes that this side's own code has called or derived from."""

DROPPED: list[int] = []
"""Stand-ins that are no more."""

LOCALS: dict[Any, frozenset[str]] = {}
_ends: dict[str, Callable[..., Any]] = {}


def connect(**functions: Callable[..., Any]) -> None:
    """Say what answers."""
    _ends.update(functions)


def ask(operation: str, *args: Any) -> Any:
    """Have the other side do something."""
    return _ends["ask"](operation, *args)


def compared(name: str, value: Any, other: Any) -> Any:
    """A comparison of a stand-in with anything."""
    return _ends["compared"](name, value, other)


def counted(name: str, value: Any, args: Any) -> Any:
    """Arithmetic with a stand-in."""
    return _ends["counted"](name, value, args)


def derive(meta: Any, name: str, bases: Any, names: dict[str, Any], options: Any) -> Any:
    """A class statement that derives from a stand-in."""
    return _ends["derive"](meta, name, bases, names, options)


def locals_of(kind: Any) -> frozenset[str]:
    """The names that the plain type has from which a stand-in class derives."""
    return LOCALS.get(kind, _NONE)


_NONE: frozenset[str] = frozenset()
