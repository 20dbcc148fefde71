"""The models of OpenAI's two APIs, at OpenAI and at other servers that implement them."""

import os
from dataclasses import replace
from typing import Unpack, cast

import httpx

from planish_integrations.models.openai._chat import ChatProtocol
from planish_integrations.models.openai._common import ProtocolVariant
from planish_integrations.models.openai._responses import ResponsesProtocol
from planish_integrations.models.transport import (
    ApiKey,
    HttpModel,
    Options,
    check_texts,
    resolve_key,
)
from planish_integrations.models.transport.protocol import ProviderProtocol

__all__ = ["OPENAI_URL", "OpenAIModel", "OpenAIResponsesModel"]

OPENAI_URL = "https://api.openai.com/v1"
"""The base URL of OpenAI's own API."""

_KEY = "OPENAI_API_KEY"
_OPENAI_VARIANT = ProtocolVariant(max_tokens="max_completion_tokens")


class _OpenAI(HttpModel):
    """What the models of both APIs share: address, key and protocol variant."""

    DEFAULT_URL = OPENAI_URL

    def __init__(
        self,
        name: str,
        *,
        api_key: ApiKey | None = None,
        base_url: str = OPENAI_URL,
        provider: str = "openai",
        variant: ProtocolVariant | None = None,
        max_tokens_field: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        owner = type(self).__name__
        check_texts(owner, name=name, base_url=base_url)
        if max_tokens_field is not None:
            check_texts(owner, max_tokens_field=max_tokens_field)
        if not isinstance(cast("object", variant), ProtocolVariant | None):
            raise TypeError(
                f"{owner}(variant={variant!r:.80}): must be a ProtocolVariant(...) or None"
            )
        required_by = OPENAI_URL if base_url.rstrip("/") == OPENAI_URL else None
        key = resolve_key(api_key, os.environ, _KEY, required_by=required_by)
        variant = variant or _variant_at(base_url)
        if max_tokens_field is not None:
            variant = replace(variant, max_tokens=max_tokens_field)
        super().__init__(
            name,
            protocol=self._protocol_for(variant),
            provider=provider,
            base_url=base_url,
            api_key=key,
            **options,
        )

    def _protocol_for(self, variant: ProtocolVariant) -> ProviderProtocol:
        return ChatProtocol(variant)


class OpenAIModel(_OpenAI):
    """A model of the chat-completions API: OpenAI, Azure, OpenRouter, Groq, vLLM, ...

    It behaves as `HttpModel` describes.

    Args:
        name: The provider's name of the model.
        api_key: The key; None (the default) reads OPENAI_API_KEY, once, now. "" sends none, for
            servers without keys, and needs a `base_url`.
        base_url: The part of the URL before `/chat/completions`.
        provider: The provider's name in OpenTelemetry: "openai", "groq", ...
        variant: How the server's API differs. None (the default): OpenAI's own variant at OpenAI
            and Azure, and the most common one elsewhere.
        max_tokens_field: The field for `Request.max_tokens`, if nothing else differs; None (the
            default) for that of the variant.
        options: Time-outs, backoff, prices and more: see `Options`.

    Raises:
        AuthenticationError: `api_key` and OPENAI_API_KEY are not set, and `base_url` is
            OpenAI's; or the key has characters that no HTTP header can have.
        ValueError: `base_url` is not an http(s) URL; a time is not above 0; `extra` sets the
            model, messages or stream.
        TypeError: an argument has another type; `extra` holds an object that JSON cannot
            represent.
    """


class OpenAIResponsesModel(_OpenAI):
    """A model of the Responses API: OpenAI, Azure, xAI, OpenRouter, ...

    The provider stores no responses (`store` is false), because planish sends the whole
    conversation each time. The API accepts no seed and no stop texts. Arguments and errors are
    those of `OpenAIModel`.
    """

    def _protocol_for(self, variant: ProtocolVariant) -> ProviderProtocol:
        return ResponsesProtocol(variant)


def _variant_at(base_url: str) -> ProtocolVariant:
    try:
        host = httpx.URL(base_url).host
    except httpx.InvalidURL:
        host = ""  # `Endpoint` reports it
    if host.endswith(".azure.com"):
        return replace(_OPENAI_VARIANT, key_header="api-key")
    return _OPENAI_VARIANT if host == "api.openai.com" else ProtocolVariant()
