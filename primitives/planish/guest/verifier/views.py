"""Views of dicts on the pipe: live where the whole dict may be seen by the other side."""

from __future__ import annotations

import gc

from .guard import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .wire import Reader, Writer

__all__ = ["READ_VIEW", "VIEWS", "write_view"]

_DICT: dict[Any, Any] = {}
_KEYS, _VALUES, _ITEMS = kind_of(_DICT.keys()), kind_of(_DICT.values()), kind_of(_DICT.items())

VIEWS: tuple[Any, ...] = (_KEYS, _VALUES, _ITEMS)
"""The types of views."""


def write_view(writer: Writer, value: Any) -> None:
    """Write a view: as one of its dict, or, to the candidate, as what is seen in it."""
    letter = {_KEYS: "K", _VALUES: "V"}.get(kind_of(value), "M")
    owner: Any = gc.get_referents(value)[0]
    if writer.table.remote_objects.strict or kind_of(owner) is not dict:
        writer.parts.append(letter)
        writer.items(list(value))
    else:
        writer.parts.append(f"{letter}*")
        writer.put(owner)


def _owner(reader: Reader) -> dict[Any, Any]:
    """The dict that a view is one of, which both sides keep in step."""
    found: Any = reader.get()
    if kind_of(found) is not dict:
        raise TypeError("a view of what is no dict")
    owner: dict[Any, Any] = found
    return owner


def _keys(reader: Reader, live: str) -> Any:
    return (_owner(reader) if live else dict.fromkeys(reader.items())).keys()


def _values(reader: Reader, live: str) -> Any:
    return (_owner(reader) if live else dict(enumerate(reader.items()))).values()


def _items(reader: Reader, live: str) -> Any:
    return (_owner(reader) if live else dict(reader.items())).items()


READ_VIEW: dict[str, Callable[[Reader, str], Any]] = {"K": _keys, "V": _values, "M": _items}
"""How each is read, by the letter that its token begins with."""
