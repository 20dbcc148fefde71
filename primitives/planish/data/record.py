"""The base class of all planish values: frozen, compared by value, written as JSON."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["BYTES_AS_BASE64", "FrozenDict", "InMemory", "Record", "freeze"]

BYTES_AS_BASE64 = {"ser_json_bytes": "base64", "val_json_bytes": "base64"}
"""How pydantic is to write bytes: they need not be UTF-8."""

K = TypeVar("K")
V = TypeVar("V")


@cache
def _adapter(cls: Any) -> "TypeAdapter[Any]":
    # Built on first use: schemas cost milliseconds, and most programs never serialise.
    from pydantic import TypeAdapter  # noqa: PLC0415

    return TypeAdapter(cls)


class InMemory:
    """Keep a field out of JSON: it is written as null and read as None.

    For `Annotated[..., InMemory()]`.
    """

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> Any:
        from pydantic_core import core_schema  # noqa: PLC0415 - loaded only to serialise

        return core_schema.no_info_plain_validator_function(
            lambda _value: None,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda _value: None),
        )


class Record:
    """A frozen value that travels as JSON."""

    __slots__ = ()

    def to_json(self, *, indent: int | None = None) -> str:
        """This value and all it holds as JSON text.

        Args:
            indent: Spaces per level; None (the default) for one line.
        """
        kind: Any = type(self)
        text: bytes = _adapter(kind).dump_json(self, indent=indent)
        return text.decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The value `to_json` wrote.

        Raises:
            pydantic.ValidationError: if the text is not such a value; it names the field.
        """
        kind: Any = cls
        value: Self = _adapter(kind).validate_json(text)
        return value


class FrozenDict(dict[K, V]):
    """A dict that cannot be changed, so that it can be hashed; it travels as JSON like any."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping is part of a frozen value: make a new one with dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse  # pyright: ignore[reportAssignmentType]

    def __hash__(self) -> int:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


def freeze(record: object, field: str) -> None:
    """Make the mapping that a frozen record was given one that cannot be changed."""
    mapping: Mapping[Any, Any] = getattr(record, field)
    object.__setattr__(record, field, FrozenDict(mapping))
