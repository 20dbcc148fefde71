"""The chat-completions protocol: build requests, read responses."""

from collections.abc import Mapping
from dataclasses import dataclass

from planish.data.message import Request
from planish_integrations.models.openai._common import (
    ProtocolVariant,
    named_schema,
    parse_cost,
    parse_usage,
    reject_unsupported,
)
from planish_integrations.models.transport.json_values import as_list, as_map, as_text
from planish_integrations.models.transport.protocol import (
    Effort,
    Framing,
    InBandError,
    ProtocolError,
    ResponseReader,
    find_error_body,
    find_finish_reason,
)

__all__ = ["ChatProtocol", "ChatReader"]


@dataclass(frozen=True, slots=True)
class ChatProtocol:
    """The protocol of `POST {base}/chat/completions`.

    Attributes:
        variant: How this server differs from others.
    """

    variant: ProtocolVariant

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
        return "/chat/completions"

    def headers(self, key: str) -> Mapping[str, str]:
        """Return the header with the key; none if the key is empty."""
        return self.variant.key_headers(key)

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """Return the JSON to send; fields that the request leaves unset are omitted.

        Raises:
            UnsupportedError: the request sets a field that this server does not accept.
        """
        variant, subject = self.variant, "this server's models"
        reject_unsupported(request, subject, seed=variant.seed is None, stop=not variant.stop)
        body: dict[str, object] = {
            "model": model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        }
        if streamed:
            body["stream"] = True
            if variant.stream_usage:
                body["stream_options"] = {"include_usage": True}
        optional: dict[str, object] = {
            "temperature": request.temperature,
            variant.max_tokens: request.max_tokens,
            variant.seed or "seed": request.seed,
            "stop": list(request.stop) or None,
            "response_format": self._response_format(request),
        }
        return body | {name: value for name, value in optional.items() if value is not None}

    def tune(
        self, body: dict[str, object], model: str, *, effort: Effort | None, cache: bool
    ) -> None:
        """Add the effort; servers of this API cache by themselves, so nothing is sent for it."""
        del model, cache
        if effort is not None:
            body["reasoning_effort"] = effort

    def reader(self) -> "ChatReader":
        """Return a new reader for one response."""
        return ChatReader()

    def _response_format(self, request: Request) -> dict[str, object] | None:
        if request.schema is None or self.variant.schema is None:
            return None
        if self.variant.schema == "json_object":
            return {"type": "json_object"}
        return {"type": "json_schema", "json_schema": named_schema(request.schema)}


class ChatReader(ResponseReader):
    """Reads a `chat.completion`, or a stream of `chat.completion.chunk`."""

    def __init__(self) -> None:
        super().__init__()
        self._reason: object = None
        self._has_usage = False

    @property
    def is_complete(self) -> bool:
        """`[DONE]` has arrived, or a finish reason and the usage that comes with or after it."""
        return self.has_ended or (self._reason is not None and self._has_usage)

    def read_body(self, body: object) -> None:
        """Read a `chat.completion`."""
        self._read_identity_and_usage(as_map(body))  # first: it is paid for even if unreadable
        choice = _find_choice(body)
        if choice is None:
            raise ProtocolError(f"no choices: {body!r:.200}")
        self._read_choice(choice, _find_message(choice))

    def read_event(self, event: object) -> None:
        """Read a `chat.completion.chunk`; some (usage, filter results) have no choice."""
        choice = _find_choice(event)
        if choice is not None:
            # A server that does not stream may send its whole message as one event.
            delta = as_map(choice.get("delta")) or as_map(choice.get("message"))
            self._read_choice(choice, delta or {"content": choice.get("text")})
        self._read_identity_and_usage(as_map(event))

    def _read_choice(self, choice: Mapping[str, object], message: Mapping[str, object]) -> None:
        self.has_started = True
        if reason := choice.get("finish_reason"):
            self._reason, self._has_usage = reason, False
            self.set_finish_reason(as_text(reason))
        if _has_refusal(message):
            self.note_refusal()
        if as_list(message.get("tool_calls")) or as_map(message.get("function_call")):
            self.note_tool_call()
        self.add_reasoning(_message_reasoning(message))
        self.add_text(_message_text(message))

    def _read_identity_and_usage(self, fields: Mapping[str, object]) -> None:
        self.set_identity(model=as_text(fields.get("model")), id=as_text(fields.get("id")))
        # `x_groq` is Groq's place for it.
        usage = as_map(fields.get("usage") or as_map(fields.get("x_groq")).get("usage"))
        if usage:
            self.usage, self.cost = parse_usage(usage), parse_cost(usage)
            self._has_usage = True


def _find_choice(value: object) -> Mapping[str, object] | None:
    """Return the choice with index 0 in a decoded body or event; None if there is none.

    planish requests one choice; some events of a stream (usage, filter results) have none.

    Raises:
        InBandError: there is an error object in place of the choice, or in it.
    """
    choices = [as_map(choice) for choice in as_list(as_map(value).get("choices"))]
    choice = next((c for c in choices if c.get("index") in (0, None)), None)
    inner = {"error": as_map(choice).get("error")}  # OpenRouter's place, beside `delta`
    if error_body := find_error_body(value) or find_error_body(inner):
        raise InBandError(error_body)
    return choice or None


def _find_message(choice: Mapping[str, object]) -> Mapping[str, object]:
    """Return the message of a choice; older servers send only its `text`.

    Raises:
        ProtocolError: there is neither, or content that is neither text nor parts.
    """
    if isinstance(choice.get("text"), str) and not choice.get("message"):
        return {"content": choice["text"]}
    message = choice.get("message")
    reason = find_finish_reason(as_text(choice.get("finish_reason")))
    if message is None and reason == "content_filter":
        return {}  # Azure sends none then
    fields = as_map(message)
    if fields is not message:
        raise ProtocolError(f"no message in the choice: {dict(choice)!r:.200}")
    if not isinstance(fields.get("content"), str | list | dict | None):
        raise ProtocolError(f"content that is no text: {dict(fields)!r:.200}")
    return fields


def _message_text(message: Mapping[str, object]) -> str:
    """Return the text of `content` (null, a string, a part or a list of them) and `refusal`."""
    content = message.get("content")
    parts = _part(content) + "".join(_part(part) for part in as_list(content))
    return as_text(content) + parts + as_text(message.get("refusal"))


def _has_refusal(message: Mapping[str, object]) -> bool:
    """Return whether a message, or a part of its content, is a refusal."""
    parts = map(as_map, as_list(message.get("content")))
    return any(bool(as_text(part.get("refusal"))) for part in (message, *parts))


# DeepSeek's name, and that of OpenRouter, Groq and Ollama; some servers send both, the same text.
_REASONING_FIELDS = ("reasoning_content", "reasoning")


def _message_reasoning(message: Mapping[str, object]) -> str:
    """Return the reasoning of a message; Mistral sends it as parts of `content`."""
    fields = (as_text(message.get(name)) for name in _REASONING_FIELDS)
    reasoning = next(filter(None, fields), "")
    thoughts = (
        _part(thought)
        for part in as_list(message.get("content"))
        for thought in as_list(as_map(part).get("thinking"))
    )
    return reasoning + "".join(thoughts)


def _part(part: object) -> str:
    fields = as_map(part)
    return as_text(fields.get("text")) + as_text(fields.get("refusal"))
