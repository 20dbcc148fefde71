"""`Record`, the base class of all planish values: frozen, compared by value, JSON both ways."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["BYTES_AS_BASE64", "FrozenDict", "InMemory", "Record", "freeze"]

BYTES_AS_BASE64 = {"ser_json_bytes": "base64", "val_json_bytes": "base64"}
"""Pydantic configuration for records with bytes, which need not be UTF-8: base64 in JSON."""

K = TypeVar("K")
V = TypeVar("V")


@cache
def _adapter(cls: Any) -> "TypeAdapter[Any]":
    # Built on first use: schemas cost milliseconds, and most programs never serialise.
    from pydantic import TypeAdapter  # noqa: PLC0415

    return TypeAdapter(cls)


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

    __slots__ = ()

    def to_json(self, *, indent: int | None = None) -> str:
        """Return this value, with every value in it, as JSON text.

        Args:
            indent: Spaces per level; None (the default) for one line.
        """
        kind: Any = type(self)
        text: bytes = _adapter(kind).dump_json(self, indent=indent)
        return text.decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the value that `to_json` wrote.

        Raises:
            pydantic.ValidationError: the text is not a value of this class. The error names the
                field.
        """
        kind: Any = cls
        value: Self = _adapter(kind).validate_json(text)
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
