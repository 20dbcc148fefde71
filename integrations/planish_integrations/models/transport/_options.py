"""The options that all models over HTTP share."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any, TypedDict

import httpx

from planish.abc import Clock
from planish.data.usage import ModelPrice, Price
from planish_integrations.models.transport._breaker import Breaker
from planish_integrations.models.transport._rate_limiter import Pace
from planish_integrations.models.transport._retry import Backoff

__all__ = ["Options", "Prices", "Timeouts", "price_of"]

_CONNECT = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds after which waiting ends; the request is then tried again, but for `total`.

    Attributes:
        connect: To open a connection; a server that is there accepts within one.
        first: From the sent request to the first byte of the answer. The default is that of
            OpenAI's own client: a reasoning model asked for a whole answer is silent for
            minutes.
        between: From one piece of an answer to the next.
        total: For the answer with all tries and waits; None (the default) for no limit.
            `planish.Timeout` is the same for a whole pipeline.

    Raises:
        ValueError: one is not above 0.
    """

    connect: float = _CONNECT
    first: float = 600.0
    between: float = 600.0
    total: float | None = None

    def __post_init__(self) -> None:
        for name in ("connect", "first", "between", "total"):
            value: float | None = getattr(self, name)
            if value is not None and (isnan(value) or not value > 0):
                raise ValueError(f"Timeouts({name}={value!r}): must be above 0 seconds")

    @classmethod
    def of_silence(cls, seconds: float) -> "Timeouts":
        """Those that give up after so many seconds without a byte.

        Raises:
            ValueError: `seconds` is not above 0.
        """
        if not seconds > 0:
            raise ValueError(f"timeout={seconds!r}: must be above 0 seconds")
        return cls(connect=min(seconds, _CONNECT), first=seconds, between=seconds)


Prices = Mapping[str, Price]
"""What each model costs, by name. A name stands for those that begin with it and a dash or an
"@", too ("gpt-5.5" for "gpt-5.5-2026-04-23"); the longest that fits counts."""


class Options(TypedDict, total=False):
    """The keyword arguments all models share; each may be left out.

    Attributes:
        timeout: How long to wait for what; a number stands for the seconds without a byte after
            which a try is given up (600).
        backoff: How often to try, and how long to wait between.
        pace: A rate limit to keep to, which several models may share.
        breaker: When to leave the provider alone for a while; None (the default) for never.
        client: An HTTP client to use, for its proxies, TLS or transport. It stays yours to
            close, and bound to the event loop it was first used on.
        price: What the model costs; `planish.data.usage.FREE` for nothing. None (the default) for
            what `prices` says. Where no price is known, `Usage.usd` counts nothing, the span has
            none, and `budget(usd=...)` refuses the model.
        prices: What each model costs, by name, in place of `PRICES`.
        clock: How to wait between tries; None (the default) for real time.
        extra: Fields added to each request's JSON body, objects merged; they win over planish's.
        headers: Headers added to each request.
    """

    timeout: float | Timeouts
    backoff: Backoff | None
    pace: Pace | None
    breaker: Breaker | None
    client: httpx.AsyncClient | None
    price: ModelPrice
    prices: Prices | None
    clock: Clock | None
    extra: Mapping[str, Any] | None
    headers: Mapping[str, str] | None


def price_of(name: str, prices: Prices) -> Price | None:
    """What a model costs; None where that is not known."""
    fitting = [n for n in prices if name == n or name.startswith((f"{n}-", f"{n}@"))]
    return prices[max(fitting, key=len)] if fitting else None
