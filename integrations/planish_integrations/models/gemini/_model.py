"""Google's models."""

import os
from typing import Unpack

from planish_integrations.models.gemini._wire import GeminiWire
from planish_integrations.models.transport import HttpModel, Options, Secret, key_of

__all__ = ["GEMINI_URL", "GeminiModel"]

GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta"
"""Where the Gemini API is asked."""

_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")


class GeminiModel(HttpModel):
    """A model behind Google's generateContent and streamGenerateContent.

    All that is said of `HttpModel` holds. The key goes as a header, never in the URL, which
    servers and clients write to their logs. For Vertex AI give its `base_url` up to and with
    `/publishers/google`, no key, and the token as `headers`:
    `{"authorization": "Bearer ..."}`.

    Args:
        name: The model, as Google names it, with or without "models/".
        api_key: The key; None (the default) reads GEMINI_API_KEY or GOOGLE_API_KEY, once, here.
            "" sends none.
        base_url: What stands before `/models/...`.
        provider: Who serves it, as OpenTelemetry names providers.
        options: Time-outs, backoff, prices and more: see `Options`.

    Raises:
        AuthenticationError: no key was given, the environment has none either, and `base_url`
            is Google's; or the key cannot stand in an HTTP header.
        ValueError: `base_url` is not an http(s) URL; a time is not above 0; `extra` sets the
            contents.
        TypeError: `extra` holds something JSON has no form for.
    """

    HOME = GEMINI_URL

    def __init__(
        self,
        name: str,
        *,
        api_key: Secret | str | None = None,
        base_url: str = GEMINI_URL,
        provider: str = "gcp.gemini",
        **options: Unpack[Options],
    ) -> None:
        at_home = base_url.rstrip("/") == GEMINI_URL
        super().__init__(
            name.removeprefix("models/"),
            wire=GeminiWire(),
            provider=provider,
            base_url=base_url,
            api_key=key_of(api_key, os.environ, *_KEYS, needed_by=GEMINI_URL if at_home else None),
            **options,
        )
