"""Values as source text, bounded, whatever they are."""

from __future__ import annotations

from .guard import guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["show"]

_DEPTH = 100  # of nested containers; deeper ones are cut with "..."
_DECIMAL_BITS = 14_000  # CPython refuses to write longer integers in decimals
_ATOMS = (bool, type(None), type(Ellipsis))
_BASES: Any = (int, float, complex, str, bytes, list, tuple, set, frozenset, dict)


class _FullError(Exception):
    pass


def show(value: Any, limit: int, *, by_base: bool = False) -> tuple[str, bool]:
    """The value as text, and whether that is the source of all of it.

    Args:
        value: Anything.
        limit: The most characters, within a few.
        by_base: Take an instance of a subclass of a plain type (a namedtuple, a Counter, a
            numpy float) for the plain value it compares as; else it is its own `repr`.
    """
    writer = _Writer(limit, by_base=by_base)
    try:
        writer.write(value, 0)
    except _FullError:
        writer.parts.append("...")
    except BaseException as error:  # noqa: BLE001  # memory, recursion, a dict that changes
        writer.plain = False
        writer.parts.append(f"<{type(value).__name__}: showing it raised {type(error).__name__}>")
    return "".join(writer.parts), writer.plain


class _Writer:
    """Writes source until the limit is reached."""

    def __init__(self, limit: int, *, by_base: bool) -> None:
        self.parts: list[str] = []
        self.plain = True
        self.left = limit
        self.by_base = by_base

    def put(self, text: str) -> None:
        self.parts.append(text[: max(self.left, 0)])
        self.left -= len(text)
        if self.left < 0:
            self.plain = False
            raise _FullError

    def write(self, value: Any, depth: int) -> None:
        kind: Any = type(value)
        if self.by_base and kind not in _ATOMS:
            kind = next((base for base in _BASES if issubclass(kind, base)), kind)
        if kind in _ATOMS:
            self.put(repr(value))
        elif kind not in _BASES:
            self.other(value)
        elif kind in (list, tuple, set, frozenset, dict):
            if depth > _DEPTH:
                self.plain = False
                self.put("...")
            else:
                self.container(value, kind, depth + 1)
        else:
            self.atom(value, kind)

    def other(self, value: Any) -> None:
        self.plain = False
        self.put(guarded(lambda: repr(value), f"{type(value).__name__} object: its repr"))

    def atom(self, value: Any, kind: Any) -> None:
        if kind in (str, bytes):  # what is cut does not fit for its quotes alone
            self.put(kind.__repr__(kind.__getitem__(value, slice(max(self.left, 0)))))
        elif kind is int and int.bit_length(value) > 4 * max(self.left, _DECIMAL_BITS):
            self.plain = False
            self.put(f"<int of {int.bit_length(value)} bits>")
        elif kind is int and int.bit_length(value) > _DECIMAL_BITS:
            self.put(hex(value))
        else:
            text = kind.__repr__(value)
            if "n" in text and kind is float:  # nan, inf
                text = f"float({text!r})"
            elif "n" in text:  # a complex of those, which has no source
                self.plain = False
            self.put(text)

    def container(self, value: Any, kind: Any, depth: int) -> None:
        if kind is dict:
            self.items(value, depth)
        elif kind in (list, tuple):
            self.put("[" if kind is list else "(")
            for index, item in enumerate(kind.__iter__(value)):
                self.put(", " if index else "")
                self.write(item, depth)
            self.put("]" if kind is list else ",)" if kind.__len__(value) == 1 else ")")
        else:
            self.members(value, kind, depth)

    def items(self, value: Any, depth: int) -> None:
        self.put("{")
        for index, (key, item) in enumerate(dict.items(value)):
            self.put(", " if index else "")
            self.write(key, depth)
            self.put(": ")
            self.write(item, depth)
        self.put("}")

    def members(self, value: Any, kind: Any, depth: int) -> None:
        """Sorted by their text, so that equal sets are equal text."""
        size = kind.__len__(value)
        texts: list[str] = []
        room = self.left
        for member in kind.__iter__(value):
            inner = _Writer(room, by_base=self.by_base)
            try:
                inner.write(member, depth)
            except _FullError:
                break
            self.plain = self.plain and inner.plain
            texts.append("".join(inner.parts))
            room -= len(texts[-1])
        name = kind.__name__ if kind is frozenset or not size else ""
        text = "{" + ", ".join(sorted(texts)) + "}" if size else ""
        if len(texts) < size:
            self.put(f"{name}({text[:-1]}, ")
            raise _FullError
        self.put(f"{name}({text})" if name else text)
