"""OpenAI's models, and those of the many servers that speak its APIs."""

import os
from dataclasses import replace
from typing import Unpack

import httpx

from planish_integrations.models.openai._chat import ChatWire
from planish_integrations.models.openai._common import Dialect
from planish_integrations.models.openai._responses import ResponsesWire
from planish_integrations.models.transport import HttpModel, Options, Secret, key_of
from planish_integrations.models.transport.protocol import Wire

__all__ = ["OPENAI_URL", "OpenAIModel", "OpenAIResponsesModel"]

OPENAI_URL = "https://api.openai.com/v1"
"""Where OpenAI itself is asked."""

_KEY = "OPENAI_API_KEY"
_OWN = Dialect(max_tokens="max_completion_tokens")


class _OpenAI(HttpModel):
    """What models of both APIs share: where they are, and who may ask them."""

    HOME = OPENAI_URL

    def __init__(
        self,
        name: str,
        *,
        api_key: Secret | str | None = None,
        base_url: str = OPENAI_URL,
        provider: str = "openai",
        dialect: Dialect | None = None,
        max_tokens_field: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        at_home = base_url.rstrip("/") == OPENAI_URL
        key = key_of(api_key, os.environ, _KEY, needed_by=OPENAI_URL if at_home else None)
        spoken = dialect or _spoken_at(base_url)
        if max_tokens_field is not None:
            spoken = replace(spoken, max_tokens=max_tokens_field)
        super().__init__(
            name,
            wire=self._wire_of(spoken),
            provider=provider,
            base_url=base_url,
            api_key=key,
            **options,
        )

    def _wire_of(self, dialect: Dialect) -> Wire:
        return ChatWire(dialect)


class OpenAIModel(_OpenAI):
    """A model behind the chat-completions API: OpenAI, Azure, OpenRouter, Groq, vLLM, ...

    All that is said of `HttpModel` holds.

    Args:
        name: The model, as its provider names it.
        api_key: The key; None (the default) reads OPENAI_API_KEY, once, here. "" sends none,
            for servers that want none, and needs a `base_url`.
        base_url: What stands before `/chat/completions`.
        provider: Who serves it, as OpenTelemetry names providers: "openai", "groq", ...
        dialect: How the server differs from others. None (the default): OpenAI's own at OpenAI
            and Azure, and what most understand elsewhere.
        max_tokens_field: What this server calls `Request.max_tokens`, where that is all that
            differs; None (the default) for what the dialect says.
        options: Time-outs, backoff, prices and more: see `Options`.

    Raises:
        AuthenticationError: no key was given, OPENAI_API_KEY is not set either, and
            `base_url` is OpenAI's; or the key cannot stand in an HTTP header.
        ValueError: `base_url` is not an http(s) URL; a time is not above 0; `extra` sets the
            model, messages or stream.
        TypeError: `extra` holds something JSON has no form for.
    """


class OpenAIResponsesModel(_OpenAI):
    """A model behind the Responses API: OpenAI, Azure, xAI, OpenRouter, ...

    Its answers are not stored by the provider (`store` is false), as planish keeps no chat. It
    takes no seed and no stop texts. Arguments and errors are those of `OpenAIModel`.
    """

    def _wire_of(self, dialect: Dialect) -> Wire:
        return ResponsesWire(dialect)


def _spoken_at(base_url: str) -> Dialect:
    try:
        host = httpx.URL(base_url).host
    except httpx.InvalidURL:
        host = ""  # said by whoever opens it
    if host.endswith(".azure.com"):
        return replace(_OWN, key_header="api-key")
    return _OWN if host == "api.openai.com" else Dialect()
