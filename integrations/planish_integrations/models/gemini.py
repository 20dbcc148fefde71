"""Google's Gemini API (generateContent): the model, its requests and its responses.

>>> from planish_integrations.gemini import GeminiModel
>>> GeminiModel("gemini-3.5-flash", api_key="AI-1")
GeminiModel('gemini-3.5-flash', provider='gcp.gemini')
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack
from urllib.parse import quote

from planish.data.message import Message, Request
from planish.data.usage import Usage
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

__all__ = ["GEMINI_URL", "GeminiModel", "GeminiProtocol", "GeminiReader"]

GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta"
"""The base URL of the Gemini API."""

_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")


class GeminiModel(HttpModel):
    """A model of Google's generateContent and streamGenerateContent.

    It behaves as `HttpModel` describes. The key is sent as a header, never in the URL, which
    servers and clients write to their logs. For Vertex AI pass its `base_url` up to and including
    `/publishers/google`, no key, and as `headers` `{"authorization": current_token}`, where
    `current_token` is an asynchronous function that returns "Bearer ...".

    Args:
        name: Google's name of the model, with or without "models/".
        api_key: The key; None (the default) reads GEMINI_API_KEY or GOOGLE_API_KEY, once, now.
            "" sends none.
        base_url: The part of the URL before `/models/...`.
        provider: The provider's name in OpenTelemetry.
        options: Time-outs, backoff, prices and more: see `Options`.

    Raises:
        AuthenticationError: `api_key` and the environment variables are not set, and `base_url`
            is Google's; or the key has characters that no HTTP header can have.
        ValueError: `base_url` is not an http(s) URL; a time is not above 0; `extra` sets the
            contents.
        TypeError: an argument has another type; `extra` holds an object that JSON cannot
            represent.
    """

    DEFAULT_URL = GEMINI_URL

    def __init__(
        self,
        name: str,
        *,
        api_key: ApiKey | None = None,
        base_url: str = GEMINI_URL,
        provider: str = "gcp.gemini",
        **options: Unpack[Options],
    ) -> None:
        check_texts(type(self).__name__, name=name, base_url=base_url)
        required_by = GEMINI_URL if base_url.rstrip("/") == GEMINI_URL else None
        super().__init__(
            name.removeprefix("models/"),
            protocol=GeminiProtocol(),
            provider=provider,
            base_url=base_url,
            api_key=resolve_key(api_key, os.environ, *_KEYS, required_by=required_by),
            **options,
        )


@dataclass(frozen=True, slots=True)
class GeminiProtocol:
    """The protocol of `POST {base}/models/{model}:generateContent`, streamed or not."""

    @property
    def framing(self) -> Framing:
        """Server-sent events, because the path has `alt=sse`."""
        return "events"

    @property
    def reserved_fields(self) -> frozenset[str]:
        """The fields of the body that `extra` may not set."""
        return frozenset({"contents"})

    def path(self, model: str, *, streamed: bool) -> str:
        """Return the path, which names the model and the method."""
        method = "streamGenerateContent?alt=sse" if streamed else "generateContent"
        return f"/models/{quote(model, safe='')}:{method}"

    def headers(self, key: str) -> Mapping[str, str]:
        """Return the header with the key; none if the key is empty."""
        return {"x-goog-api-key": key} if key else {}

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """Return the JSON to send; system messages go into a field of their own."""
        del model, streamed
        turns = [m for m in request.messages if m.role != "system"]
        system = [m for m in request.messages if m.role == "system"]
        schema = request.schema
        optional: dict[str, object] = {
            "temperature": request.temperature,
            "maxOutputTokens": request.max_tokens,
            "seed": request.seed,
            "stopSequences": list(request.stop) or None,
            "responseMimeType": None if schema is None else "application/json",
            "responseJsonSchema": None if schema is None else dict(schema),
        }
        config = {name: value for name, value in optional.items() if value is not None}
        body: dict[str, object] = {"contents": [_content(m) for m in turns]}
        if system:
            body["systemInstruction"] = {"parts": _parts(*system)}
        return body | ({"generationConfig": config} if config else {})

    def tune(
        self, body: dict[str, object], model: str, *, effort: Effort | None, cache: bool
    ) -> None:
        """Add the effort; Gemini models cache by themselves, so nothing is sent for it."""
        del cache
        if effort is None:
            return
        thinking: dict[str, object] = {"thinkingLevel": effort}
        if model.startswith("gemini-2"):
            thinking = {"thinkingBudget": _THINKING_BUDGETS[effort]}
        config = as_map(body.get("generationConfig"))
        body["generationConfig"] = {**config, "thinkingConfig": thinking}

    def reader(self) -> ResponseReader:
        """Return a new reader for one response."""
        return GeminiReader()


# Tokens; what Google's API in OpenAI's form sends to models that have no levels:
# https://ai.google.dev/gemini-api/docs/openai#thinking
_THINKING_BUDGETS: Mapping[Effort, int] = {"low": 1024, "medium": 8192, "high": 24576}


def _content(message: Message) -> dict[str, object]:
    role = "model" if message.role == "assistant" else "user"
    return {"role": role, "parts": _parts(message)}


def _parts(*messages: Message) -> list[dict[str, str]]:
    return [{"text": message.content} for message in messages]


class GeminiReader(ResponseReader):
    """Reads a `GenerateContentResponse`, or a stream of them; both have the same format."""

    usage: Usage
    has_started: bool

    def __init__(self) -> None:
        super().__init__()
        self._has_finish_reason = False
        self._counts: dict[str, object] = {}

    @property
    def is_complete(self) -> bool:
        """The candidate's finish reason has arrived; the usage comes with it."""
        return self._has_finish_reason

    def read_body(self, body: object) -> None:
        """Read one response, or the list of responses that a stream without `alt=sse` is."""
        for response in as_list(body) or [body]:
            self.read_event(response)
        if not self.has_started:
            raise ProtocolError(f"no candidates: {body!r:.200}")

    def read_event(self, event: object) -> None:
        """Read one response of a stream."""
        fields = as_map(event)
        model, id_ = as_text(fields.get("modelVersion")), as_text(fields.get("responseId"))
        self.set_identity(model=model, id=id_)
        self._read_usage(as_map(fields.get("usageMetadata")))
        candidates = [as_map(c) for c in as_list(fields.get("candidates"))]
        candidate = next((c for c in candidates if c.get("index") in (0, None)), None)
        if candidate is not None:
            self._read_candidate(candidate)
        elif block := as_text(as_map(fields.get("promptFeedback")).get("blockReason")):
            # Google blocked the prompt: there is no candidate, and none will come.
            self.set_finish_reason(block, "content_filter")
            self.has_started = self._has_finish_reason = True

    def _read_candidate(self, candidate: Mapping[str, object]) -> None:
        self.has_started = True
        parts = as_map(candidate.get("content")).get("parts")
        for part in map(as_map, as_list(parts) or [parts]):
            add = self.add_reasoning if part.get("thought") is True else self.add_text
            add(as_text(part.get("text")))
            if as_map(part.get("functionCall")):  # ended by "STOP", as a text is
                self.note_tool_call()
        if reason := as_text(candidate.get("finishReason")):
            self.set_finish_reason(reason)
            self._has_finish_reason = True

    def _read_usage(self, counts: Mapping[str, object]) -> None:
        """Read token counts: those of a stream are totals so far; some events omit some."""
        self._counts |= counts
        thoughts = as_count(self._counts.get("thoughtsTokenCount"))
        inputs = ("promptTokenCount", "toolUsePromptTokenCount")
        sent = sum(as_count(self._counts.get(name)) for name in inputs)
        # Google's count of the candidates omits thoughts. Its total counts all that it bills.
        received = as_count(self._counts.get("candidatesTokenCount")) + thoughts
        received = max(received, as_count(self._counts.get("totalTokenCount")) - sent)
        self.usage = Usage(
            input_tokens=sent,
            output_tokens=received,
            cached_tokens=as_count(self._counts.get("cachedContentTokenCount")),
            reasoning_tokens=thoughts,
        )
