"""A language model behind OpenAI's chat-completions API, which many servers speak."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

import httpx

from planish.abc import Clock, OnText
from planish.clock import SYSTEM_CLOCK
from planish.data.message import Reply, Request
from planish.errors import AuthenticationError
from planish_integrations.openai._backoff import Backoff
from planish_integrations.openai._body import OWN_FIELDS, body_of
from planish_integrations.openai._client import new_client
from planish_integrations.openai._endpoint import Endpoint
from planish_integrations.openai._exchange import Exchange
from planish_integrations.openai._json import as_map, decode, encode
from planish_integrations.openai._persist import persist
from planish_integrations.openai._usage import Price

__all__ = ["OPENAI_URL", "OpenAIModel"]

OPENAI_URL = "https://api.openai.com/v1"
_KEY = "OPENAI_API_KEY"
_CONNECT = 10.0  # seconds; a server that is there accepts within one


class OpenAIModel:
    """A `planish.abc.Model` over HTTP: OpenAI, Azure, OpenRouter, Groq, vLLM, Ollama, ...

    A request opens a connection and closes it when it is answered, fails or is cancelled.
    To keep connections open between requests, enter the model; when it is left, they close:

        async with OpenAIModel("gpt-5-mini") as model:
            report = await pipeline.run(task)

    Trouble that may pass (429, 408, 5xx, refused and reset connections, time-outs, an answer
    cut off before any of its text was given on) is backed off and tried again, and counted in
    `Reply.resends`. Once text was given to `on_text` nothing is sent again: pieces given
    twice would not join to `Reply.text`.

    Args:
        name: The model, as its provider names it.
        api_key: The key; None (the default) reads OPENAI_API_KEY, once, here. "" sends none,
            for servers that want none, and needs a `base_url`.
        base_url: What stands before `/chat/completions`.
        provider: Who serves it, as OpenTelemetry names providers: "openai", "groq", ...
        timeout: Seconds without a byte after which a try is given up. The default is that of
            OpenAI's own client: a reasoning model asked for a whole answer is silent for
            minutes. Connecting may take 10.
        backoff: How often to try, and how long to wait between.
        client: An HTTP client to use, for its proxies, TLS or transport. It stays yours to
            close, and bound to the event loop it was first used on.
        prices: What the model costs, or what each model costs by name; without it, or where
            the name is missing, `Usage.usd` is 0.0.
        clock: How to wait; None (the default) for real time.
        extra: Fields added to each request's JSON body; they win over planish's own.
        max_tokens_field: What this server calls `Request.max_tokens`. None (the default) means
            "max_completion_tokens" at OpenAI and Azure, whose reasoning models refuse the old
            name, and "max_tokens" elsewhere, where few know the new one.

    Raises:
        AuthenticationError: no key was given, OPENAI_API_KEY is not set either, and
            `base_url` is OpenAI's; or the key cannot stand in an HTTP header.
        ValueError: `base_url` is not an http(s) URL; `timeout` is not above 0; `extra` sets
            the model, messages or stream.
        TypeError: `extra` holds something JSON has no form for.
    """

    def __init__(  # noqa: PLR0913  # options, each with a default
        self,
        name: str,
        *,
        api_key: str | None = None,
        base_url: str = OPENAI_URL,
        provider: str = "openai",
        timeout: float = 600.0,
        backoff: Backoff | None = None,
        client: httpx.AsyncClient | None = None,
        prices: Mapping[str, Price] | Price | None = None,
        clock: Clock | None = None,
        extra: Mapping[str, Any] | None = None,
        max_tokens_field: str | None = None,
    ) -> None:
        if not timeout > 0:
            raise ValueError(f"OpenAIModel(timeout={timeout!r}): must be above 0 seconds")
        self._name = name
        self._provider = provider
        self._endpoint = Endpoint(provider, base_url, _key_for(api_key, base_url))
        self._timeout = httpx.Timeout(timeout, connect=min(timeout, _CONNECT), pool=None)
        self._backoff = Backoff() if backoff is None else backoff
        self._client = client
        self._pool: httpx.AsyncClient | None = None
        self._price = prices.get(name) if isinstance(prices, Mapping) else prices
        self._clock = SYSTEM_CLOCK if clock is None else clock
        self._extra = _checked(extra or {})
        self._max_tokens_field = max_tokens_field or self._endpoint.max_tokens_field

    @property
    def name(self) -> str:
        """The model asked for: `gen_ai.request.model`."""
        return self._name

    @property
    def provider(self) -> str:
        """Who serves it: `gen_ai.provider.name`."""
        return self._provider

    def __repr__(self) -> str:
        where = "" if self._endpoint.shown == OPENAI_URL else f", base_url={self._endpoint.shown!r}"
        return f"OpenAIModel({self._name!r}, provider={self._provider!r}{where})"

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer one request; see `planish.abc.Model.reply`.

        Raises:
            RateLimitError: 429 to every try, or at once where the wait asked for is longer
                than `backoff.longest` or the account is used up.
            OverloadedError: the server is overloaded or unreachable, to every try.
            ModelError: the answer is not of the protocol.
            AuthenticationError: 401 or 403.
            RequestError: any other 4xx: unknown model, bad parameter, text too long, ...
        """
        body = body_of(
            request,
            model=self._name,
            streamed=on_text is not None,
            max_tokens_field=self._max_tokens_field,
            extra=self._extra,
        )
        exchange = Exchange(self._endpoint, encode(body), self._timeout, self._price)
        async with self._clients() as client:
            return await persist(exchange, client, on_text, self._backoff, self._clock)

    async def __aenter__(self) -> Self:
        """Keep connections open from here on.

        Raises:
            RuntimeError: it is entered already.
        """
        if self._pool is not None:
            raise RuntimeError(f"{self!r} is entered already; share the one that is")
        self._pool = new_client(proxies=not self._endpoint.is_local)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close them."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.aclose()

    @asynccontextmanager
    async def _clients(self) -> AsyncGenerator[httpx.AsyncClient, None]:
        kept = self._client or self._pool
        if kept is not None:
            yield kept
            return
        async with new_client(proxies=not self._endpoint.is_local) as client:
            yield client


def _key_for(api_key: str | None, base_url: str) -> str:
    key = (os.environ.get(_KEY, "") if api_key is None else api_key).strip()
    if not key and base_url.rstrip("/") == OPENAI_URL:
        raise AuthenticationError(
            f"no key for {OPENAI_URL}: set the environment variable {_KEY}, or give api_key=...; "
            "a server that wants no key is named by base_url=..."
        )
    return key


def _checked(extra: Mapping[str, Any]) -> Mapping[str, object]:
    if own := OWN_FIELDS & extra.keys():
        raise ValueError(f"extra may not set {', '.join(sorted(own))}: planish does")
    return as_map(decode(encode(dict(extra))))  # a copy, and a failure here instead of later
