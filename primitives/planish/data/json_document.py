"""Write a tree of JSON values as a document, in which each repeated part stands once.

A report holds its task once for each attempt, and each attempt's task holds the attempts before
it. In a document, a part that was written before is a JSON reference to its first place:
`{"$ref": "/history/0/verdict"}`, with a JSON pointer (RFC 6901). Parts with several references to
them stand in the list `$` at the start, so that the pointers are short: `/$/7`. A list that has one
item more than an earlier list is `{"$append": ["/history/0/…", item]}`. What JSON has no form for
is an object with one key too: `{"$float": "nan"}`, `{"$int": "0x…"}`; `{"$text": […]}` for a text
made of parts, of which some may be references; `{"$items": [[name, value], …]}` for an object with
such a name, or whose one name is one of these. A lone surrogate is written as its escape.

`json_reading` reads it.
"""

import json
import math
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

__all__ = [
    "APPEND",
    "FLOAT",
    "INT",
    "ITEMS",
    "REFERENCE",
    "SCHEMA",
    "SHARED",
    "TEXT",
    "escape",
    "type_of",
    "write_document",
]

SCHEMA = 1
"""The number of the present form of documents. It is raised when a field changes its meaning."""

REFERENCE, FLOAT, INT, TEXT, ITEMS, APPEND = "$ref", "$float", "$int", "$text", "$items", "$append"
SHARED = "$"
"""The name, in the outermost object, of the list of parts that are referred to several times."""

_MARKS = frozenset({REFERENCE, FLOAT, INT, TEXT, ITEMS, APPEND})
_SURROGATE = re.compile("[\ud800-\udfff]")
# Two surrogates that a reader of JSON would take for one character.
_PAIR = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")
_NOT_SHARED = -1  # the number of a part that is too short
_WORTH_SHARING = 60  # characters: a reference has about 25 to 70
_OFTEN = 3  # references to a part that stands in the list of shared parts
_RECENT = 200  # texts that are looked for inside a later one
# CPython neither writes nor reads longer integers in decimal (more than 4,300 digits).
_DECIMAL_BITS = 14_000


def write_document(tree: Any, *, indent: int | None = None) -> str:
    """Return a tree of dicts, lists, tuples, texts, numbers, bools and None as JSON text.

    Args:
        tree: The tree. Its dicts have texts as keys. A tuple is written as a list.
        indent: Spaces per level; None for one line.
    """
    separators = (",", ":") if indent is None else None
    form = _Writer().write(tree)
    text = json.dumps(
        form, indent=indent, separators=separators, allow_nan=False, ensure_ascii=False
    )
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@dataclass(slots=True, eq=False)
class _Part:
    """A part of the tree that is long enough to be referred to.

    Attributes:
        inner: The parts that stand in it.
        uses: The parts that it refers to; those of `inner` are not repeated here.
        references: How many references to it there are; of a list that another continues, more.
        pointer: Its place in the document; "" until the document is laid out.
        is_shared: Whether it stands in the list of shared parts.
    """

    inner: "list[_Part]" = field(default_factory=lambda: [])  # noqa: PIE807 - typed
    uses: "list[_Part]" = field(default_factory=lambda: [])  # noqa: PIE807 - typed
    references: int = 0
    pointer: str = ""
    is_shared: bool = False


@dataclass(slots=True, eq=False)
class _Place:
    """A place of the form in which a part stands, or a reference to it."""

    part: _Part
    form: Any = None  # None for a reference
    is_pointer: bool = False  # the pointer alone, not an object with it


class _Writer:
    """Finds equal parts of a tree, and writes the second and each later one as a reference."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}  # of each different part
        self._number_of: dict[int, int] = {}  # of the containers of the tree, by `id`
        self._shorter: dict[int, Any] = {}  # the key of each list without its last item
        self._written: dict[int, _Part] = {}
        self._recent: deque[tuple[str, _Part]] = deque(maxlen=_RECENT)  # texts
        self._open: list[_Part] = [_Part()]
        self._places: list[_Place] = []  # first places; a part stands after those within it

    def write(self, tree: Any) -> Any:
        self._compare(tree)
        form = self._form(tree)
        root = form.form if isinstance(form, _Place) else form
        if type_of(root) is not dict or not _MARKS.isdisjoint(root):
            return _lay_out(root, "")
        _choose_shared(self._places)
        shared = [place for place in self._places if place.part.is_shared]
        table: list[Any] = []
        for index, place in enumerate(shared):
            place.part.pointer = f"/{SHARED}/{index}"
            table.append(_lay_out(place.form, place.part.pointer))
        laid_out = _lay_out(root, "")
        if not table:
            return laid_out
        first, *others = laid_out.items()
        if type_of(first[1]) is int:  # the number of the form, which stands first
            return dict([first, (SHARED, table), *others])
        return {SHARED: table, **laid_out}

    def _compare(self, node: Any) -> tuple[int, int]:
        """Return a number, which equal parts share, and the length of the part in characters."""
        kind = _kind_of(node)
        key: Any
        if kind is dict:
            parts = [(name, *self._compare(item)) for name, item in node.items()]
            key = (dict, tuple((name, number) for name, number, _ in parts))
            length = 2 + sum(len(name) + 4 + size for name, _, size in parts)
        elif kind is list:
            inner = [self._compare(item) for item in node]
            key = (list, tuple(number for number, _ in inner))
            self._shorter[id(node)] = (list, key[1][:-1])
            length = 2 + sum(1 + size for _, size in inner)
        elif kind is str:
            key, length = (str, node), 2 + len(node)
        else:
            key, length = (kind, _exact(node)), 4
        number = self._numbers.setdefault(key, len(self._numbers))
        if kind is dict or kind is list:
            self._number_of[id(node)] = number if length >= _WORTH_SHARING else _NOT_SHARED
        return number, length

    def _form(self, node: Any) -> Any:
        """Return a part as it stands in the document, with places of parts within it."""
        kind = _kind_of(node)
        if kind is str:
            number = self._numbers[str, node] if len(node) + 2 >= _WORTH_SHARING else _NOT_SHARED
        elif kind is dict or kind is list:
            number = self._number_of[id(node)]
        else:
            return _scalar(node)
        if number == _NOT_SHARED:
            return _plain(node) if kind is str else self._container(node, kind)
        if number in self._written:
            return self._refer(self._written[number])
        part = self._written[number] = _Part()
        self._open[-1].inner.append(part)
        self._open.append(part)
        form = self._text(node, part) if kind is str else self._container(node, kind)
        self._open.pop()
        self._places.append(_Place(part, form))
        return self._places[-1]

    def _refer(self, part: _Part, *, is_pointer: bool = False) -> _Place:
        part.references += _OFTEN if is_pointer else 1  # a list that grows has long pointers
        self._open[-1].uses.append(part)
        return _Place(part, is_pointer=is_pointer)

    def _container(self, node: Any, kind: Any) -> Any:
        return self._object(node) if kind is dict else self._list(node)

    def _list(self, items: Sequence[Any]) -> Any:
        shorter = self._written.get(self._numbers.get(self._shorter[id(items)], _NOT_SHARED))
        if shorter is None:
            return [self._form(item) for item in items]
        return {APPEND: [self._refer(shorter, is_pointer=True), self._form(items[-1])]}

    def _text(self, text: str, part: _Part) -> Any:
        """Return a text, with references in the place of texts that were written lately."""
        pieces: list[Any] = [text]
        for earlier, found in sorted(self._recent, key=lambda known: -len(known[0])):
            if len(earlier) < len(text) and earlier in text:
                pieces = [p for piece in pieces for p in self._split(piece, earlier, found)]
        self._recent.append((text, part))
        if pieces == [text]:
            return _plain(text)
        parts: list[Any] = []
        for piece in pieces:
            parts += _PAIR.split(piece) if isinstance(piece, str) else [piece]
        return {TEXT: parts}

    def _split(self, piece: Any, earlier: str, found: _Part) -> Iterator[Any]:
        """Yield the parts of a text, with a reference in each place of an earlier text."""
        if not isinstance(piece, str):
            yield piece
            return
        for index, rest in enumerate(piece.split(earlier)):
            if index:
                yield self._refer(found)
            if rest:
                yield rest

    def _object(self, entries: dict[str, Any]) -> Any:
        marked = len(entries) == 1 and not _MARKS.isdisjoint(entries)
        if marked or SHARED in entries or any(map(_PAIR.search, entries)):
            return {ITEMS: [[_plain(name), self._form(item)] for name, item in entries.items()]}
        return {name: self._form(item) for name, item in entries.items()}


def _choose_shared(places: Sequence[_Place]) -> None:
    """Mark the parts that stand in the list of shared parts, and all that they refer to."""
    waiting = [place.part for place in places if place.part.references >= _OFTEN]
    while waiting:
        part = waiting.pop()
        if part.is_shared:
            continue
        part.is_shared = True
        within = [part]
        while within:
            one = within.pop()
            waiting += one.uses
            within += one.inner


def _lay_out(form: Any, pointer: str) -> Any:
    """Return a form with references for places of other parts, and note where parts stand."""
    kind = type_of(form)
    if kind is _Place:
        place = cast("_Place", form)
        part = place.part
        if place.form is None or part.is_shared:
            return part.pointer if place.is_pointer else {REFERENCE: part.pointer}
        part.pointer = pointer
        return _lay_out(place.form, pointer)
    if kind is list:
        return [_lay_out(item, f"{pointer}/{index}") for index, item in enumerate(form)]
    if kind is dict:
        return {name: _lay_out(item, f"{pointer}/{escape(name)}") for name, item in form.items()}
    return form


def type_of(value: object) -> Any:
    """Return the class of a value, which type checkers take for any class."""
    return type(value)


def _kind_of(node: Any) -> Any:
    """Return the type that a part has in JSON: tuples are lists, members of enums are texts."""
    for kind in (str, dict):
        if isinstance(node, kind):
            return kind
    return list if isinstance(node, list | tuple) else type_of(node)


def _exact(value: Any) -> str:
    """Return the text of a number, which differs for 0.0 and -0.0, also of a very long one."""
    return hex(value) if isinstance(value, int) else repr(value)


def _plain(value: str) -> Any:
    # `str` of a member of a StrEnum is its value.
    return {TEXT: _PAIR.split(value)} if _PAIR.search(value) else str(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT: repr(value)}
    if isinstance(value, int) and value.bit_length() > _DECIMAL_BITS:
        return {INT: hex(value)}
    return value


def escape(name: str) -> str:
    """Return a key as one part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")
