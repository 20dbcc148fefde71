"""Read messages between the verifier and the candidate, which `writer` makes.

Values are read with the reader's own types. What is not plain is left to the table.
"""

from __future__ import annotations

from .guard import is_a, kind_of
from .sets import frozen_set
from .writer import MANY, NAN_OF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["MalformedError", "Reader", "traceback_of"]

_DEPTH = 20_000  # of nesting: far beyond what any recursive code could have built


class MalformedError(Exception):
    """Signal that the other process violates the protocol."""


_KEPT = frozenset("tzsSbfnc")
"""What the tokens of values begin with that the rest of a message may refer to."""


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return "\\".join([part.replace("\\n", "\n") for part in text.split("\\\\")])


class Reader:
    """Turns tokens back into values.

    Args:
        text: A message; the other process may have forged it.
        table: Reads what is not plain: `read[letter](reader, rest of the token)`.
    """

    def __init__(self, text: str, table: Any) -> None:
        self.tokens: list[str] = text.split("\n")
        self.at: int = 0
        self.known: list[Any] = []  # what was read whole, in the order in which it was
        self.others: dict[str, Callable[[Reader, str], Any]] = table.read
        self.depth: int = 0
        self.describing: int = 0  # descriptions of objects that are being read
        self.errors: list[Any] = []  # classes of exceptions that are no part of such
        self.changes: list[Any] = []  # of those, what came with changes

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

    def part(self) -> Any:
        """Read one value that is a part of the description of an object."""
        self.describing += 1
        value = self.get()
        self.describing -= 1
        return value

    def end_changes(self) -> None:
        """Take note that what was read so far are changes, and no part of what is sent."""
        self.changes, self.errors = self.errors, []

    def check_message(self, kind: str, value: Any) -> None:
        """Raise MalformedError if what was read is no message.

        Args:
            kind: "Q" of a request, "A" of an answer, "E" of an exception.
            value: What is sent.
        """
        if kind not in ("Q", "A", "E") or self.at != len(self.tokens):
            raise MalformedError("no message")
        if kind == "Q" and (kind_of(value) is not tuple or [*map(type, value[2:])] != [int]):
            raise MalformedError("no question")
        if kind == "E" and not isinstance(value, BaseException):
            raise MalformedError("no exception")

    def noted(self, kind: Any) -> Any:
        """Take note of a class of exceptions, or what else may be named, that is a value."""
        if not self.describing and is_a(kind, type) and issubclass(kind, BaseException):
            self.errors.append(kind)
        return kind

    def items(self) -> list[Any]:
        """Read a count and that many values."""
        size = int(self.next())
        if size >= MANY:
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


def _nan(module: str) -> Any:
    if module not in NAN_OF:
        raise MalformedError("no constant")
    return __import__(module).nan


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
    "n": lambda _reader, text: _nan(text),
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


def traceback_of(far: Any) -> Any:
    """Return the description of a traceback, if it has the form that `_traceback` gives.

    It is written into records and shown, so each part has to be of the very type.
    """
    if kind_of(far) is not tuple or len(far) != 3:  # noqa: PLR2004
        raise MalformedError("no traceback")
    frames, shown, at = far
    right = kind_of(frames) is tuple and type(shown) is str and type(at) is int
    if not right or any(
        kind_of(one) is not tuple or [type(part) for part in one] != [str, int] for one in frames
    ):
        raise MalformedError("no traceback")
    return far
