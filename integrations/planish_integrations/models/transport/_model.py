"""A language model over HTTP."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import TracebackType
from typing import Any, Self, Unpack

import anyio

from planish.abc import OnText
from planish.clock import SYSTEM_CLOCK
from planish.data.message import Reply, Request
from planish.data.usage import FREE, ModelPrice, Price
from planish.errors import OverloadedError, RequestError
from planish_integrations.models.transport._connections import Connections
from planish_integrations.models.transport._endpoint import Endpoint
from planish_integrations.models.transport._exchange import Exchange
from planish_integrations.models.transport._options import Options, Prices, Timeouts, price_of
from planish_integrations.models.transport._retry import (
    Backoff,
    Manners,
    Told,
    Tries,
    marked,
    persist,
)
from planish_integrations.models.transport._secret import Secret
from planish_integrations.models.transport.catalogue import CATALOGUE, PRICES, SELF_HOSTED
from planish_integrations.models.transport.json_values import as_map, decode, encode
from planish_integrations.models.transport.protocol import Wire

__all__ = ["HttpModel", "near"]

_BAD_REQUEST = 400
_NO_SUCH = (404, 410)
_CHARS_PER_TOKEN = 4  # of English and of code, roughly; what was used is counted afterwards


class HttpModel:
    """A `planish.abc.Model` over HTTP: any wire, with one way to behave towards a provider.

    Requests under way at once share connections; when the last of them is answered, fails or
    is cancelled, they are closed. To keep them open between requests, enter the model; when it
    is left, they close:

        async with OpenAIModel("gpt-6.1-terra") as model:
            report = await pipeline.run(task)

    Trouble that may pass (429, 408, 409, 5xx, refused and reset connections, time-outs, an
    answer cut off before any of its text was given on) is backed off and tried again, and
    counted in `Reply.resends`. Once text was given to `on_text` nothing is sent again: pieces
    given twice would not join to `Reply.text`.

    Args:
        name: The model, as its provider names it.
        wire: In which form it is asked.
        provider: Who serves it, as OpenTelemetry names providers: "openai", "groq", ...
        base_url: What stands before the wire's own paths.
        api_key: The key; `Secret("")` for none.
        options: See `Options`.

    Raises:
        ValueError: `base_url` is not an http(s) URL; a time is not above 0; `extra` sets what
            the wire sets.
        TypeError: `extra` holds something JSON has no form for.
    """

    hint: str = ""
    """What to add to the error when the provider does not know the model."""

    HOME = ""
    """Where this class asks when no `base_url` is given; left out of its repr."""

    def __init__(
        self,
        name: str,
        *,
        wire: Wire,
        provider: str,
        base_url: str,
        api_key: Secret,
        **options: Unpack[Options],
    ) -> None:
        timeout = options.get("timeout", 600.0)
        self._name = name
        self._provider = provider
        self._wire = wire
        self._endpoint = Endpoint(provider, base_url, api_key)
        self._timeouts = timeout if isinstance(timeout, Timeouts) else Timeouts.of_silence(timeout)
        self._manners = Manners(
            backoff=options.get("backoff") or Backoff(),
            clock=options.get("clock") or SYSTEM_CLOCK,
            pace=options.get("pace"),
            breaker=options.get("breaker"),
        )
        given = options.get("client")
        self._connections = Connections(given, proxies=not self._endpoint.is_local)
        self._known: Prices = dict(PRICES.get(provider, {}))  # what can be pickled
        prices = options.get("prices")
        self._price: ModelPrice = options.get("price") or price_of(
            name, self._known if prices is None else prices
        )
        if self._price is None and provider in SELF_HOSTED and self._endpoint.is_local:
            self._price = FREE
        listed = CATALOGUE.get(provider, {}).get(name)
        self._max_output = None if listed is None else listed.max_output
        self._extra = _checked(options.get("extra") or {}, wire.own_fields)
        self._added = {name.lower(): text for name, text in (options.get("headers") or {}).items()}

    @property
    def name(self) -> str:
        """The model asked for: `gen_ai.request.model`."""
        return self._name

    @property
    def provider(self) -> str:
        """Who serves it: `gen_ai.provider.name`."""
        return self._provider

    @property
    def price(self) -> ModelPrice:
        """What it costs, for `budget(usd=...)`; None where that is not known."""
        return self._price

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of a reply to a request that does not say; None where not known."""
        return self._max_output

    @property
    def is_at_home(self) -> bool:
        """It is asked where its class asks when nobody says where."""
        return self._endpoint.shown.rstrip("/") == self.HOME

    def __repr__(self) -> str:
        where = "" if self.is_at_home else f", base_url={self._endpoint.shown!r}"
        return f"{type(self).__name__}({self._name!r}, provider={self._provider!r}{where})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer one request; see `planish.abc.Model.reply`.

        Raises:
            RateLimitError: 429 to every try, or at once where the wait asked for is longer
                than `backoff.longest` or the account is used up.
            OverloadedError: the server is overloaded or unreachable, to every try.
            CircuitOpenError: the breaker is open; nothing was sent.
            ModelError: the answer is not of the protocol.
            AuthenticationError: 401 or 403.
            RequestError: any other 4xx: unknown model, bad parameter, text too long, ...
            UnsupportedError: the request wishes what the provider does not take.
        """
        streamed = on_text is not None
        body = self._wire.body(request, self._name, streamed=streamed)
        exchange = Exchange(
            self._endpoint,
            self._wire,
            self._wire.path(self._name, streamed=streamed),
            encode(_merged(body, self._extra)),
            self._timeouts,
            self._price if isinstance(self._price, Price) else None,
            self._endpoint.headers(self._wire.headers, self._added),
        )
        told = None if on_text is None else Told(on_text)
        tries = Tries()

        async def persisted() -> Reply:
            async with self._connections.client() as client:
                whom = self._endpoint.says("is down:")
                return await persist(
                    lambda: exchange.run(client, told), self._manners, told, whom, tokens, tries
                )

        tokens = sum(len(m.content) for m in request.messages) / _CHARS_PER_TOKEN
        tokens += request.max_tokens or 0
        try:
            if self._timeouts.total is None:
                return await persisted()
            with anyio.move_on_after(self._timeouts.total):
                return await persisted()
        except RequestError as error:
            raise self._with_hints(error) from error.__cause__
        what = f"did not answer within {self._timeouts.total:g} seconds"
        raise marked(OverloadedError(self._endpoint.says(what)), tries.failures)

    async def __aenter__(self) -> Self:
        """Keep connections of this event loop open from here on.

        Raises:
            RuntimeError: it is entered already.
        """
        if not self._connections.hold():
            raise RuntimeError(f"{self!r} is entered already; share the one that is")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close them."""
        await self._connections.release()

    def _with_hints(self, error: RequestError) -> RequestError:
        # Some answer 400 for a model they do not know, and name it.
        named = error.status == _BAD_REQUEST and self._name in str(error)
        if not named and error.status not in _NO_SUCH:
            return error
        hints = [hint for hint in (near(self._name, self._known), self.hint) if hint]
        if not hints:
            return error
        message = "; ".join([str(error), *hints])
        return RequestError(message, status=error.status, request_id=error.request_id)


def _checked(extra: Mapping[str, Any], own: frozenset[str]) -> Mapping[str, object]:
    if taken := own & extra.keys():
        raise ValueError(f"extra may not set {', '.join(sorted(taken))}: planish does")
    return as_map(decode(encode(dict(extra))))  # a copy, and a failure here instead of later


def _merged(body: Mapping[str, object], extra: Mapping[str, object]) -> dict[str, object]:
    """Both, `extra` winning; objects that both have are merged in the same way."""
    both = {**body, **extra}
    for name in body.keys() & extra.keys():
        ours, theirs = as_map(body[name]), as_map(extra[name])
        if ours and theirs:
            both[name] = _merged(ours, theirs)
    return both


def near(name: str, known: Iterable[str]) -> str:
    """A hint for an error message, or nothing.

    >>> near("gpt-5-mimi", ["gpt-5", "gpt-5-mini", "claude"])
    "did you mean 'gpt-5-mini' or 'gpt-5'?"
    """
    found = get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(map(repr, found))}?" if found else ""
