"""Decoded JSON with its types checked: a provider may send anything."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

__all__ = ["as_count", "as_list", "as_map", "as_text", "decode", "encode"]

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
