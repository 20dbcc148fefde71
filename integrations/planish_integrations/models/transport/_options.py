"""The options that all models over HTTP share: time-outs, prices and `Options` itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf
from typing import Any, TypedDict

import httpx

from planish.abc import Clock
from planish.data.usage import ModelPrice, is_amount, require_price
from planish_integrations.models.transport._backoff import Backoff
from planish_integrations.models.transport._breaker import Breaker
from planish_integrations.models.transport._endpoint import HeaderValue
from planish_integrations.models.transport._rate_limiter import RateLimiter
from planish_integrations.models.transport.prices import Prices
from planish_integrations.models.transport.protocol import Effort

__all__ = ["Options", "Timeouts", "check_options", "check_texts"]

_CONNECT = 10.0
_TOTAL = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Time-outs of one request, in seconds. All but `total` lead to another attempt.

    Attributes:
        connect: To open a connection; a server that is up accepts within one second.
        first: From the end of the request to the first data of the response. The default is that
            of OpenAI's client: a reasoning model that does not stream sends nothing for minutes.
        between: Between two events of a stream, or two pieces of another response. Comments and
            white space, which servers send to keep a connection open, are no data.
        total: For the reply, with all attempts and waits; 30 minutes by default, None for no
            limit. `planish.Timeout` limits a whole pipeline.

    Raises:
        ValueError: a time-out is not above 0.
    """

    connect: float = _CONNECT
    first: float = 600.0
    between: float = 600.0
    total: float | None = _TOTAL

    def __post_init__(self) -> None:
        for name in ("connect", "first", "between", "total"):
            value: float | None = getattr(self, name)
            if value is not None and not (value == inf or (is_amount(value) and value > 0)):
                raise ValueError(f"Timeouts({name}={value!r}): must be above 0 seconds")

    @classmethod
    def for_silence(cls, seconds: float) -> "Timeouts":
        """Return time-outs that end an attempt after so many seconds without data.

        Raises:
            ValueError: `seconds` is not above 0.
        """
        if not (seconds == inf or (is_amount(seconds) and seconds > 0)):
            raise ValueError(f"timeout={seconds!r}: must be above 0 seconds")
        return cls(connect=min(seconds, _CONNECT), first=seconds, between=seconds)


class Options(TypedDict, total=False):
    """The keyword arguments that all models over HTTP accept; all are optional.

    Attributes:
        timeout: Time-outs; a number is the seconds without data after which an attempt ends
            (600 by default).
        backoff: How often to send a request, and how long to wait between attempts.
        rate_limiter: A rate limit, which several models may share; None (the default) for none.
        breaker: A circuit breaker, which several models may share; None (the default) for none.
        client: An HTTP client to use, for its proxies, TLS or transport. The caller closes it;
            it works only in the event loop that first used it, and follows no redirects here,
            because it would send the key along.
        max_connections: How many requests are sent to the model's host at once, by all models of
            the event loop that set this option; further requests wait for their turn. None (the
            default) for no limit.
        price: The model's price; `planish.data.usage.FREE` for nothing. None (the default) reads
            `prices`. Without a known price, `Usage.usd` stays 0, the span has no cost, and
            `budget(usd=...)` refuses the model.
        prices: Prices by model name, in place of `PRICES`.
        clock: How to wait between attempts; None (the default) for real time.
        effort: How much the model may reason before it replies; None (the default) leaves it to
            the provider. See docs/models.md for the field that each protocol sends.
        cache: Mark the part of a conversation that all attempts at a task share, so that the
            provider stores it; False by default. Most providers do so without being asked, and
            nothing is sent to them.
        extra: Fields to add to each request's JSON body. Objects are merged; these fields
            override planish's own.
        headers: Headers to add to each request. A value may be a `Secret`, or an asynchronous
            function that returns the current value: it is called before each request is sent.
    """

    timeout: float | Timeouts
    backoff: Backoff | None
    rate_limiter: RateLimiter | None
    breaker: Breaker | None
    client: httpx.AsyncClient | None
    max_connections: int | None
    price: ModelPrice
    prices: Prices | None
    clock: Clock | None
    effort: Effort | None
    cache: bool
    extra: Mapping[str, Any] | None
    headers: Mapping[str, HeaderValue] | None


_TYPES: Mapping[str, tuple[tuple[type[Any], ...], str]] = {
    "timeout": ((int, float, Timeouts), "a number of seconds, or Timeouts(...)"),
    "backoff": ((Backoff,), "a Backoff(...) or None"),
    "rate_limiter": ((RateLimiter,), "a RateLimiter(...) or None"),
    "breaker": ((Breaker,), "a Breaker(...) or None"),
    "client": ((httpx.AsyncClient,), "an httpx.AsyncClient or None"),
    "max_connections": ((int,), "a whole number or None"),
    "price": ((object,), ""),  # by `require_price`
    "prices": ((Mapping,), "a dict of Price(...) by model name, or None"),
    "clock": ((Clock,), "a Clock or None"),
    "effort": ((str,), "'low', 'medium' or 'high'"),
    "cache": ((bool,), "True or False"),
    "extra": ((Mapping,), "a dict of JSON fields, or None"),
    "headers": ((Mapping,), "a dict of header values by name, or None"),
}
"""The types of each option, and what to write."""


def check_options(owner: str, options: Mapping[str, Any], **texts: object) -> None:
    """Check that options have known names and values of the right types.

    Args:
        owner: The class of the model, for the message.
        options: The options by name.
        texts: Arguments that are to be texts, by name.

    Raises:
        TypeError: an option is unknown, or its value has another type; the message says what to
            write.
        ValueError: `max_connections` is less than 1.
    """
    check_texts(owner, **texts)
    require_price(owner, options.get("price"))
    for name, value in options.items():
        if name not in _TYPES:
            raise TypeError(f"{owner}({name}=...): no such option; {_advice(name)}")
        types, expected = _TYPES[name]
        optional = value is None and name not in ("timeout", "cache")
        is_right = isinstance(value, types) and (name == "cache" or not isinstance(value, bool))
        if not is_right and not optional:
            raise TypeError(f"{owner}({name}={value!r:.80}): must be {expected}")
    limit: int | None = options.get("max_connections")
    if limit is not None and limit < 1:
        raise ValueError(f"max_connections={limit!r}: must be at least 1")
    prices: Mapping[str, object] = options.get("prices") or {}
    for model, price in prices.items():
        require_price(owner, price, f"prices={{{model!r}: ...}}; the price")


def check_texts(owner: str, **arguments: object) -> None:
    """Check that the arguments that name a model and its server are texts.

    Args:
        owner: The class of the model, for the message.
        arguments: The arguments by name.

    Raises:
        TypeError: one is not a text; the message says what to write.
    """
    for name, value in arguments.items():
        if not isinstance(value, str):
            example = ", such as 'http://localhost:8000/v1'" if name == "base_url" else ""
            raise TypeError(f"{owner}({name}={value!r:.80}): must be a text{example}")


def _advice(name: str) -> str:
    if name in ("max_tokens", "seed", "temperature"):
        return f"each request has its own: CodeGenerator(model, {name}=...)"
    near = get_close_matches(name, _TYPES, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(_TYPES)}"
