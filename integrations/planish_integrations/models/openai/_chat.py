"""The chat-completions protocol: build requests, read responses."""

from collections.abc import Mapping
from dataclasses import dataclass

from planish.data.message import FinishReason, Request
from planish_integrations.models.openai._common import (
    Dialect,
    named_schema,
    refuse,
    usage_of,
    written_of,
)
from planish_integrations.models.transport.json_values import as_list, as_map, as_text
from planish_integrations.models.transport.protocol import (
    Answer,
    ComplaintError,
    Framing,
    NonsenseError,
    complaint_in,
)

__all__ = ["ChatAnswer", "ChatWire", "choice_of", "finish_of", "reasoning_of", "text_of"]


@dataclass(frozen=True, slots=True)
class ChatWire:
    """`POST {base}/chat/completions`.

    Attributes:
        dialect: How this server differs from others.
    """

    dialect: Dialect

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
        return "/chat/completions"

    def headers(self, key: str) -> Mapping[str, str]:
        """The key, where there is one."""
        return self.dialect.key_headers(key)

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """What to send; what the request leaves open is not sent at all.

        Raises:
            UnsupportedError: the request wishes what this server does not take.
        """
        dialect = self.dialect
        refuse(request, "this server's models", seed=dialect.seed is None, stop=not dialect.stop)
        body: dict[str, object] = {
            "model": model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        }
        if streamed:
            body["stream"] = True
            if dialect.stream_usage:
                body["stream_options"] = {"include_usage": True}
        wishes: dict[str, object] = {
            "temperature": request.temperature,
            dialect.max_tokens: request.max_tokens,
            dialect.seed or "seed": request.seed,
            "stop": list(request.stop) or None,
            "response_format": self._format(request),
        }
        return body | {name: wish for name, wish in wishes.items() if wish is not None}

    def answer(self) -> "ChatAnswer":
        """A fresh answer to read into."""
        return ChatAnswer()

    def _format(self, request: Request) -> dict[str, object] | None:
        if request.schema is None or self.dialect.schema is None:
            return None
        if self.dialect.schema == "json_object":
            return {"type": "json_object"}
        return {"type": "json_schema", "json_schema": named_schema(request.schema)}


class ChatAnswer(Answer):
    """A `chat.completion`, or a stream of `chat.completion.chunk`."""

    def __init__(self) -> None:
        super().__init__()
        self._reason: object = None
        self._counted = False

    @property
    def finished(self) -> bool:
        """`[DONE]` has come, or a finish reason and the usage that comes with or after it."""
        return self.over or (self._reason is not None and self._counted)

    def whole(self, body: object) -> None:
        """Take a `chat.completion`."""
        choice = choice_of(body)
        if choice is None:
            raise NonsenseError(f"no choices: {body!r:.200}")
        self._about(as_map(body))
        self._choice(choice, as_map(choice.get("message")))

    def event(self, event: object) -> None:
        """Take a `chat.completion.chunk`; some (usage, filter results) have no choice."""
        choice = choice_of(event)
        if choice is not None:
            # A server that does not stream after all may send its one answer as an event.
            self._choice(choice, as_map(choice.get("delta")) or as_map(choice.get("message")))
        self._about(as_map(event))

    def _choice(self, choice: Mapping[str, object], message: Mapping[str, object]) -> None:
        self.begun = True
        if reason := choice.get("finish_reason"):
            self._reason, self._counted = reason, False
            self.finish = finish_of(reason)
        self.think(reasoning_of(message))
        self.say(text_of(message))

    def _about(self, fields: Mapping[str, object]) -> None:
        self.named(model=as_text(fields.get("model")), id=as_text(fields.get("id")))
        # OpenAI's place for it, or else Groq's.
        told = as_map(fields.get("usage") or as_map(fields.get("x_groq")).get("usage"))
        if told:
            self.tokens, self.written = usage_of(told), written_of(told)
            self._counted = True


def choice_of(value: object) -> Mapping[str, object] | None:
    """The choice of index 0 in a decoded body or event; None where there is none.

    planish asks for one choice; some events of a stream (usage, filter results) have none.

    Raises:
        ComplaintError: there is an error object in its place, or in it.
    """
    choices = [as_map(choice) for choice in as_list(as_map(value).get("choices"))]
    choice = next((c for c in choices if c.get("index") in (0, None)), None)
    inner = {"error": as_map(choice).get("error")}  # OpenRouter's place, beside `delta`
    if complaint := complaint_in(value) or complaint_in(inner):
        raise ComplaintError(complaint)
    return choice or None


# Beside OpenAI's own words, those other servers of the same API were recorded or documented
# to say: Together "eos", Mistral "model_length", DeepSeek "insufficient_system_resource".
_FINISHES: Mapping[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "error": "error",
    "insufficient_system_resource": "error",
}


def finish_of(reason: object) -> FinishReason:
    """Why the model stopped; "unknown" for a word that is not known, or none."""
    return _FINISHES.get(as_text(reason).lower(), "unknown")


def text_of(message: Mapping[str, object]) -> str:
    """The text of `content`, be it null, a string or a list of parts, and of `refusal`."""
    content = message.get("content")
    parts = "".join(_part(part) for part in as_list(content))
    return as_text(content) + parts + as_text(message.get("refusal"))


# DeepSeek's name for it, and that of OpenRouter, Groq and Ollama; some send both, the same text.
_REASONING = ("reasoning_content", "reasoning")


def reasoning_of(message: Mapping[str, object]) -> str:
    """What it thought aloud. Mistral sends it as parts of `content`."""
    aloud = next(filter(None, (as_text(message.get(name)) for name in _REASONING)), "")
    thoughts = (
        _part(thought)
        for part in as_list(message.get("content"))
        for thought in as_list(as_map(part).get("thinking"))
    )
    return aloud + "".join(thoughts)


def _part(part: object) -> str:
    fields = as_map(part)
    return as_text(fields.get("text")) + as_text(fields.get("refusal"))
