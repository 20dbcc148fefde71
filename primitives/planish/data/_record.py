"""What all planish values share: they are frozen, compared by value, and travel as JSON."""

from functools import cache
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["InMemory", "Record"]


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
