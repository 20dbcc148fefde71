"""Fields of a decoded row, with their types checked: a file may hold anything."""

from collections.abc import Mapping
from typing import Any, cast

from planish_integrations.evaluation._errors import RowError
from planish_integrations.evaluation._jsonl import decode_json

__all__ = ["json_of", "list_in", "name_of", "object_in", "text_of", "texts_of", "whole_of"]


def text_of(row: Mapping[str, Any], *names: str) -> str | None:
    """The first of these fields that is a text; None where none is."""
    values = (row.get(name) for name in names)
    return next((value for value in values if isinstance(value, str)), None)


def texts_of(row: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    """A field that is a list of texts; None where it is not."""
    value = row.get(name)
    if not isinstance(value, list):
        return None
    items = cast("list[object]", value)
    found = tuple(item for item in items if isinstance(item, str))
    return found if len(found) == len(items) else None


def name_of(row: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of these fields that is a text or a whole number, as text; else None."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
    return None


def json_of(row: Mapping[str, Any], name: str) -> Any:
    """Return a field that holds JSON as text, decoded; a field of another type as it is.

    Raises:
        RowError: it is text and not JSON.
    """
    value = row.get(name)
    if not isinstance(value, str):
        return value
    try:
        return decode_json(value)
    except (ValueError, RecursionError) as error:
        raise RowError(f"its {name} is not JSON: {error}") from error


def list_in(value: object) -> list[Any] | None:
    """Return a decoded value that is a list; None if it is none."""
    return cast("list[object]", value) if isinstance(value, list) else None


def object_in(value: object) -> dict[str, Any] | None:
    """Return a decoded value that is a JSON object; None if it is none."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def whole_of(row: Mapping[str, Any], name: str) -> int | None:
    """A field that is a whole number from 1 on; None where it is not."""
    value = row.get(name)
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    return value if whole else None
