"""`Record`, the base class of all planish values: frozen, compared by value, JSON both ways."""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import MISSING, fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, Self, TypeVar, cast

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "Base64",
    "FrozenDict",
    "InMemory",
    "Record",
    "freeze",
    "from_tree",
    "to_tree",
    "without_bom",
]

_VERSION = "schema"
K = TypeVar("K")
V = TypeVar("V")


def _type_of(value: object) -> Any:
    return type(value)


@cache
def _adapter(cls: Any) -> "TypeAdapter[Any]":
    # Built on first use: schemas cost milliseconds, and most programs never serialise.
    from pydantic import TypeAdapter  # noqa: PLC0415

    return TypeAdapter(cls)


class _AsBase64:
    """Marker of bytes, which need not be UTF-8: base64 in JSON, with the alphabet of URLs."""

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> Any:
        from pydantic_core import core_schema  # noqa: PLC0415 - loaded only to serialise

        return core_schema.no_info_before_validator_function(
            _from_base64,
            core_schema.bytes_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(_to_base64),
        )


def _from_base64(value: Any) -> Any:
    from binascii import a2b_base64  # noqa: PLC0415 - loaded only to read

    if not isinstance(value, str):
        return value
    return a2b_base64(value.translate({ord("-"): "+", ord("_"): "/"}), strict_mode=True)


def _to_base64(value: bytes) -> str:
    """Return bytes as base64; those that were written before in this document as the same text."""
    known = _encoded.get() if len(value) >= _WORTH_KEEPING else None
    if known is not None and value in known:
        return known[value]
    from binascii import b2a_base64  # noqa: PLC0415 - loaded only to serialise

    data = b2a_base64(value, newline=False).translate(bytes.maketrans(b"+/", b"-_"))
    text = data.decode("ascii")
    if known is not None:
        known[value] = text
    return text


_WORTH_KEEPING = 1_000  # bytes
_encoded: ContextVar[dict[bytes, str] | None] = ContextVar("planish_base64", default=None)
# Bytes of the document that is being written: a report holds the files of its task many times.


Base64 = Annotated[bytes, _AsBase64()]
"""Bytes that are written to JSON as base64."""


class InMemory:
    """Marker that leaves a field out of JSON: written as null, read as None.

    Use it as `Annotated[..., InMemory()]`.
    """

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> Any:
        from pydantic_core import core_schema  # noqa: PLC0415 - loaded only to serialise

        return core_schema.no_info_plain_validator_function(
            lambda _value: None,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda _value: None),
        )


class Record:
    """Base class of frozen dataclasses that convert to JSON and back."""

    __slots__ = ("_unread",)  # what a newer document says besides, see `json_reading`

    def to_json(self, *, indent: int | None = None) -> str:
        """Return this value, with every value in it, as JSON text.

        A part that is repeated stands once: later places refer to the first, as
        `{"$ref": "/history/0/verdict"}`. See `docs/reports.md`. Every value can be written, also
        lone surrogates, NaN and very long integers.

        Args:
            indent: Spaces per level; None (the default) for one line.
        """
        # Most programs never read or write one; `json` is not loaded for them.
        from planish.data.json_document import SCHEMA, write_document  # noqa: PLC0415

        kind: Any = type(self)
        token = _encoded.set({})
        try:
            tree: dict[str, Any] = to_tree(self)
        finally:
            _encoded.reset(token)
        version = max(SCHEMA, _complete(self, tree))
        if _VERSION not in kind.__dataclass_fields__:  # a `Request` has a field of this name
            tree = {_VERSION: version, **tree}
        return write_document(tree, indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the value that `to_json` wrote, with this or another version of planish.

        Fields that are left out have their defaults. Unknown fields are ignored. In a document
        with a higher schema number, unknown words of a closed list are kept as they are, and
        unknown fields are kept for `to_json`, which then writes that number.

        Raises:
            ValueError: the text is no JSON document, or holds what no value of this class can
                hold. pydantic's ValidationError, which is one, names the field.
        """
        from planish.data.json_reading import read_value  # noqa: PLC0415 - see `to_json`

        kind: Any = cls
        has_version = _VERSION not in kind.__dataclass_fields__
        value: Self = read_value(kind, text, name_of_version=_VERSION if has_version else None)
        return value


@cache
def _empty_defaults(cls: Any) -> Mapping[str, Any]:
    """Return the defaults of a dataclass that are None, zero, false or have nothing in them."""
    defaults: dict[str, Any] = {}
    for field in fields(cls):
        known = field.default is not MISSING
        made: Any = MISSING if field.default_factory is MISSING else field.default_factory()
        default = field.default if known else made
        is_empty = default is None or (default is not MISSING and not default)
        if is_empty or isinstance(default, Record):
            defaults[field.name] = default
    return defaults


def _complete(value: Any, tree: Any) -> int:
    """Leave out of the tree of a value what is empty by default, and is empty; add what is unread.

    Other defaults are written, so that a reader need not know them.

    Returns:
        The highest schema number of the documents that the value and those in it were read from.
    """
    if _is(value, list, tuple) and _is(tree, list, tuple):
        return max(map(_complete, value, tree), default=0)
    if _is(value, Record) and _is(tree, dict):
        version = max((_complete(getattr(value, name), tree[name]) for name in tree), default=0)
        for name, default in _empty_defaults(_type_of(value)).items():
            if _is_empty(getattr(value, name), tree[name], default):
                del tree[name]
        unread: Any = getattr(value, "_unread", None)
        if unread is None:
            return version
        tree.update((name, part) for name, part in unread.fields.items() if name not in tree)
        own: int = unread.version
        return max(version, own)
    if _is(value, Mapping) and _is(tree, dict):
        return max((_complete(value.get(name), part) for name, part in tree.items()), default=0)
    return 0


def _is(value: object, *kinds: Any) -> bool:
    # `isinstance` itself would narrow `Any` to a class with unknown parts.
    return isinstance(value, kinds)


def _is_empty(value: Any, tree: Any, default: Any) -> bool:
    if default is None:
        return tree is None  # also of what is in memory only
    if isinstance(default, Record):
        return type(value) is type(default) and not tree
    if isinstance(default, Mapping):
        return isinstance(value, Mapping) and not value
    # `repr` differs for 0.0 and -0.0.
    return type(value) is type(default) and not value and repr(value) == repr(default)


def to_tree(record: Record, *, mode: Literal["python", "json"] = "python") -> Any:
    """Return a record as dicts, lists and plain values.

    Args:
        record: The record.
        mode: "json" also converts sets, dates and the like, and refuses lone surrogates, which
            no value of planish may do.
    """
    kind: Any = type(record)
    # Without warnings: a word of a newer document is none of the closed list.
    return _adapter(kind).dump_python(record, mode=mode, warnings=False)


def from_tree(kind: type[V], tree: Any) -> V:
    """Return the record that `to_tree` made a tree of.

    Raises:
        ValueError: the tree is none of such a record.
    """
    from planish.data.json_reading import is_newer, validator_of  # noqa: PLC0415 - only to read

    hashable: Any = kind
    value: V = validator_of(hashable, newer=is_newer()).validate_python(tree)
    return value


class FrozenDict(dict[K, V]):
    """Immutable, hashable dict. In JSON it is an object, like any dict."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping is part of a frozen value: make a new one with dict(...)")

    __setitem__: Any = _refuse
    __delitem__: Any = _refuse
    __ior__: Any = _refuse
    clear: Any = _refuse
    pop: Any = _refuse
    popitem: Any = _refuse
    setdefault: Any = _refuse
    update: Any = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


def freeze(record: object, field: str) -> None:
    """Replace a mapping in a field of a frozen record by an immutable copy."""
    mapping: Mapping[Any, Any] = getattr(record, field)
    object.__setattr__(record, field, FrozenDict(mapping))


def without_bom(text: V) -> V:
    """Return a text without a byte order mark, as files of some editors have one.

    Args:
        text: The text; anything else is returned as it is.
    """
    return cast("V", text.removeprefix("\ufeff")) if isinstance(text, str) else text
