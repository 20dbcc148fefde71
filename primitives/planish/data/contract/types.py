"""The types of a contract: of cells of tables, and of JSON values."""

import re
from collections.abc import Mapping
from typing import Any

from planish.errors import TaskError

__all__ = ["CELL_TYPES", "JSON_TYPES", "is_cell", "is_json", "json_type", "require_type"]

_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?"
# No two parts of a pattern match the same digits: each takes linear time.
CELL_TYPES: Mapping[str, re.Pattern[str] | None] = {
    "str": re.compile(r".*", re.DOTALL),
    "int": re.compile(r"[+-]?[0-9]+"),
    "float": re.compile(rf"{_NUMBER}|nan|[+-]?inf", re.IGNORECASE),
    "bool": re.compile(r"true|false|0|1", re.IGNORECASE),
    "date": None,
    "datetime": None,
}
"""What a cell of each type matches; None for what is read as ISO 8601."""

JSON_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "list": (list,),
    "dict": (dict,),
    "null": (type(None),),
}
"""The classes of the values of each type."""


def require_type(owner: str, name: object, one: str, known: Mapping[str, Any]) -> None:
    """Raise an error if a type is not known.

    Args:
        owner: The class that has it.
        name: The column or field that has it.
        one: The type.
        known: The known types.

    Raises:
        TaskError: it is not known, or the name is not a text.
    """
    if one not in known or not isinstance(name, str):
        raise TaskError(f"{owner}: {name!r} has the type {one!r}; types are {', '.join(known)}")


def is_json(value: object, one: str) -> bool:
    """Return whether a JSON value has a type; a bool is no number."""
    if isinstance(value, bool):
        return one == "bool"
    return isinstance(value, JSON_TYPES[one])


def json_type(value: object) -> str:
    """Return the type of a JSON value, as a contract names it."""
    return next(one for one in ("bool", "int", *JSON_TYPES) if is_json(value, one))


def is_cell(cell: str, one: str) -> bool:
    """Return whether the text of a cell has a type, or is empty where the type ends with "?"."""
    if one.endswith("?") and not cell:
        return True
    one = one.removesuffix("?")
    pattern = CELL_TYPES[one]
    if pattern is not None:
        return pattern.fullmatch(cell) is not None
    from datetime import date, datetime  # noqa: PLC0415 - most tasks have no dates

    try:
        (date if one == "date" else datetime).fromisoformat(cell)
    except ValueError:
        return False
    return True
