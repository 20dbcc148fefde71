"""Encode matches of regular expressions, and members of enumerations of the standard library."""

from __future__ import annotations

from .guard import kind_of
from .reader import MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["LIBRARY_FORMS"]

_LONGEST = 1 << 16  # characters of a text that is searched: it is sent with each match
_WAYS = ("match", "fullmatch")


def _match_parts(value: Any) -> tuple[Any, ...]:
    """Return how the match is found again.

    Raises:
        TypeError: it is not, or the text is none that can be sent.
    """
    text, start = value.string, value.start()
    if kind_of(text) not in (str, bytes) or len(text) > _LONGEST:
        raise TypeError("a text that is not sent")
    for way in _WAYS:
        found = getattr(value.re, way)(text, start, value.endpos)
        if found is not None and found.regs == value.regs and found.lastindex == value.lastindex:
            return value.re, text, way, start, value.endpos
    raise TypeError("a match that would not be found again")


def _make_match(pattern: Any, text: Any, way: Any, start: Any, end: Any) -> Any:
    known = kind_of(pattern) is __import__("re").Pattern  # one of the candidate's may bear the name
    if not known or way not in _WAYS or kind_of(text) not in (str, bytes):
        raise MalformedError("no match")
    found = getattr(pattern, way)(text, start, end)
    if found is None:
        raise MalformedError("no match")
    return found


def _make_member(module: str, title: str) -> Callable[..., Any]:
    def make(value: Any) -> Any:
        if kind_of(value) not in (int, str):
            raise MalformedError("no value of an enumeration")
        return getattr(__import__(module), title)(value)

    return make


def _value(member: Any) -> tuple[Any, ...]:
    return (member.value,)


LIBRARY_FORMS: dict[str, tuple[Callable[[Any], Any], Callable[..., Any]]] = {
    "re.Match": (_match_parts, _make_match),
    **{
        f"{module}.{title}": (_value, _make_member(module, title))
        for module, title in (
            ("re", "RegexFlag"),
            ("http", "HTTPStatus"),
            ("http", "HTTPMethod"),
            ("signal", "Signals"),
            ("calendar", "Month"),
            ("calendar", "Day"),
        )
    },
}
"""Of each kind of values: its parts, and how it is put together again."""
