"""`HttpModel`: a language model over HTTP, for any provider's protocol."""

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from difflib import get_close_matches
from types import TracebackType
from typing import Any, Self, Unpack, get_args

import anyio
import httpx

from planish.abc import OnText
from planish.clock import SYSTEM_CLOCK
from planish.data.message import Reply, Request
from planish.data.usage import FREE, ModelPrice, Price
from planish.errors import OverloadedError, PlanishError, RequestError, UnsupportedError
from planish_integrations.models.transport._backoff import Backoff
from planish_integrations.models.transport._connections import Connections
from planish_integrations.models.transport._endpoint import Endpoint
from planish_integrations.models.transport._exchange import Exchange
from planish_integrations.models.transport._extra import (
    Fields,
    merge_fields,
    validate_extra,
    without_secrets,
)
from planish_integrations.models.transport._options import Options, Timeouts, check_options
from planish_integrations.models.transport._retry import (
    AttemptCounter,
    RetryPolicy,
    StreamSink,
    send_with_retry,
    with_resend_count,
)
from planish_integrations.models.transport._secret import (
    Secret,
    TokenSource,
    find_secrets,
)
from planish_integrations.models.transport.catalogue import CATALOGUE, PRICES, SELF_HOSTED
from planish_integrations.models.transport.json_values import encode
from planish_integrations.models.transport.prices import Prices, find_price
from planish_integrations.models.transport.protocol import AcceptsTuning, Effort, ProviderProtocol

__all__ = ["HttpModel", "suggest"]

_BAD_REQUEST = 400
_NOT_FOUND = (404, 410)


class HttpModel:
    """A `planish.abc.Model` over HTTP, for any provider's protocol.

    Concurrent requests share connections, which close when the last request ends. To keep them
    open between requests, use the model as a context manager:

        async with OpenAIModel("gpt-6.1-terra") as model:
            report = await pipeline.run(task)

    Failures that may pass (429, 408, 409, 5xx, refused and reset connections, time-outs, a
    response that ends early) are retried with backoff and counted in `Reply.resends`. After the
    first text was passed to `on_text` there is no retry: pieces that are passed on twice would
    not join to `Reply.text`.

    Args:
        name: The provider's name of the model.
        protocol: The provider's protocol.
        provider: The provider's name in OpenTelemetry: "openai", "groq", ...
        base_url: The part of the URL before the protocol's paths.
        api_key: The key, or an asynchronous function that returns the current one and is called
            before each request is sent; `Secret("")` for none.
        options: See `Options`.

    Raises:
        ValueError: `base_url` is not an http(s) URL; a time is not above 0; `extra` sets a field
            that the protocol sets; a header has a character that no header can have.
        TypeError: an argument is unknown or has a value of another type; `extra` holds an object
            that JSON cannot represent.
        UnsupportedError: the protocol or the model has no `effort` or `cache`.
    """

    hint: str = ""
    """Text to add to the error when the provider does not know the model."""

    DEFAULT_URL = ""
    """The base URL of this class if none is passed; the repr omits it."""

    def __init__(
        self,
        name: str,
        *,
        protocol: ProviderProtocol,
        provider: str,
        base_url: str,
        api_key: Secret | TokenSource,
        **options: Unpack[Options],
    ) -> None:
        owner = type(self).__name__
        check_options(owner, options, name=name, base_url=base_url, provider=provider)
        timeout = options.get("timeout", 600.0)
        self._name = name
        self._provider = provider
        self._protocol = protocol
        extra = validate_extra(options.get("extra") or {}, protocol.reserved_fields)
        self._extra = Fields(extra)
        secrets = {f"extra[{field!r}]": text for field, text in find_secrets(extra)}
        headers = options.get("headers")
        self._endpoint = Endpoint(provider, base_url, api_key, headers, secrets)
        self._timeouts = timeout if isinstance(timeout, Timeouts) else Timeouts.for_silence(timeout)
        self._policy = RetryPolicy(
            backoff=options.get("backoff") or Backoff(),
            clock=options.get("clock") or SYSTEM_CLOCK,
            rate_limiter=options.get("rate_limiter"),
            breaker=options.get("breaker"),
        )
        self.effort: Effort | None = options.get("effort")
        self._cache = options.get("cache", False)
        self._tune({})
        self._connections = Connections(
            options.get("client"),
            proxies=not self._endpoint.is_local,
            host=self._endpoint.authority,
            limit=options.get("max_connections"),
        )
        self._prices: Prices = dict(PRICES.get(provider, {}))  # a dict, so that it can be pickled
        prices = options.get("prices")
        self._price: ModelPrice = options.get("price") or find_price(
            name, self._prices if prices is None else prices
        )
        if self._price is None and provider in SELF_HOSTED and self._endpoint.is_local:
            self._price = FREE
        entry = CATALOGUE.get(provider, {}).get(name)
        self._max_output = None if entry is None else entry.max_output

    @property
    def name(self) -> str:
        """The model to request: `gen_ai.request.model`."""
        return self._name

    @property
    def provider(self) -> str:
        """The provider's name: `gen_ai.provider.name`."""
        return self._provider

    @property
    def price(self) -> ModelPrice:
        """The price, for `budget(usd=...)`; None if it is unknown."""
        return self._price

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of a reply if the request sets no limit; None if it is unknown."""
        return self._max_output

    @property
    def server_address(self) -> tuple[str, int]:
        """The host and the port of requests, for telemetry; see `planish.abc.Served`."""
        return self._endpoint.host, self._endpoint.port

    @property
    def uses_default_url(self) -> bool:
        """The base URL is `DEFAULT_URL`."""
        return self._endpoint.display_url.rstrip("/") == self.DEFAULT_URL

    def config(self) -> Mapping[str, Any]:
        """Return the options that requests follow from, without secrets, for fingerprints."""
        protocol: Any = self._protocol
        return {
            "name": self._name,
            "provider": self._provider,
            "protocol": protocol if is_dataclass(protocol) else type(protocol),
            "server": self._endpoint.config(),
            "extra": without_secrets(self._extra),
            "effort": self.effort,
            "cache": self._cache,
            "timeouts": self._timeouts,
            "backoff": self._policy.backoff,
        }

    def __repr__(self) -> str:
        where = "" if self.uses_default_url else f", base_url={self._endpoint.display_url!r}"
        return f"{type(self).__name__}({self._name!r}, provider={self._provider!r}{where})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Reply to one request; see `planish.abc.Model.reply`.

        Raises:
            RateLimitError: 429 in every attempt; or at once, if the provider's wait is longer
                than `backoff.longest` or the account has no quota.
            OverloadedError: the server was overloaded or unreachable in every attempt.
            CircuitOpenError: the breaker is open; nothing was sent.
            ModelError: the response does not follow the protocol.
            AuthenticationError: 401 or 403.
            RequestError: any other 4xx: unknown model, invalid parameter, text too long, ...
            UnsupportedError: the request sets a field that the provider does not accept.
        """
        sink = None if on_text is None else StreamSink(on_text)
        try:
            return await self._reply(request, sink)
        except PlanishError as error:
            if sink is not None and error is sink.raised:
                raise
            failure = self._endpoint.without_secrets(error)
        # Outside of the handler: otherwise Python would attach the error that was just removed.
        raise failure

    async def _reply(self, request: Request, sink: StreamSink | None) -> Reply:
        exchange = self._exchange(request, streamed=sink is not None)
        counter = AttemptCounter()

        async def send_once(client: httpx.AsyncClient) -> Reply:
            async with self._connections.turn():
                return await exchange.run(client, sink)

        async def send() -> Reply:
            async with self._connections.client() as client:
                subject = self._endpoint.message("is down:")
                return await send_with_retry(
                    lambda: send_once(client), self._policy, sink, subject, tokens, counter
                )

        tokens = float(request.estimate_tokens() + (request.max_tokens or 0))
        with counter.attached():
            try:
                if self._timeouts.total is None:
                    return await send()
                with anyio.move_on_after(self._timeouts.total):
                    return await send()
            except RequestError as error:
                raise self._with_hints(error) from error.__cause__
            text = f"did not answer within {self._timeouts.total:g} seconds"
            raise with_resend_count(OverloadedError(self._endpoint.message(text)), counter.failures)

    def _exchange(self, request: Request, *, streamed: bool) -> Exchange:
        body = self._protocol.body(request, self._name, streamed=streamed)
        self._tune(body)
        return Exchange(
            self._endpoint,
            self._protocol,
            self._protocol.path(self._name, streamed=streamed),
            encode(merge_fields(body, self._extra)),
            self._timeouts,
            self._price if isinstance(self._price, Price) else None,
            request.estimate_tokens(),
        )

    async def __aenter__(self) -> Self:
        """Keep this event loop's connections open until `__aexit__`.

        Raises:
            RuntimeError: the model is already entered in this event loop.
        """
        if not self._connections.keep_open():
            raise RuntimeError(f"{self!r} is already entered; share the entered model")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self._connections.release()

    def _tune(self, body: dict[str, object]) -> None:
        """Add the fields for `effort` and `cache` to a request's JSON."""
        if self.effort is None and not self._cache:
            return
        if self.effort not in (None, *get_args(Effort)):
            raise ValueError(f"effort={self.effort!r}: must be 'low', 'medium' or 'high'")
        if not isinstance(self._protocol, AcceptsTuning):
            raise UnsupportedError(
                f"{type(self._protocol).__name__} has no effort= and cache=: use extra={{...}} for "
                "the provider's own fields, or add the method `tune`"
            )
        self._protocol.tune(body, self._name, effort=self.effort, cache=self._cache)

    def _with_hints(self, error: RequestError) -> RequestError:
        # Some providers answer 400 for an unknown model, with its name in the message.
        names_model = error.status == _BAD_REQUEST and self._name in str(error)
        if not names_model and error.status not in _NOT_FOUND:
            return error
        hints = [hint for hint in (suggest(self._name, self._prices), self.hint) if hint]
        if not hints:
            return error
        message = "; ".join([str(error), *hints])
        return RequestError(message, status=error.status, request_id=error.request_id)


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a hint with similar names, for an error message; "" if there are none.

    >>> suggest("gpt-5-mimi", ["gpt-5", "gpt-5-mini", "claude"])
    "did you mean 'gpt-5-mini' or 'gpt-5'?"
    """
    matches = get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(map(repr, matches))}?" if matches else ""
