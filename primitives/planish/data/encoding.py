"""Convert any value of a known type to JSON text and back, and compute digests of values."""

from functools import cache
from typing import TYPE_CHECKING, Any, cast

from planish.data.record import Record

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["decode", "digest_of", "encode", "require_encodable"]

_CONFIG = {
    "ser_json_bytes": "base64",
    "val_json_bytes": "base64",
    "ser_json_inf_nan": "constants",
}


@cache
def _adapter(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import PydanticUserError, TypeAdapter  # noqa: PLC0415 - slow to import

    try:
        return TypeAdapter(kind, config=_CONFIG)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    except PydanticUserError:  # a class with a configuration of its own
        return TypeAdapter(kind)


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)


def encode(value: Any, kind: Any) -> str:
    """Return a value as JSON text.

    Args:
        value: The value.
        kind: Its type: a class, or a type expression such as `int | None`.

    Raises:
        TypeError: a value of this type has no JSON form.
    """
    if _is_record(kind) and isinstance(value, Record):
        return value.to_json()
    from pydantic import PydanticSchemaGenerationError  # noqa: PLC0415 - slow to import
    from pydantic_core import PydanticSerializationError  # noqa: PLC0415 - the same

    try:
        text: bytes = _adapter(kind).dump_json(value)
    except (PydanticSchemaGenerationError, PydanticSerializationError) as error:
        first_line = str(error).partition("\n")[0]  # the others are about pydantic
        raise TypeError(
            f"a {type(value).__qualname__} cannot be written as JSON: {first_line}"
        ) from error
    return text.decode()


def decode(text: str | bytes, kind: Any) -> Any:
    """Return the value that `encode` wrote for the same type.

    Raises:
        pydantic.ValidationError: the text is no value of this type.
    """
    read: Any = kind.from_json if _is_record(kind) else _adapter(kind).validate_json
    return read(text)


def require_encodable(kind: Any) -> None:
    """Check that values of a type have a JSON form.

    Raises:
        TypeError: they have none.
    """
    if _is_record(kind):
        return
    from pydantic import PydanticSchemaGenerationError  # noqa: PLC0415 - slow to import

    try:
        _adapter(kind)
    except PydanticSchemaGenerationError as error:
        raise TypeError(f"values of the type {kind!r} have no JSON form") from error


def digest_of(value: Any) -> str:
    """Return 32 hexadecimal digits that are equal for equal values, in every process.

    Raises:
        TypeError: the value cannot be written as JSON.
    """
    from hashlib import blake2b  # noqa: PLC0415 - loads OpenSSL, which few programs need

    kind = cast("Any", type(value))
    text = f"{kind.__qualname__} {encode(value, kind)}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
