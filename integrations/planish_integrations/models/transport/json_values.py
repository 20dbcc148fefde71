"""Decode and encode JSON, read its fields with checked types, and repair split characters.

A provider may send anything: each `as_...` returns an empty value for a field of another type.
"""

import json
from collections.abc import Mapping, Sequence
from math import inf
from typing import cast

__all__ = [
    "SurrogateRepairer",
    "as_amount",
    "as_count",
    "as_list",
    "as_map",
    "as_text",
    "decode",
    "encode",
    "repair_surrogates",
]

_EMPTY: Mapping[str, object] = {}


def decode(text: str | bytes) -> object:
    """Return the value that a JSON text encodes.

    Raises:
        ValueError: `text` is not JSON, not UTF-8, or nested too deeply.
    """
    try:
        return cast("object", json.loads(text))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def encode(value: object) -> bytes:
    """Return a value as UTF-8 JSON.

    A lone surrogate is sent as "?": UTF-8 cannot encode it, and a program's output may hold one.

    Raises:
        TypeError: the value holds an object that JSON cannot represent.
        ValueError: the value holds NaN, an infinity, or itself.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def as_map(value: object) -> Mapping[str, object]:
    """Return `value` if it is an object, otherwise an empty one."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else _EMPTY


def as_list(value: object) -> Sequence[object]:
    """Return `value` if it is an array, otherwise an empty one."""
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def as_text(value: object) -> str:
    """Return `value` if it is a string, otherwise an empty one."""
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int:
    """Return `value` if it is a whole number of at least 0, otherwise 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if value >= 0 and value == value // 1 else 0


def as_amount(value: object) -> float | None:
    """Return `value` if it is a finite number of at least 0, otherwise None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < inf else None


def repair_surrogates(text: str) -> str:
    r"""Join surrogate pairs, and replace each lone surrogate with U+FFFD.

    JSON may write a character beyond U+FFFF as two escapes, and one half alone is valid JSON;
    UTF-8 cannot encode that half, so none may reach a `Reply`.

    >>> repair_surrogates("\ud83d\ude00") == "\U0001f600"
    True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class SurrogateRepairer:
    """Repairs text that arrives in pieces: the first half of a pair waits for the second."""

    def __init__(self) -> None:
        self._half = ""

    def add(self, piece: str) -> str:
        """Add a piece; return the text that is complete with it."""
        piece = self._half + piece
        self._half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        return repair_surrogates(piece[: len(piece) - len(self._half)])

    def end(self) -> str:
        """Return the replacement for a half whose second half never arrived, or ""."""
        half, self._half = self._half, ""
        return repair_surrogates(half)
