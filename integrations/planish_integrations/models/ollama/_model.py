"""Models on a machine of one's own."""

import os
from typing import Unpack

from planish_integrations.models.ollama._wire import OllamaWire
from planish_integrations.models.transport import HttpModel, Options, Secret, key_of

__all__ = ["OLLAMA_URL", "OllamaModel"]

OLLAMA_URL = "http://localhost:11434"
"""Where Ollama listens when nobody told it otherwise."""


class OllamaModel(HttpModel):
    """A model served by Ollama, over its own API: NDJSON, with options OpenAI's has no name for.

    All that is said of `HttpModel` holds. More of Ollama's options, such as the size of the
    context, go into `extra`: `{"options": {"num_ctx": 16384}, "think": True}`.

    Args:
        name: The model, as `ollama list` names it.
        api_key: For ollama.com: the key; None (the default) reads OLLAMA_API_KEY, once, here.
            A server of one's own needs none.
        base_url: What stands before `/api/chat`.
        provider: Who serves it.
        options: Time-outs, backoff and more: see `Options`.

    Raises:
        AuthenticationError: the key cannot stand in an HTTP header.
        ValueError: `base_url` is not an http(s) URL; a time is not above 0; `extra` sets the
            model, messages or stream.
        TypeError: `extra` holds something JSON has no form for.
    """

    HOME = OLLAMA_URL

    def __init__(
        self,
        name: str,
        *,
        api_key: Secret | str | None = None,
        base_url: str = OLLAMA_URL,
        provider: str = "ollama",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(
            name,
            wire=OllamaWire(),
            provider=provider,
            base_url=base_url,
            api_key=key_of(api_key, os.environ, "OLLAMA_API_KEY", needed_by=None),
            **options,
        )
