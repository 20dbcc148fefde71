"""Anthropic's Messages API: the model, its requests and its responses.

>>> from planish_integrations.anthropic import AnthropicModel
>>> AnthropicModel("claude-sonnet-5-5", api_key="sk-ant-1")
AnthropicModel('claude-sonnet-5-5', provider='anthropic')
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from planish.data.message import Request
from planish.data.usage import Usage
from planish.errors import UnsupportedError
from planish_integrations.models.transport import (
    ApiKey,
    HttpModel,
    Options,
    check_texts,
    resolve_key,
)
from planish_integrations.models.transport.json_values import as_count, as_list, as_map, as_text
from planish_integrations.models.transport.protocol import (
    Effort,
    Framing,
    ProtocolError,
    ResponseReader,
)

__all__ = ["ANTHROPIC_URL", "AnthropicModel", "MessagesProtocol", "MessagesReader"]

ANTHROPIC_URL = "https://api.anthropic.com/v1"
"""The base URL of Anthropic's own API."""

_KEY = "ANTHROPIC_API_KEY"


class AnthropicModel(HttpModel):
    """A model of Anthropic's Messages API.

    It behaves as `HttpModel` describes. It accepts no seed, and models since Claude Opus 4.7 and
    Claude Sonnet 5 accept no temperature. Their thinking is adaptive and counts towards
    `max_tokens`; `effort` sets how much they think. Older ones, such as Claude Haiku 4.5, accept
    `extra={"thinking": {"type": "enabled", "budget_tokens": 4096}}` instead. `cache=True` marks
    the first message of a conversation and what comes before it.

    Args:
        name: Anthropic's name of the model.
        api_key: The key; None (the default) reads ANTHROPIC_API_KEY, once, now. "" sends none.
        base_url: The part of the URL before `/messages`.
        provider: The provider's name in OpenTelemetry.
        max_tokens: The most tokens of a reply if a request sets no limit; the API requires one.
            None (the default) for 8192, which most models allow; Claude 3 models allow 4096.
        options: Time-outs, backoff, prices and more: see `Options`.

    Raises:
        AuthenticationError: `api_key` and ANTHROPIC_API_KEY are not set, and `base_url` is
            Anthropic's; or the key has characters that no HTTP header can have.
        ValueError: `base_url` is not an http(s) URL; a number is not above 0; `extra` sets the
            model, messages or stream.
        TypeError: an argument has another type; `extra` holds an object that JSON cannot
            represent.
    """

    DEFAULT_URL = ANTHROPIC_URL

    def __init__(
        self,
        name: str,
        *,
        api_key: ApiKey | None = None,
        base_url: str = ANTHROPIC_URL,
        provider: str = "anthropic",
        max_tokens: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        check_texts(type(self).__name__, name=name, base_url=base_url)
        if max_tokens is not None and (type(max_tokens) is not int or max_tokens < 1):
            raise ValueError(
                f"AnthropicModel(max_tokens={max_tokens!r:.80}): must be at least 1, a whole number"
            )
        self._max_tokens = max_tokens or _default_max_tokens(name)
        required_by = ANTHROPIC_URL if base_url.rstrip("/") == ANTHROPIC_URL else None
        super().__init__(
            name,
            protocol=MessagesProtocol(self._max_tokens),
            provider=provider,
            base_url=base_url,
            api_key=resolve_key(api_key, os.environ, _KEY, required_by=required_by),
            **options,
        )

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of a reply if the request sets no limit."""
        return self._max_tokens


def _default_max_tokens(name: str) -> int:
    # Anthropic's table of models: Claude 3 models before 3.5 output at most 4096 tokens.
    claude_3 = name.startswith(("claude-3-opus", "claude-3-sonnet", "claude-3-haiku"))
    return 4096 if claude_3 else 8192


_SAMPLED = re.compile(
    r"claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-latest|[-@]\d{8})?$)"
)
"""Anthropic's models that accept sampling parameters. Later ones answer 400 to any but the
default: https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide"""

_DEFAULT_TEMPERATURE = 1.0

_VERSION = "2023-06-01"  # the only version; newer features are requested by field


@dataclass(frozen=True, slots=True)
class MessagesProtocol:
    """The protocol of `POST {base}/messages`.

    Attributes:
        max_tokens: The limit to send if a request sets none.
    """

    max_tokens: int

    @property
    def framing(self) -> Framing:
        """Server-sent events."""
        return "events"

    @property
    def reserved_fields(self) -> frozenset[str]:
        """The fields of the body that `extra` may not set."""
        return frozenset({"model", "messages", "stream"})

    def path(self, model: str, *, streamed: bool) -> str:
        """Return the path, the same for all requests."""
        del model, streamed
        return "/messages"

    def headers(self, key: str) -> Mapping[str, str]:
        """Return the API version, and the key unless it is empty."""
        return {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """Return the JSON to send; system messages go into a field of their own.

        Raises:
            UnsupportedError: the request has a seed, or a temperature that the model rejects.
        """
        if request.seed is not None:
            raise UnsupportedError("Anthropic's models accept no 'seed': leave Request.seed unset")
        if request.temperature not in (None, _DEFAULT_TEMPERATURE) and not _is_sampled(model):
            raise UnsupportedError(
                f"{model} accepts no sampling parameters: leave Request.temperature "
                f"({request.temperature}) unset"
            )
        turns = [m for m in request.messages if m.role != "system"]
        system = "\n\n".join(m.content for m in request.messages if m.role == "system")
        body: dict[str, object] = {
            "model": model,
            "max_tokens": request.max_tokens or self.max_tokens,
            "messages": [{"role": m.role, "content": m.content} for m in turns],
        }
        optional: dict[str, object] = {
            "system": system or None,
            "stream": True if streamed else None,
            "temperature": request.temperature,
            "stop_sequences": list(request.stop) or None,
            "output_config": None
            if request.schema is None
            else {"format": {"type": "json_schema", "schema": dict(request.schema)}},
        }
        return body | {name: value for name, value in optional.items() if value is not None}

    def tune(
        self, body: dict[str, object], model: str, *, effort: Effort | None, cache: bool
    ) -> None:
        """Add the effort, and mark the first message, which all attempts at a task share."""
        if effort is not None:
            if _SAMPLED.match(model) and "-4-6" not in model:  # Opus and Sonnet 4.6 have them
                remedy = 'extra={"thinking": {"type": "enabled", "budget_tokens": 4096}}'
                raise UnsupportedError(f"{model} has no levels of effort: use {remedy} instead")
            body["thinking"] = {"type": "adaptive"}
            body["output_config"] = {**as_map(body.get("output_config")), "effort": effort}
        if cache and (messages := as_list(body.get("messages"))):
            first = as_map(messages[0])  # a mark covers all before it: the system messages too
            block = {
                "type": "text",
                "text": first["content"],
                "cache_control": {"type": "ephemeral"},
            }
            body["messages"] = [{**first, "content": [block]}, *messages[1:]]

    def reader(self) -> ResponseReader:
        """Return a new reader for one response."""
        return MessagesReader()


def _is_sampled(model: str) -> bool:
    """Return whether a model accepts a temperature; True for models that are not Anthropic's."""
    return not model.startswith("claude-") or _SAMPLED.match(model) is not None


class MessagesReader(ResponseReader):
    """Reads a `message`, or a stream of its events."""

    usage: Usage
    has_started: bool

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, object] = {}
        self._has_stop_reason = False

    @property
    def is_complete(self) -> bool:
        """`message_delta` has arrived, with the stop reason and the final usage."""
        return self._has_stop_reason

    def read_body(self, body: object) -> None:
        """Read a `message`."""
        message = as_map(body)
        self._read_identity(message)
        self._read_end(message, message)  # first: it is paid for even if it cannot be read
        content: Any = message.get("content")
        kinds: Any = (str, list, dict)
        if not isinstance(content, kinds):
            raise ProtocolError(f"no content: {body!r:.200}")
        self.add_text(as_text(content))
        self._read_block(as_map(content))
        for block in as_list(content):
            self._read_block(as_map(block))

    def read_event(self, event: object) -> None:
        """Read one event; unknown kinds are ignored, as Anthropic's documentation asks."""
        fields = as_map(event)
        match fields.get("type"):
            case "message_start":
                message = as_map(fields.get("message"))
                self.has_started = True
                self._read_identity(message)
                self._read_usage(as_map(message.get("usage")))
            case "content_block_start":
                self._read_block(as_map(fields.get("content_block")))
            case "content_block_delta":
                self._read_block(as_map(fields.get("delta")))
            case "message_delta":
                self._read_end(as_map(fields.get("delta")), fields)
            case "message_stop":
                self.has_ended = True
            case _:
                pass

    def _read_block(self, block: Mapping[str, object]) -> None:
        """Read a block, its start or a delta; tool calls and signatures are ignored."""
        match block.get("type"):
            case "text" | "text_delta":
                self.has_started = True
                self.add_text(as_text(block.get("text")))
            case "thinking" | "thinking_delta":
                self.has_started = True
                self.add_reasoning(as_text(block.get("thinking")))
            case _:
                pass

    def _read_end(self, reasons: Mapping[str, object], usage_in: Mapping[str, object]) -> None:
        self._read_usage(as_map(usage_in.get("usage")))
        if reason := as_text(reasons.get("stop_reason")):
            self.set_finish_reason(reason)
            self.has_started = self._has_stop_reason = True

    def _read_identity(self, message: Mapping[str, object]) -> None:
        self.set_identity(model=as_text(message.get("model")), id=as_text(message.get("id")))

    def _read_usage(self, counts: Mapping[str, object]) -> None:
        """Read token counts: two events of a stream have totals, and the later ones count."""
        self._counts |= {name: value for name, value in counts.items() if value is not None}
        # The totals omit what an advisor model and compaction used; they count as well.
        iterations = map(as_map, as_list(self._counts.get("iterations")))
        others = [i for i in iterations if as_text(i.get("type")) != "message"]
        self.usage = sum(map(_usage, others), _usage(self._counts))


def _usage(counts: Mapping[str, object]) -> Usage:
    cached = as_count(counts.get("cache_read_input_tokens"))
    written = as_count(counts.get("cache_creation_input_tokens"))
    details = as_map(counts.get("output_tokens_details"))
    return Usage(
        # Anthropic's own `input_tokens` omits tokens read from or written to the cache.
        input_tokens=as_count(counts.get("input_tokens")) + cached + written,
        output_tokens=as_count(counts.get("output_tokens")),
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=as_count(details.get("thinking_tokens")),
    )
