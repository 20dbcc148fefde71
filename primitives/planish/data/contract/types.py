"""The types of a contract: of cells of tables, of JSON values, of values in files of their own."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from planish.data.record import Record
from planish.errors import TaskError

if TYPE_CHECKING:
    from datetime import timedelta

__all__ = [
    "CELL_TYPES",
    "JSON_TYPES",
    "ValueFile",
    "is_cell",
    "is_json",
    "json_type",
    "require_type",
    "text_of",
    "value_text",
]

_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?"
# No two parts of a pattern match the same digits: each takes linear time.
CELL_TYPES: Mapping[str, re.Pattern[str] | None] = {
    "str": re.compile(r".*", re.DOTALL),
    "int": re.compile(r"[+-]?[0-9]+"),
    "float": re.compile(rf"{_NUMBER}|nan|[+-]?inf", re.IGNORECASE),
    "bool": re.compile(r"true|false|0|1", re.IGNORECASE),
    "date": None,
    "datetime": None,
    "timedelta": None,
}
"""What a cell of each type matches; None for what is parsed."""

JSON_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "list": (list,),
    "dict": (dict,),
    "null": (type(None),),
    "date": (str,),
    "datetime": (str,),
    "timedelta": (str,),
}
"""The classes of the values of each type. JSON has no dates and times: they are texts."""

_CLOCK = re.compile(
    r"(?:(?P<days>[+-]?[0-9]{1,9}) days?, )?(?P<hours>[0-9]{1,2}):(?P<minutes>[0-5][0-9])"
    r":(?P<seconds>[0-5][0-9](?:\.[0-9]{1,6})?)"
)
_ISO = re.compile(
    r"(?P<sign>[+-]?)P(?=[0-9T])(?:(?P<weeks>[0-9]{1,9})W)?(?:(?P<days>[0-9]{1,9})D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>[0-9]{1,9})H)?(?:(?P<minutes>[0-9]{1,9})M)?"
    r"(?:(?P<seconds>[0-9]{1,12}(?:\.[0-9]{1,6})?)S)?)?"
)


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
    if isinstance(value, str) and one in CELL_TYPES and CELL_TYPES[one] is None:
        return is_cell(value, one)
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
    try:
        _parse_value(cell, one)
    except ValueError:
        return False
    return True


def _parse_value(text: str, one: str) -> Any:
    """Return the value that a text has as one of a type.

    Args:
        text: The text. Dates and times are read as ISO 8601, a timedelta as `str` writes it
            ("1 day, 2:30:00") or as ISO 8601 ("P1DT2H30M").
        one: A type of `CELL_TYPES`.

    Raises:
        ValueError: it is none of that type.
    """
    pattern = CELL_TYPES[one]
    if pattern is not None and pattern.fullmatch(text) is None:
        raise ValueError(f"{text[:100]!r} is no {one}")
    return _PARSERS[one](text)


def value_text(value: object) -> str | None:
    """Return the text of a value of a type, as a contract reads it; None if it has no type."""
    from datetime import date, timedelta  # noqa: PLC0415 - most tasks have no dates

    if isinstance(value, str):
        return value
    if isinstance(value, date):  # which a datetime is too
        return value.isoformat()
    if isinstance(value, bool | int | float | timedelta):
        return str(value)
    return None


def _parse_date(text: str) -> Any:
    from datetime import date  # noqa: PLC0415 - most tasks have no dates

    return date.fromisoformat(text)


def _parse_datetime(text: str) -> Any:
    from datetime import datetime  # noqa: PLC0415 - most tasks have no dates

    return datetime.fromisoformat(text)


def _parse_timedelta(text: str) -> "timedelta":
    from datetime import timedelta  # noqa: PLC0415 - most tasks have no dates

    found = _CLOCK.fullmatch(text) or _ISO.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:100]!r} is no timedelta")
    parts = found.groupdict()
    negative = parts.pop("sign", "") == "-"
    try:
        # Seconds may have a fraction; the others are whole, and exact.
        size = timedelta(
            **{
                name: float(part) if "." in part else int(part)
                for name, part in parts.items()
                if part
            }
        )
        return -size if negative else size
    except OverflowError as error:
        raise ValueError(str(error)) from error


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": lambda text: text.lower() in ("true", "1"),
    "date": _parse_date,
    "datetime": _parse_datetime,
    "timedelta": _parse_timedelta,
}


def text_of(content: bytes) -> str | None:
    """Return a text in UTF-8; None for other bytes, and for texts with a NUL."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueFile(Record):
    """A file with one value as text, such as `0.5` or `2026-01-31`.

    Attributes:
        type: "str", "int", "float", "bool" ("true" or "false"), "date", "datetime" (ISO 8601) or
            "timedelta" (as `str` writes one, such as "1 day, 2:30:00", or ISO 8601: "P1DT2H30M").
            White space around the value does not count, except for "str".
        optional: Whether the file may be missing; False by default.

    Raises:
        TaskError: there is no such type.
    """

    format: Literal["value"] = field(default="value", repr=False)
    type: str
    optional: bool = False

    def __post_init__(self) -> None:
        require_type("ValueFile", "type", self.type, CELL_TYPES)

    def describe(self) -> str:
        """Return what the content must be, in words."""
        return f"one {self.type} as text{_EXAMPLES.get(self.type, '')}"

    def fault(self, content: bytes) -> str | None:
        """Return what is wrong with the content, as the end of a sentence; None if nothing is."""
        text = text_of(content)
        if text is None:
            return "is not text in UTF-8"
        try:
            self.read(content)
        except ValueError:
            return f"has {text[:100]!r}, not one {self.type}"
        return None

    def read(self, content: bytes) -> Any:
        """Return the value of a content.

        Raises:
            ValueError: it has none of the type.
        """
        text = content.decode("utf-8-sig")
        return _parse_value(text if self.type == "str" else text.strip(), self.type)


_EXAMPLES = {
    "bool": ": true or false",
    "date": ": ISO 8601, such as 2026-01-31",
    "datetime": ": ISO 8601, such as 2026-01-31T12:30:00",
    "timedelta": ", such as 1 day, 2:30:00 or P1DT2H30M",
}
