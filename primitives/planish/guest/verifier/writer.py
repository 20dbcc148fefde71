"""Write values as the text of a message between the verifier and the candidate.

A message is a row of tokens, one a line. What is plain travels by value: nothing here calls a
method of an object whose class is not ours. Everything else is left to the table, which
gives it a number.
"""

from __future__ import annotations

import gc
import sys

from .guard import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["MANY", "NAN_OF", "Writer"]

MANY = 8
"""Values of one type, from which on they are written as one token."""

_SMALL = 1 << 63

_DICT: dict[Any, Any] = {}
_KEYS, _VALUES, _ITEMS = kind_of(_DICT.keys()), kind_of(_DICT.values()), kind_of(_DICT.items())

_VIEWS: tuple[Any, ...] = (_KEYS, _VALUES, _ITEMS)
"""The types of views."""


class Writer:
    """Turn values into tokens.

    Args:
        table: Writes what is not plain, as `other(writer, value)`.
    """

    def __init__(self, table: Any) -> None:
        self.parts: list[str] = []
        self.table = table
        self.known: dict[int, tuple[int, Any]] = {}  # what was written whole, by id; kept alive

    def put(self, value: Any) -> None:
        """Write one value; what this message already holds is only referred to.

        So what is one object on this side is one on the other.
        """
        write = _WRITE.get(type(value))
        if write is None:
            self.table.other(self, value)
        elif type(value) not in _SAME:
            write(self, value)
        else:
            known = self.known.get(id(value))
            if known is not None:
                self.parts.append(f"={known[0]}")
                return
            write(self, value)
            self.known[id(value)] = (len(self.known), value)

    def text(self) -> str:
        """Return the whole message."""
        return "\n".join(self.parts)

    def token(self, token: str) -> None:
        """Write a token that contains no line end."""
        self.parts.append(token)

    def items(self, values: Any) -> None:
        """Write the number of values, then the values."""
        size = len(values)
        self.parts.append(str(size))
        if size >= MANY and self._bulk(values):
            return
        for value in values:
            self.put(value)

    def _bulk(self, values: Any) -> bool:
        kinds = set(map(type, values))
        if len(kinds) != 1:
            return False
        kind = kinds.pop()
        if kind is int and max(values) < _SMALL and min(values) > -_SMALL:
            self.parts.append("I" + ",".join(map(str, values)))
        elif kind is float and (total := sum(values)) == total:  # none is NaN
            self.parts.append("E" + ",".join(map(repr, values)))
        elif kind is str:
            joined = "\0".join(values)
            if joined.count("\0") != len(values) - 1:
                return False
            self.parts.append("Z" + joined.replace("\\", "\\\\").replace("\n", "\\n"))
        else:
            return False
        return True


def _nan_name(value: Any) -> str | None:
    """Return the module whose constant `nan` a value is: containers compare it by identity."""
    return next((n for n in NAN_OF if getattr(sys.modules.get(n), "nan", None) is value), None)


NAN_OF = ("math", "numpy")


def _none(writer: Writer, _value: Any) -> None:
    writer.parts.append("N")


def _truth(writer: Writer, value: bool) -> None:  # noqa: FBT001
    writer.parts.append("T" if value else "F")


def _dots(writer: Writer, _value: Any) -> None:
    writer.parts.append(".")


def _declined(writer: Writer, _value: Any) -> None:
    writer.parts.append("!")


def _integer(writer: Writer, value: int) -> None:
    writer.parts.append(f"i{value}" if -_SMALL < value < _SMALL else f"x{value:x}")


def _number(writer: Writer, value: float) -> None:
    name = None if value == value else _nan_name(value)  # noqa: PLR0124
    writer.parts.append(f"f{value!r}" if name is None else "n" + name)


def _pair(writer: Writer, value: complex) -> None:
    writer.parts.append(f"c{value.real!r},{value.imag!r}")


def _string(writer: Writer, value: str) -> None:
    if "\n" in value or "\\" in value:
        writer.parts.append("S" + value.replace("\\", "\\\\").replace("\n", "\\n"))
    else:
        writer.parts.append("s" + value)


def _data(writer: Writer, value: bytes) -> None:
    writer.parts.append("b" + value.hex())


def _row(writer: Writer, value: tuple[Any, ...]) -> None:
    writer.parts.append("t")
    writer.items(value)


def _frozen(writer: Writer, value: frozenset[Any]) -> None:
    writer.parts.append(f"z{value.__sizeof__()}")
    writer.items(value)


def _span(writer: Writer, value: range) -> None:
    writer.parts.append("r")
    writer.items((value.start, value.stop, value.step))


def _cut(writer: Writer, value: slice) -> None:
    writer.parts.append("e")
    writer.items((value.start, value.stop, value.step))


def _write_view(writer: Writer, value: Any) -> None:
    """Write a view: as one of its dict, or, to the candidate, as what is seen in it."""
    letter = {_KEYS: "K", _VALUES: "V"}.get(kind_of(value), "M")
    owner: Any = gc.get_referents(value)[0]
    if writer.table.remote_objects.strict or kind_of(owner) is not dict:
        writer.parts.append(letter)
        writer.items(list(value))
    else:
        writer.parts.append(f"{letter}*")
        writer.put(owner)


_WRITE: dict[Any, Any] = {
    type(None): _none,
    bool: _truth,
    type(Ellipsis): _dots,
    type(NotImplemented): _declined,
    int: _integer,
    float: _number,
    complex: _pair,
    str: _string,
    bytes: _data,
    tuple: _row,
    frozenset: _frozen,
    range: _span,
    slice: _cut,
    **dict.fromkeys(_VIEWS, _write_view),
}


_SAME = frozenset({tuple, frozenset, str, bytes, float, complex})
"""Types of which one object may be told from another that is equal to it, by `is`."""
