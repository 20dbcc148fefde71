"""Read a document that `json_document` wrote, and make the value that it holds.

Whatever a document holds, reading it runs none of it, and raises nothing but `ValueError`.
"""

import json
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from planish.data.json_document import (
    APPEND,
    FLOAT,
    INT,
    ITEMS,
    REFERENCE,
    SCHEMA,
    SHARED,
    TEXT,
    escape,
    type_of,
)

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

__all__ = [
    "UNREAD",
    "Unread",
    "is_newer",
    "object_of",
    "read_document",
    "read_value",
    "validator_of",
]

UNREAD = "_unread"
"""The attribute of a record that has what a newer document says, and this version cannot read."""

_MOST_JOINED = 256_000_000  # characters of all texts made of parts
_MOST_NODES = 20_000_000  # values of a document with all references followed
_version: ContextVar[int] = ContextVar("planish_document_version", default=SCHEMA)


class Unread(NamedTuple):
    """What a record of a newer document has besides its known fields.

    Attributes:
        version: The schema number of the document.
        fields: The unknown fields, as trees of JSON values.
    """

    version: int
    fields: Mapping[str, Any]


def read_value(kind: Any, text: str | bytes, *, name_of_version: str | None) -> Any:
    """Return the value of a class that a document holds.

    Args:
        kind: The class, a dataclass.
        text: The document.
        name_of_version: The name of the schema number; None if the class has a field of that name.

    Raises:
        ValueError: the text is no document of such a value.
    """
    tree: Any = read_document(text)
    version: Any = SCHEMA
    if name_of_version is not None and type_of(tree) is dict:
        version = tree.pop(name_of_version, SCHEMA)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ValueError(
            f"the document's schema is {version!r:.100}: must be a whole number from 1"
        )
    token = _version.set(version)
    try:
        return validator_of(kind, newer=is_newer()).validate_python(tree)
    except RecursionError as error:
        raise ValueError("the JSON text is nested too deeply") from error
    finally:
        _version.reset(token)


def is_newer() -> bool:
    """Return whether the document that is being read has a higher schema number than this one."""
    return _version.get() > SCHEMA


def read_document(text: str | bytes) -> Any:
    """Return the tree that `write_document` wrote.

    Raises:
        ValueError: the text is no JSON, or has a name twice in an object; or a reference leads to
            no earlier place; or the tree has more than 20 million values with all references
            followed, as only a document made for it has.
    """
    if isinstance(text, bytes):
        text = text.decode()
    try:
        return _Reader().read(json.loads(text, object_pairs_hook=object_of))
    except RecursionError as error:
        raise ValueError("the JSON text is nested too deeply") from error


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the dict of an object's names and values, as the `object_pairs_hook` of `json`.

    Raises:
        ValueError: a name stands twice: the last value would be taken, and the others ignored.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _twice(next(name for name in names if names.count(name) > 1))
    return found


def _twice(name: str) -> ValueError:
    return ValueError(f"the name {name[:100]!r} stands twice in one object")


@cache
def validator_of(kind: Any, *, newer: bool) -> "SchemaValidator":
    """Return the validator of a class, which takes numbers and texts as what they are only.

    Args:
        kind: The class.
        newer: Keep unknown fields and unknown words of a closed list.
    """
    # Built on first use: schemas cost milliseconds, and most programs never read a document.
    from pydantic import TypeAdapter  # noqa: PLC0415
    from pydantic_core import SchemaValidator  # noqa: PLC0415

    schema = _exact(TypeAdapter(kind).core_schema, newer=newer)
    return SchemaValidator(schema, {"title": kind.__name__})


# Parts of a schema that are no schemas of values. Names in an object are texts in any case.
_NO_VALUES = frozenset({"serialization", "metadata", "keys_schema"})


def _exact(schema: Any, *, newer: bool) -> Any:
    """Return a core schema that converts nothing, and whose dataclasses are read by `_record`."""
    if type_of(schema) in (list, tuple):
        parts = (_exact(part, newer=newer) for part in schema)
        return [*parts] if type_of(schema) is list else (*parts,)
    if type_of(schema) is not dict:
        return schema
    schema = {
        name: part if name in _NO_VALUES else _exact(part, newer=newer)
        for name, part in schema.items()
    }
    match schema.get("type"):
        case "int" | "str" | "bool":
            return {**schema, "strict": True}
        case "float":  # a whole number stays one
            choices = [{**schema, "type": kind, "strict": True} for kind in ("int", "float")]
            return {"type": "union", "choices": choices, "mode": "left_to_right"}
        case "literal" if newer and all(isinstance(word, str) for word in schema["expected"]):
            return {"type": "str", "strict": True}
        case "enum" if newer:
            return _wrapped(schema, _member)
        case "dataclass":
            return _wrapped(schema, _record)
        case _:
            return schema


def _wrapped(schema: dict[str, Any], function: Any) -> dict[str, Any]:
    """Return the schema of a class whose values a function makes, which calls its validator."""
    own = {"type": "no-info", "function": partial(function, schema["cls"])}
    reference = {"ref": schema.pop("ref")} if "ref" in schema else {}
    return {"type": "function-wrap", "function": own, "schema": schema, **reference}


def _record(kind: Any, tree: Any, handler: Any) -> Any:
    """Return the record of a tree; what its constructor refuses is an error with its place."""
    try:
        record = handler(tree)
        check: Any = getattr(record, "_check_read", None)
        if check is not None:
            check()
    except (AttributeError, LookupError, OverflowError, TypeError) as error:
        raise ValueError(str(error)) from error
    if is_newer() and type_of(tree) is dict and hasattr(kind, UNREAD):
        known = kind.__dataclass_fields__
        unknown = {name: part for name, part in tree.items() if name not in known}
        object.__setattr__(record, UNREAD, Unread(_version.get(), unknown))
    return record


def _member(kind: Any, word: Any, handler: Any) -> Any:
    """Return the member of an enumeration; for an unknown word a member with this text."""
    if not isinstance(word, str) or not issubclass(kind, str) or word in {*cast("Any", kind)}:
        return handler(word)
    member: Any = str.__new__(kind, word)
    member._name_, member._value_ = word.upper(), word
    return member


class _Reader:
    """Follows the references of a document. Each leads to a part that stands before it."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[Any, int]] = {}
        self._characters = 0
        self._copied = 0  # values of lists that others continue

    def read(self, document: Any) -> Any:
        tree = self._read(document, "")[0]
        if type_of(tree) is dict and type_of(document) is dict and SHARED in document:
            del tree[SHARED]
        return tree

    def _read(self, node: Any, pointer: str) -> tuple[Any, int]:
        """Return the value at a place, and how many values it holds."""
        kind = type_of(node)
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
        kind = type_of(value)
        if mark == REFERENCE and kind is str:
            if value not in self._parts:
                raise ValueError(
                    f"the reference {value[:200]!r} at {pointer!r} leads nowhere before it"
                )
            return self._parts[value]
        if mark == APPEND and kind is list and len(value) == len(("list", "item")):
            place = value[0] if type(value[0]) is str else ""
            shorter, count = self._parts.get(place, (None, 0))
            if type_of(shorter) is list:
                self._copied += len(shorter)
                if self._copied > _MOST_NODES:
                    raise ValueError(f"over 20 million values at {pointer!r}, in lists that grow")
                last, more = self._read(value[1], f"{pointer}/{APPEND}/1")
                return [*shorter, last], count + more
            raise ValueError(f"{APPEND} at {pointer!r} names no list before it")
        if mark in (FLOAT, INT) and kind is str:
            return _number(mark, value, pointer), 1
        if mark == TEXT and kind is list:
            return self._join(value, pointer), 1
        if mark == ITEMS and kind is list and all(type(item) is list for item in value):
            return self._read_items(value, pointer)
        return _joined({k: self._read(v, f"{pointer}/{escape(k)}") for k, v in entries.items()})

    def _join(self, parts: list[Any], pointer: str) -> str:
        text = "".join(str(self._read(part, f"{pointer}/{TEXT}")[0]) for part in parts)
        self._characters += len(text)
        if self._characters > _MOST_JOINED:
            raise ValueError(
                f"over 256 million characters at {pointer!r}, with references followed"
            )
        return text

    def _read_items(self, items: list[list[Any]], pointer: str) -> tuple[dict[str, Any], int]:
        found: dict[str, tuple[Any, int]] = {}
        for index, item in enumerate(items):
            place = f"{pointer}/{ITEMS}/{index}"
            if len(item) != len(("name", "value")):
                raise ValueError(f"no name with its value at {place!r}: {str(item)[:100]}")
            name = str(self._read(item[0], f"{place}/0")[0])
            if name in found:
                raise _twice(name)
            found[name] = self._read(item[1], f"{place}/1")
        return _joined(found)


def _joined(parts: dict[str, tuple[Any, int]]) -> tuple[dict[str, Any], int]:
    """Return the values of an object by name, and how many values they hold."""
    return {name: v for name, (v, _) in parts.items()}, 1 + sum(n for _, n in parts.values())


def _number(mark: str, text: str, pointer: str) -> float | int:
    try:
        return float(text) if mark == FLOAT else int(text, 16)
    except ValueError as error:
        raise ValueError(f"no number at {pointer}: {text[:50]!r}") from error
