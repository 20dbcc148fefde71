"""Fields of a decoded row, with their types checked: a file may hold anything."""

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["text_of", "texts_of", "whole_of"]


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


def whole_of(row: Mapping[str, Any], name: str) -> int | None:
    """A field that is a whole number from 1 on; None where it is not."""
    value = row.get(name)
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    return value if whole else None
