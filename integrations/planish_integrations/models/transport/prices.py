"""Find the price of a model in a table of prices."""

import re
from collections.abc import Mapping

from planish.data.usage import Price

__all__ = ["Prices", "find_price"]

Prices = Mapping[str, Price]
"""Prices by model name. A name also stands for its versions: "gpt-5.5" for "gpt-5.5-2026-04-23",
"gpt-5.5-latest" and "gpt-5.5@20260423", and for no other model, such as "gpt-5.5-pro"."""

_MONTH, _DAY = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_DATES = (
    rf"20\d\d-{_MONTH}-{_DAY}",
    rf"(?:20)?\d\d{_MONTH}{_DAY}",
    rf"{_MONTH}-20\d\d",
    rf"{_MONTH}-?{_DAY}",
    rf"2\d{_MONTH}",
)
_VERSIONS = re.compile(rf"(?:[-@](?:latest|preview|{'|'.join(_DATES)}))+")
"""The versions of a model that cost the same: "latest", "preview", and dates as providers write
them: 2026-04-23, 20260423, 260423, 04-2026, 04-23, 0423 (a day) or 2604 (a month)."""


def find_price(name: str, prices: Prices) -> Price | None:
    """Return a model's price; None if it is unknown.

    Args:
        name: The model's name.
        prices: Prices by model name. An exact match is used first, then the longest name that
            `name` continues with versions only.
    """
    if name in prices:
        return prices[name]
    matches = [n for n in prices if _is_version(name, n)]
    return prices[max(matches, key=len)] if matches else None


def _is_version(name: str, base: str) -> bool:
    """Return whether a name is another one and versions after it."""
    return name.startswith(base) and _VERSIONS.fullmatch(name[len(base) :]) is not None
