"""Read JSONL files, gzipped or not, and check the types of a row's fields."""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from planish.data.json_reading import object_of
from planish_integrations.evaluation._errors import DatasetError, RowError

__all__ = [
    "Line",
    "as_list",
    "as_object",
    "decode_json",
    "id_field",
    "json_field",
    "positive_int_field",
    "read_lines",
    "text_field",
    "text_list_field",
]

_DIGITS = 4000
_GZIP = b"\x1f\x8b"  # RFC 1952, section 2.3.1


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file.

    Attributes:
        number: Its place, from 1.
        row: The object; empty if there is none.
        error: Why there is none; None if there is one.
    """

    number: int
    row: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str | None = None


def read_lines(path: Path) -> list[Line]:
    """Return the lines of a file without empty ones. The content decides whether it is gzipped.

    Raises:
        DatasetError: the file does not exist, cannot be read or is damaged, or its first line is
            not a JSON object. For later lines that are not, `Line.error` says so.
    """
    lines = list(_lines(_text(path)))
    if not lines:
        raise DatasetError(f"{path}: the file is empty")
    if lines[0].error is not None:
        raise DatasetError(f"{path}: not JSONL: line {lines[0].number} {lines[0].error}")
    return lines


def decode_json(text: str) -> Any:
    """Return the value of JSON text, with integers of any length.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(text, parse_int=_whole)


def _whole(digits: str) -> int:
    # int() rejects more digits than its limit because it is slow; Decimal is faster.
    return int(digits) if len(digits) < _DIGITS else int(Decimal(digits))


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DatasetError(f"{path}: there is no such file") from None
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror or error}") from error
    if content.startswith(_GZIP):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            raise DatasetError(f"{path}: the gzip file is damaged: {error}") from error
    elif path.suffix == ".gz":
        raise DatasetError(f"{path}: the name ends in .gz, but the content is not gzip")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: not UTF-8: {error}") from error


def _lines(text: str) -> Iterator[Line]:
    # Not splitlines(), because a JSON string may contain U+2028 or other line separators.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _line(number, line)


def _line(number: int, line: str) -> Line:
    try:
        value: object = json.loads(line, parse_int=_whole, object_pairs_hook=object_of)
    except (json.JSONDecodeError, RecursionError):
        return Line(number, error="is not JSON")
    except ValueError as error:
        return Line(number, error=f"is not JSON: {error}")
    if not isinstance(value, dict):
        return Line(number, error="is not a JSON object")
    return Line(number, cast("dict[str, Any]", value))


def text_field(row: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of these fields that is a text; None if none is."""
    values = (row.get(name) for name in names)
    return next((value for value in values if isinstance(value, str)), None)


def text_list_field(row: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    """Return a field that is a list of texts; None if it is not."""
    value = row.get(name)
    if not isinstance(value, list):
        return None
    items = cast("list[object]", value)
    texts = tuple(item for item in items if isinstance(item, str))
    return texts if len(texts) == len(items) else None


def id_field(row: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of these fields that is a text or an integer, as text; else None."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
    return None


def json_field(row: Mapping[str, Any], name: str) -> Any:
    """Return a field that contains JSON as text, decoded; a field of another type unchanged.

    Raises:
        RowError: it is text that is not JSON.
    """
    value = row.get(name)
    if not isinstance(value, str):
        return value
    try:
        return decode_json(value)
    except (ValueError, RecursionError) as error:
        raise RowError(f"its {name} is not JSON: {error}") from error


def as_list(value: object) -> list[Any] | None:
    """Return a decoded value if it is a list; else None."""
    return cast("list[object]", value) if isinstance(value, list) else None


def as_object(value: object) -> dict[str, Any] | None:
    """Return a decoded value if it is a JSON object; else None."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def positive_int_field(row: Mapping[str, Any], name: str) -> int | None:
    """Return a field that is an integer from 1; None if it is not."""
    value = row.get(name)
    valid = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    return value if valid else None
