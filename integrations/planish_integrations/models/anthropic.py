"""Anthropic's Messages API: the model, its requests and its responses.

>>> from planish_integrations.anthropic import AnthropicModel
>>> AnthropicModel("claude-sonnet-5-5", api_key="sk-ant-1")
AnthropicModel('claude-sonnet-5-5', provider='anthropic')
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

from planish.data.message import FinishReason, Request
from planish.data.usage import Usage
from planish.errors import UnsupportedError
from planish_integrations.models.transport import HttpModel, Options, Secret, key_of
from planish_integrations.models.transport.json_values import as_count, as_list, as_map, as_text
from planish_integrations.models.transport.protocol import Answer, Framing, NonsenseError

__all__ = ["ANTHROPIC_URL", "AnthropicModel", "MessagesAnswer", "MessagesWire"]

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


_SAMPLED = re.compile(
    r"claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-latest|[-@]\d{8})?$)"
)
"""Anthropic's models that take sampling parameters. Those after them answer 400 to any but the
default: https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide"""

_DEFAULT_TEMPERATURE = 1.0

_VERSION = "2023-06-01"  # the only one there is; what is newer is asked for field by field


@dataclass(frozen=True, slots=True)
class MessagesWire:
    """`POST {base}/messages`.

    Attributes:
        max_tokens: Where a request does not say.
    """

    max_tokens: int

    @property
    def framing(self) -> Framing:
        """Server-sent events."""
        return "events"

    @property
    def own_fields(self) -> frozenset[str]:
        """What the wire sets, and nobody else may."""
        return frozenset({"model", "messages", "stream"})

    def path(self, model: str, *, streamed: bool) -> str:
        """The same for all."""
        del model, streamed
        return "/messages"

    def headers(self, key: str) -> Mapping[str, str]:
        """The version, and the key where there is one."""
        return {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """What to send; system messages have a place of their own.

        Raises:
            UnsupportedError: the request has a seed, or a temperature and the model takes none.
        """
        if request.seed is not None:
            raise UnsupportedError("Anthropic's models take no 'seed': leave Request.seed out")
        if request.temperature not in (None, _DEFAULT_TEMPERATURE) and not _takes_sampling(model):
            raise UnsupportedError(
                f"{model} takes no sampling parameters: leave Request.temperature "
                f"({request.temperature}) out"
            )
        turns = [m for m in request.messages if m.role != "system"]
        system = "\n\n".join(m.content for m in request.messages if m.role == "system")
        body: dict[str, object] = {
            "model": model,
            "max_tokens": request.max_tokens or self.max_tokens,
            "messages": [{"role": m.role, "content": m.content} for m in turns],
        }
        wishes: dict[str, object] = {
            "system": system or None,
            "stream": True if streamed else None,
            "temperature": request.temperature,
            "stop_sequences": list(request.stop) or None,
            "output_config": None
            if request.schema is None
            else {"format": {"type": "json_schema", "schema": dict(request.schema)}},
        }
        return body | {name: wish for name, wish in wishes.items() if wish is not None}

    def answer(self) -> "MessagesAnswer":
        """A fresh answer to read into."""
        return MessagesAnswer()


def _takes_sampling(model: str) -> bool:
    """Return whether a model takes a temperature; True for models that are not Anthropic's."""
    return not model.startswith("claude-") or _SAMPLED.match(model) is not None


_FINISHES: Mapping[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "pause_turn": "tool_calls",  # a tool of Anthropic's own takes longer than one request may
    "refusal": "content_filter",
}


class MessagesAnswer(Answer):
    """A `message`, or a stream of its events."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, object] = {}
        self._stopped = False

    @property
    def finished(self) -> bool:
        """`message_delta` has come, with the stop reason and the last of the usage."""
        return self._stopped

    def whole(self, body: object) -> None:
        """Take a `message`."""
        message = as_map(body)
        if "content" not in message:
            raise NonsenseError(f"no content: {body!r:.200}")
        for block in as_list(message.get("content")):
            self._piece(as_map(block))
        self._about(message)
        self._ending(message, message)

    def event(self, event: object) -> None:
        """Take one event; a kind that is not known says nothing (as Anthropic asks for)."""
        fields = as_map(event)
        match fields.get("type"):
            case "message_start":
                message = as_map(fields.get("message"))
                self.begun = True
                self._about(message)
                self._count(as_map(message.get("usage")))
            case "content_block_start":
                self._piece(as_map(fields.get("content_block")))
            case "content_block_delta":
                self._piece(as_map(fields.get("delta")))
            case "message_delta":
                self._ending(as_map(fields.get("delta")), fields)
            case "message_stop":
                self.over = True
            case _:
                pass

    def _piece(self, block: Mapping[str, object]) -> None:
        """A block, the beginning of one, or a piece of one; tools and signatures say nothing."""
        match block.get("type"):
            case "text" | "text_delta":
                self.begun = True
                self.say(as_text(block.get("text")))
            case "thinking" | "thinking_delta":
                self.begun = True
                self.think(as_text(block.get("thinking")))
            case _:
                pass

    def _ending(self, reasons: Mapping[str, object], usage_in: Mapping[str, object]) -> None:
        self._count(as_map(usage_in.get("usage")))
        if reason := as_text(reasons.get("stop_reason")):
            self.finish = _FINISHES.get(reason, "unknown")
            self.begun = self._stopped = True

    def _about(self, message: Mapping[str, object]) -> None:
        self.named(model=as_text(message.get("model")), id=as_text(message.get("id")))

    def _count(self, told: Mapping[str, object]) -> None:
        """Counts of a stream come in two events; each is of the whole answer, the last holds."""
        self._told |= {name: value for name, value in told.items() if value is not None}
        cached = as_count(self._told.get("cache_read_input_tokens"))
        self.written = as_count(self._told.get("cache_creation_input_tokens"))
        details = as_map(self._told.get("output_tokens_details"))
        self.tokens = Usage(
            # Anthropic's own count leaves out what was read from or written to the cache.
            input_tokens=as_count(self._told.get("input_tokens")) + cached + self.written,
            output_tokens=as_count(self._told.get("output_tokens")),
            cached_tokens=cached,
            reasoning_tokens=as_count(details.get("thinking_tokens")),
        )
