"""Decoded JSON with its types checked, and text with its surrogate pairs joined."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

__all__ = ["Mender", "as_count", "as_list", "as_map", "as_text", "decode", "encode", "mend"]

_NOTHING: Mapping[str, object] = {}


def decode(text: str | bytes) -> object:
    """The value `text` encodes.

    Raises:
        ValueError: it is not JSON, not UTF-8, or nested too deeply.
    """
    try:
        return cast("object", json.loads(text))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def encode(value: object) -> bytes:
    """`value` as UTF-8 JSON.

    Half a surrogate pair (what a program printed may hold one) is sent as "?": UTF-8 has no
    form for it, and a request should not fail for what some program printed.

    Raises:
        TypeError: it holds something JSON has no form for.
        ValueError: it holds NaN or an infinity, or itself.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def as_map(value: object) -> Mapping[str, object]:
    """`value` where it is an object, else an empty one."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else _NOTHING


def as_list(value: object) -> Sequence[object]:
    """`value` where it is an array, else an empty one."""
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def as_text(value: object) -> str:
    """`value` where it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int:
    """`value` where it is a whole number from 0 on, else 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if value >= 0 and value == value // 1 else 0


def mend(text: str) -> str:
    r"""`text` with surrogate pairs joined, and a lone half replaced by U+FFFD.

    JSON may write a character beyond U+FFFF as two escapes, and half a one is valid JSON; but
    no such half can be written as UTF-8, so none may reach a `Reply`.

    >>> mend("\ud83d\ude00") == "\U0001f600"
    True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Mender:
    """Mends pieces one by one: the first half of a pair waits for the second."""

    def __init__(self) -> None:
        self._half = ""

    def add(self, piece: str) -> str:
        """What can be said now, with this piece."""
        piece = self._half + piece
        self._half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        return mend(piece[: len(piece) - len(self._half)])

    def end(self) -> str:
        """What waited for a half that never came."""
        half, self._half = self._half, ""
        return mend(half)
