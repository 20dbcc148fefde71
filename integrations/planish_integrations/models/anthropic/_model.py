"""Anthropic's models, and those of servers that speak its API."""

import os
from typing import Unpack

from planish_integrations.models.anthropic._wire import MessagesWire
from planish_integrations.models.transport import HttpModel, Options, Secret, key_of

__all__ = ["ANTHROPIC_URL", "AnthropicModel"]

ANTHROPIC_URL = "https://api.anthropic.com/v1"
"""Where Anthropic itself is asked."""

_KEY = "ANTHROPIC_API_KEY"


class AnthropicModel(HttpModel):
    """A model behind Anthropic's Messages API.

    All that is said of `HttpModel` holds. It takes no seed, and models since Claude Opus 4.7 and
    Claude Sonnet 5 take no temperature. Their thinking is adaptive and counts towards `max_tokens`;
    set how much with `extra`:
    `{"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}`. Older ones, as Claude
    Haiku 4.5, take `{"thinking": {"type": "enabled", "budget_tokens": 4096}}` instead. A cache of
    the prompt is a matter of `extra`, too.

    Args:
        name: The model, as Anthropic names it.
        api_key: The key; None (the default) reads ANTHROPIC_API_KEY, once, here. "" sends none.
        base_url: What stands before `/messages`.
        provider: Who serves it, as OpenTelemetry names providers.
        max_tokens: The most tokens to answer with where a request does not say; the API wants
            a number. 8192 is what most models allow; those of Claude 3 allow 4096.
        options: Time-outs, backoff, prices and more: see `Options`.

    Raises:
        AuthenticationError: no key was given, ANTHROPIC_API_KEY is not set either, and
            `base_url` is Anthropic's; or the key cannot stand in an HTTP header.
        ValueError: `base_url` is not an http(s) URL; a number is not above 0; `extra` sets the
            model, messages or stream.
        TypeError: `extra` holds something JSON has no form for.
    """

    HOME = ANTHROPIC_URL

    def __init__(
        self,
        name: str,
        *,
        api_key: Secret | str | None = None,
        base_url: str = ANTHROPIC_URL,
        provider: str = "anthropic",
        max_tokens: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        if max_tokens is not None and max_tokens < 1:
            raise ValueError(f"AnthropicModel(max_tokens={max_tokens!r}): must be at least 1")
        self._max_tokens = max_tokens or _most(name)
        at_home = base_url.rstrip("/") == ANTHROPIC_URL
        super().__init__(
            name,
            wire=MessagesWire(self._max_tokens),
            provider=provider,
            base_url=base_url,
            api_key=key_of(api_key, os.environ, _KEY, needed_by=ANTHROPIC_URL if at_home else None),
            **options,
        )

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of a reply to a request that does not say."""
        return self._max_tokens


def _most(name: str) -> int:
    # Anthropic's table of models: of the third generation, those before 3.5 stop at 4096.
    old = name.startswith(("claude-3-opus", "claude-3-sonnet", "claude-3-haiku"))
    return 4096 if old else 8192
