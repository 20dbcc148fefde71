"""Comparisons and arithmetic of stand-ins: done over there, and known to be.

An object of the candidate's making says what it likes of itself: that it equals anything, that
it holds anything. Python's own answer is taken, as in one process. Who gave it is put on record:
the evidence is then that of a shared process, as the candidate saw what it was compared with.
"""

from __future__ import annotations

from . import link
from .guard import class_name, kind_of
from .proxy import number_of
from .special import ARITHMETIC, COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["answered", "called"]

_DECIDING = COMPARISONS | {"__bool__", "__contains__", "__instancecheck__", "__subclasscheck__"}


def answered(evidence: Any, name: str, value: Any, args: Any, result: Any) -> None:
    """Put on record that a special method of the candidate's has decided something.

    Args:
        evidence: Where to.
        name: Of the method.
        value: The stand-in that has it.
        args: What it was given.
        result: What it gave.
    """
    if name in _DECIDING:
        if result is not NotImplemented:
            evidence.weakened(_sentence(value, name))
    elif name in ARITHMETIC and args and _plain(result) and not all(map(_foreign, args)):
        evidence.weakened(_sentence(value, name))
    elif name == "__call__" and args and type(result) is bool:
        number = number_of(value)
        if number is not None and number in link.METHODS:
            evidence.weakened("a method of an object that the code gave decided a test")


def called(value: Any, result: Any) -> None:
    """Remember a method that was read off an object whose class the tests never named."""
    if kind_of(value) in link.TRUSTED or class_name(kind_of(value)) in _FUNCTIONS:
        return
    number = number_of(result)
    if number is not None and class_name(kind_of(result)) in _FUNCTIONS:
        link.METHODS.add(number)


_FUNCTIONS = ("function", "method", "builtin_function_or_method", "method-wrapper", "type")


def _foreign(value: Any) -> bool:
    return number_of(value) is not None


def _plain(value: Any) -> bool:
    return value is not NotImplemented and number_of(value) is None


def _sentence(value: Any, name: str) -> str:
    kind = value if number_of(kind_of(value)) is None else kind_of(value)
    return f"an object of the code's own class {class_name(kind)!r} decided with {name}"
