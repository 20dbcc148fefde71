"""What can be said of any model over HTTP."""

from collections.abc import Mapping
from typing import Any, TypedDict

import httpx

from planish.abc import Clock
from planish.data.usage import ModelPrice, Price
from planish.errors import AuthenticationError
from planish_integrations.models.transport._backoff import Backoff
from planish_integrations.models.transport._breaker import Breaker
from planish_integrations.models.transport._pace import Pace
from planish_integrations.models.transport._secret import Secret
from planish_integrations.models.transport._timeouts import Timeouts

__all__ = ["Options", "Prices", "key_of", "price_of"]

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


def key_of(
    given: Secret | str | None, variables: Mapping[str, str], *names: str, needed_by: str | None
) -> Secret:
    """The key that was given, or else the first the environment has.

    Args:
        given: As the user gave it; "" for none.
        variables: The environment.
        names: Which variables may hold it.
        needed_by: Who must have one, for the message; None where it can do without.

    Raises:
        AuthenticationError: there is none, and one is needed; or no header can have it.
    """
    if isinstance(given, Secret):
        return given
    of = needed_by or "the server"
    name = next((n for n in names if variables.get(n, "").strip()), None)
    if given is None and name is not None:
        return Secret(variables[name], of=of, variable=name)
    key = Secret(given or "", of=of)
    if not key and needed_by is not None:
        raise AuthenticationError(
            f"no key for {needed_by}: set the environment variable {' or '.join(names)}, or "
            "give api_key=...; a server that wants no key is named by base_url=..."
        )
    return key
