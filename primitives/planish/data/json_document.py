"""Write a tree of JSON values as a document, in which each repeated part stands once, and read it.

A report holds its task once for each attempt, and each attempt's task holds the attempts before
it. In a document, a part that was written before is a JSON reference to its first place:
`{"$ref": "/history/0/verdict"}`, with a JSON pointer (RFC 6901). A list that has one item more
than an earlier list is `{"$append": ["/history/0/…", item]}`. What JSON has no form for is an
object with one key too: `{"$float": "nan"}`, `{"$int": "0x…"}`; `{"$text": […]}` for a text made
of parts, of which some may be references; `{"$items": [[name, value], …]}` for an object with such
a name, or whose one name is one of these. A lone surrogate is written as its escape.
"""

import json
import math
import re
from collections import deque
from collections.abc import Sequence
from typing import Any

__all__ = ["SCHEMA", "read_document", "write_document"]

SCHEMA = 1
"""The number of the present form of documents. It is raised when a field changes its meaning."""

_REFERENCE, _FLOAT, _INT, _TEXT, _ITEMS, _APPEND = (
    "$ref",
    "$float",
    "$int",
    "$text",
    "$items",
    "$append",
)
_MARKS = frozenset({_REFERENCE, _FLOAT, _INT, _TEXT, _ITEMS, _APPEND})
_SURROGATE = re.compile("[\ud800-\udfff]")
# Two surrogates that a reader of JSON would take for one character.
_PAIR = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")
_NOT_SHARED = -1  # the number of a part that is too short
_WORTH_SHARING = 60  # characters: a reference has about 40 to 70
_RECENT = 200  # texts that are looked for inside a later one
_MOST_JOINED = 256_000_000  # characters of all texts made of parts
_MOST_NODES = 20_000_000  # values of a document with all references followed
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


def read_document(text: str | bytes) -> Any:
    """Return the tree that `write_document` wrote.

    Raises:
        ValueError: the text is no JSON; or a reference leads to no earlier place; or the tree has
            more than 20 million values with all references followed, as only a document made for
            it has.
    """
    if isinstance(text, bytes):
        text = text.decode()
    try:
        return _Reader().read(json.loads(text))
    except RecursionError as error:
        raise ValueError("the JSON text is nested too deeply") from error


class _Writer:
    """Finds equal parts of a tree, and writes the second and each later one as a reference."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}  # of each different part
        self._number_of: dict[int, int] = {}  # of the containers of the tree, by `id`
        self._shorter: dict[int, Any] = {}  # the key of each list without its last item
        self._written_at: dict[int, str] = {}
        self._recent: deque[tuple[str, str]] = deque(maxlen=_RECENT)  # texts and their places

    def write(self, tree: Any) -> Any:
        self._compare(tree)
        return self._form(tree, "")

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

    def _form(self, node: Any, pointer: str) -> Any:
        """Return a part as it stands in the document at a place."""
        kind = _kind_of(node)
        if kind is str:
            number = self._numbers[str, node] if len(node) + 2 >= _WORTH_SHARING else _NOT_SHARED
        elif kind is dict or kind is list:
            number = self._number_of[id(node)]
        else:
            return _scalar(node)
        if number in self._written_at:
            return {_REFERENCE: self._written_at[number]}
        if number != _NOT_SHARED:
            self._written_at[number] = pointer
        if kind is str:
            return self._text(node, number, pointer)
        if kind is dict:
            return self._object(node, pointer)
        return self._list(node, pointer)

    def _list(self, items: Sequence[Any], pointer: str) -> Any:
        shorter = self._numbers.get(self._shorter[id(items)])
        if shorter in self._written_at:
            last = self._form(items[-1], f"{pointer}/{_APPEND}/1")
            return {_APPEND: [self._written_at[shorter], last]}
        return [self._form(item, f"{pointer}/{i}") for i, item in enumerate(items)]

    def _text(self, text: str, number: int, pointer: str) -> Any:
        """Return a text, with references in the place of texts that were written lately."""
        if number == _NOT_SHARED:
            return _plain(text)
        parts: list[Any] = [text]
        for earlier, place in sorted(self._recent, key=lambda found: -len(found[0])):
            if len(earlier) < len(text) and earlier in text:
                parts = [p for part in parts for p in _split(part, earlier, {_REFERENCE: place})]
        self._recent.append((text, pointer))
        if parts == [text]:
            return _plain(text)
        pieces: list[Any] = []
        for part in parts:
            pieces += _PAIR.split(part) if isinstance(part, str) else [part]
        return {_TEXT: pieces}

    def _object(self, entries: dict[str, Any], pointer: str) -> Any:
        marked = len(entries) == 1 and not _MARKS.isdisjoint(entries)
        if marked or any(map(_PAIR.search, entries)):
            place = f"{pointer}/{_ITEMS}"
            pairs = enumerate(entries.items())
            return {_ITEMS: [[_plain(k), self._form(v, f"{place}/{i}/1")] for i, (k, v) in pairs]}
        return {k: self._form(v, f"{pointer}/{_escape(k)}") for k, v in entries.items()}


class _Reader:
    """Follows the references of a document. Each leads to a part that stands before it."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[Any, int]] = {}
        self._characters = 0

    def read(self, document: Any) -> Any:
        return self._read(document, "")[0]

    def _read(self, node: Any, pointer: str) -> tuple[Any, int]:
        """Return the value at a place, and how many values it holds."""
        kind = _type_of(node)
        found: tuple[Any, int] = (node, 1)
        if kind is list:
            items = [self._read(item, f"{pointer}/{i}") for i, item in enumerate(node)]
            found = [value for value, _ in items], 1 + sum(count for _, count in items)
        elif kind is dict:
            found = self._read_object(node, pointer)
        if found[1] > _MOST_NODES:
            raise ValueError(f"over 20 million values at {pointer!r}, with references followed")
        if kind in (dict, list, str):
            self._parts[pointer] = found
        return found

    def _read_object(self, entries: dict[str, Any], pointer: str) -> tuple[Any, int]:
        value: Any = None
        mark = ""
        if len(entries) == 1:
            [(mark, value)] = entries.items()
        kind = _type_of(value)
        if mark == _REFERENCE and kind is str:
            if value not in self._parts:
                raise ValueError(
                    f"the reference {value[:200]!r} at {pointer!r} leads nowhere before it"
                )
            return self._parts[value]
        if mark == _APPEND and kind is list and len(value) == len(("list", "item")):
            shorter, count = self._parts.get(value[0], (None, 0))
            if _type_of(shorter) is list:
                last, more = self._read(value[1], f"{pointer}/{_APPEND}/1")
                return [*shorter, last], count + more
            raise ValueError(f"{_APPEND} at {pointer!r} names no list before it")
        if mark in (_FLOAT, _INT) and kind is str:
            return _number(mark, value, pointer), 1
        if mark == _TEXT and kind is list:
            return self._join(value, pointer), 1
        if mark == _ITEMS and kind is list and all(type(item) is list for item in value):
            return self._read_items(value, pointer)
        return _joined({k: self._read(v, f"{pointer}/{_escape(k)}") for k, v in entries.items()})

    def _join(self, parts: list[Any], pointer: str) -> str:
        text = "".join(str(self._read(part, f"{pointer}/{_TEXT}")[0]) for part in parts)
        self._characters += len(text)
        if self._characters > _MOST_JOINED:
            raise ValueError(
                f"over 256 million characters at {pointer!r}, with references followed"
            )
        return text

    def _read_items(self, items: list[list[Any]], pointer: str) -> tuple[dict[str, Any], int]:
        found: dict[str, tuple[Any, int]] = {}
        for index, item in enumerate(items):
            place = f"{pointer}/{_ITEMS}/{index}"
            if len(item) != len(("name", "value")):
                raise ValueError(f"no name with its value at {place!r}: {str(item)[:100]}")
            name, _ = self._read(item[0], f"{place}/0")
            found[str(name)] = self._read(item[1], f"{place}/1")
        return _joined(found)


def _type_of(value: object) -> Any:
    return type(value)


def _kind_of(node: Any) -> Any:
    """Return the type that a part has in JSON: tuples are lists, members of enums are texts."""
    for kind in (str, dict):
        if isinstance(node, kind):
            return kind
    return list if isinstance(node, list | tuple) else _type_of(node)


def _joined(parts: dict[str, tuple[Any, int]]) -> tuple[dict[str, Any], int]:
    """Return the values of an object by name, and how many values they hold."""
    return {name: v for name, (v, _) in parts.items()}, 1 + sum(n for _, n in parts.values())


def _exact(value: Any) -> str:
    """Return the text of a number, which differs for 0.0 and -0.0, also of a very long one."""
    return hex(value) if isinstance(value, int) else repr(value)


def _split(part: Any, earlier: str, reference: dict[str, str]) -> list[Any]:
    """Return the parts of a text, with a reference in each place of an earlier text."""
    if not isinstance(part, str):
        return [part]
    parts: list[Any] = []
    for index, piece in enumerate(part.split(earlier)):
        parts += [reference] if index else []
        parts += [piece] if piece else []
    return parts


def _plain(value: str) -> Any:
    # `str` of a member of a StrEnum is its value.
    return {_TEXT: _PAIR.split(value)} if _PAIR.search(value) else str(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: repr(value)}
    if isinstance(value, int) and value.bit_length() > _DECIMAL_BITS:
        return {_INT: hex(value)}
    return value


def _number(mark: str, text: str, pointer: str) -> float | int:
    try:
        return float(text) if mark == _FLOAT else int(text, 16)
    except ValueError as error:
        raise ValueError(f"no number at {pointer}: {text[:50]!r}") from error


def _escape(name: str) -> str:
    """Return a key as one part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")
