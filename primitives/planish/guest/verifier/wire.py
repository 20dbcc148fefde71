"""Write values as text to the pipe between verifier and candidate, and read them.

A message is a row of tokens, one a line. What is plain travels by value, and is read with the
reader's own types: nothing here calls a method of an object whose class somebody else wrote.
Everything else is left to the table, which gives it a number.
"""

from __future__ import annotations

import gc

from .guard import kind_of
from .sets import frozen_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["MalformedError", "Reader", "Writer"]

_MANY = 8  # of one type, from which on they are written as one token
_SMALL = 1 << 63
_DEPTH = 20_000  # of nesting: far beyond what any recursive code could have built

_DICT: dict[Any, Any] = {}
_KEYS, _VALUES, _ITEMS = kind_of(_DICT.keys()), kind_of(_DICT.values()), kind_of(_DICT.items())

_VIEWS: tuple[Any, ...] = (_KEYS, _VALUES, _ITEMS)
"""The types of views."""


class MalformedError(Exception):
    """Signal that the other process violates the protocol."""


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
        if size >= _MANY and self._bulk(values):
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
        elif kind is float:
            self.parts.append("E" + ",".join(map(repr, values)))
        elif kind is str:
            joined = "\0".join(values)
            if joined.count("\0") != len(values) - 1:
                return False
            self.parts.append("Z" + joined.replace("\\", "\\\\").replace("\n", "\\n"))
        else:
            return False
        return True


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
    writer.parts.append(f"f{value!r}")


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
_KEPT = frozenset("tzsSbfc")
"""What their tokens begin with."""


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return "\\".join([part.replace("\\n", "\n") for part in text.split("\\\\")])


class Reader:
    """Turns tokens back into values.

    Args:
        text: What a `Writer` made, or somebody who would like to be one.
        table: Reads what is not plain: `read[letter](reader, rest of the token)`.
    """

    def __init__(self, text: str, table: Any) -> None:
        self.tokens: list[str] = text.split("\n")
        self.at: int = 0
        self.known: list[Any] = []  # what was read whole, in the order in which it was
        self.others: dict[str, Callable[[Reader, str], Any]] = table.read
        self.depth: int = 0

    def next(self) -> str:
        """Return the next token."""
        self.at += 1
        return self.tokens[self.at - 1]

    def get(self) -> Any:
        """Read one value."""
        token = self.tokens[self.at]
        self.at += 1
        kind = token[:1]
        read = _READ.get(kind)
        if read is not None:
            value = read(self, token[1:])
            if kind in _KEPT:
                self.known.append(value)
            return value
        if kind == "=":
            return self.known[int(token[1:])]
        self.depth += 1
        if self.depth > _DEPTH:
            raise MalformedError("nested too deeply")
        try:
            return self.others[kind](self, token[1:])
        finally:
            self.depth -= 1

    def items(self) -> list[Any]:
        """Read a count and that many values."""
        size = int(self.next())
        if size >= _MANY:
            token = self.tokens[self.at]
            bulk = _BULK.get(token[:1])
            if bulk is not None:
                self.at += 1
                found: list[Any] = bulk(token[1:])
                if len(found) != size:
                    raise MalformedError("the number of items is wrong")
                return found
        return [self.get() for _ in range(size)]


def _integers(text: str) -> list[Any]:
    return list(map(int, text.split(",")))


def _numbers(text: str) -> list[Any]:
    return list(map(float, text.split(",")))


def _strings(text: str) -> list[Any]:
    return _unescaped(text).split("\0")


def _complex(_reader: Reader, text: str) -> complex:
    real, imaginary = text.split(",")
    return complex(float(real), float(imaginary))


def _whole(values: list[Any]) -> list[Any]:
    if len(values) != 3 or any(type(v) not in (int, type(None)) for v in values):  # noqa: PLR2004
        raise MalformedError("not a range")
    return values


def _viewed_dict(reader: Reader) -> dict[Any, Any]:
    """Read the dict of a live view, which both processes keep equal."""
    found: Any = reader.get()
    if kind_of(found) is not dict:
        raise TypeError("a view of what is no dict")
    owner: dict[Any, Any] = found
    return owner


def _keys_view(reader: Reader, live: str) -> Any:
    return (_viewed_dict(reader) if live else dict.fromkeys(reader.items())).keys()


def _values_view(reader: Reader, live: str) -> Any:
    return (_viewed_dict(reader) if live else dict(enumerate(reader.items()))).values()


def _items_view(reader: Reader, live: str) -> Any:
    return (_viewed_dict(reader) if live else dict(reader.items())).items()


_READ_VIEW: dict[str, Callable[[Reader, str], Any]] = {
    "K": _keys_view,
    "V": _values_view,
    "M": _items_view,
}
"""How each is read, by the letter that its token begins with."""

_BULK: dict[str, Callable[[str], list[Any]]] = {"I": _integers, "E": _numbers, "Z": _strings}
_READ: dict[str, Callable[[Reader, str], Any]] = {
    "N": lambda _reader, _text: None,
    "T": lambda _reader, _text: True,
    "F": lambda _reader, _text: False,
    ".": lambda _reader, _text: ...,
    "!": lambda _reader, _text: NotImplemented,
    "i": lambda _reader, text: int(text),
    "x": lambda _reader, text: int(text, 16),
    "f": lambda _reader, text: float(text),
    "c": _complex,
    "s": lambda _reader, text: text,
    "S": lambda _reader, text: _unescaped(text),
    "b": lambda _reader, text: bytes.fromhex(text),
    "t": lambda reader, _text: tuple(reader.items()),
    "z": lambda reader, text: frozen_set(reader.items(), int(text)),
    "r": lambda reader, _text: range(*_whole(reader.items())),
    "e": lambda reader, _text: slice(*reader.items()),
    **_READ_VIEW,
}
