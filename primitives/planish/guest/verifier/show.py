"""Values as source text, bounded, whatever they are."""

from __future__ import annotations

from .guard import guarded, kind_of, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["show", "show_sides"]

_DEPTH = 100  # of nested containers; deeper ones are cut with "..."
_COMPARED = 100_000  # items or characters
_AROUND = 20  # items or characters on each side of a difference
_ITEM = 200  # characters by which items are compared
_PLAIN = (int, float, bool, str, bytes)
_SLICED = (str, bytes, list, tuple)
_DECIMAL_BITS = 14_000  # CPython refuses to write longer integers in decimals


class _FullError(Exception):
    pass


def show(value: Any, limit: int, *, by_base: bool = False) -> tuple[str, bool]:
    """Return the value as text, and whether that is the source of all of it.

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
        writer.parts.append(f"<{name_of(value)}: showing it raised {name_of(error)}>")
    return "".join(writer.parts), writer.plain


def show_sides(left: Any, right: Any, limit: int) -> tuple[str, str]:
    """Return two values that were compared as text.

    Where these are too long to show how they differ, the parts around the first difference.
    """
    shown = show(left, limit)[0], show(right, limit)[0]
    kind = kind_of(left)
    whole = len(shown[0]) < limit
    if kind is not kind_of(right) or kind not in _SLICED or shown[0] != shown[1] or whole:
        return shown
    pairs = enumerate(zip(left[:_COMPARED], right[:_COMPARED]))  # noqa: B905  # of any length
    end = min(len(left), len(right))
    at = next((i for i, (a, b) in pairs if not _is_same(a, b)), end)
    if at == end and (len(left) == len(right) or end > _COMPARED):
        return shown
    part = slice(max(0, at - _AROUND), at + _AROUND)
    first, second = (show(value[part], limit)[0] for value in (left, right))
    where = f"... from index {part.start} on: "
    return f"{where}{first} ...", f"{where}{second} ..."


def _is_same(a: Any, b: Any) -> bool:
    """Tell whether two items are shown alike, or are of classes of their own."""
    if a is b:
        return True
    if type(a) is type(b) and type(a) in _PLAIN:
        return bool(a == b or (a != a and b != b))  # noqa: PLR0124  # NaN
    if type(a) not in _METHODS or type(b) not in _METHODS:
        return True  # its own process would have to be asked
    return show(a, _ITEM)[0] == show(b, _ITEM)[0]


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
        kind = self.kind(value)
        if kind is None:
            self.plain = False
            self.put(guarded(lambda: repr(value), f"{name_of(value)} object: its repr"))
        else:
            _METHODS[kind](self, value, kind, depth)

    def kind(self, value: object) -> Any:
        """Return the plain type it is of; None where it is of none."""
        if type(value) in _METHODS:
            return type(value)
        bases = [base for base in _BASES if self.by_base and issubclass(type(value), base)]
        return bases[0] if bases else None

    def constant(self, value: Any, _kind: Any, _depth: int) -> None:
        self.put("..." if value is ... else repr(value))

    def text(self, value: Any, kind: Any, _depth: int) -> None:
        # What is cut here does not fit any more, for its quotes alone.
        self.put(kind.__repr__(kind.__getitem__(value, slice(max(self.left, 0)))))

    def integer(self, value: Any, _kind: Any, _depth: int) -> None:
        bits = int.bit_length(value)
        if bits <= _DECIMAL_BITS:
            self.put(int.__repr__(value))
        elif bits <= 4 * self.left:
            self.put(hex(value))
        else:
            self.plain = False
            self.put(f"<int of {bits} bits>")

    def number(self, value: Any, kind: Any, _depth: int) -> None:
        text = kind.__repr__(value)
        odd = "n" in text  # nan, inf
        self.plain = self.plain and not (odd and kind is complex)
        if kind is complex and not odd:
            text = _complex(value) or text
        self.put(f"float({text!r})" if odd and kind is float else text)

    def sequence(self, value: Any, kind: Any, depth: int) -> None:
        first, last = _BRACKETS[kind]
        self.put(first)
        for index, item in enumerate(self.inner(kind.__iter__(value), depth)):
            self.put(", " if index else "")
            self.write(item, depth + 1)
        self.put("," + last if first == "(" and kind.__len__(value) == 1 else last)

    def mapping(self, value: Any, kind: Any, depth: int) -> None:
        self.put("{")
        for index, (key, item) in enumerate(self.inner(kind.items(value), depth)):
            self.put(", " if index else "")
            self.write(key, depth + 1)
            self.put(": ")
            self.write(item, depth + 1)
        self.put("}")

    def members(self, value: Any, kind: Any, depth: int) -> None:
        """Of a set: sorted by their text, so that equal sets are equal text."""
        texts: list[str] = []
        room = self.left
        for member in self.inner(kind.__iter__(value), depth):
            inner = _Writer(room, by_base=self.by_base)
            try:
                inner.write(member, depth + 1)
            except _FullError:
                break
            self.plain = self.plain and inner.plain
            texts.append("".join(inner.parts))
            room -= len(texts[-1])
        size = kind.__len__(value)
        shown = [*sorted(texts), *["..."] * (len(texts) < size)]
        text = "{" + ", ".join(shown) + "}" if size else ""
        self.put(f"{kind.__name__}({text})" if kind is frozenset or not size else text)
        if len(texts) < size:
            self.plain = False

    def inner(self, items: Any, depth: int) -> Any:
        """What is in a container, or that there is too much around it already."""
        if depth < _DEPTH:
            return items
        self.plain = False
        raise _FullError


def _complex(value: Any) -> str:
    """Return the source of a complex number whose own text is that of another; else ""."""
    kind: Any = complex  # a class derived from it may have other attributes of these names
    parts = [float.__repr__(part.__get__(value)) for part in (kind.real, kind.imag)]
    # `-1j` has a real part of -0.0, as `-` changes both; and up to Python 3.13 `(1-0j)` has none.
    is_other = "-0.0" in parts or (parts[0] == "0.0" and parts[1][0] == "-")
    return f"complex({parts[0]}, {parts[1]})" if is_other else ""


_METHODS: dict[Any, Any] = {
    bool: _Writer.constant,
    type(None): _Writer.constant,
    type(Ellipsis): _Writer.constant,
    int: _Writer.integer,
    float: _Writer.number,
    complex: _Writer.number,
    str: _Writer.text,
    bytes: _Writer.text,
    list: _Writer.sequence,
    tuple: _Writer.sequence,
    set: _Writer.members,
    frozenset: _Writer.members,
    dict: _Writer.mapping,
}
_BRACKETS = {list: ("[", "]"), tuple: ("(", ")")}
_BASES = (int, float, complex, str, bytes, list, tuple, set, frozenset, dict)
