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

from planish.data.message import FinishReason, Message, Request
from planish.data.usage import Usage
from planish_integrations.models.transport import HttpModel, Options, Secret, key_of
from planish_integrations.models.transport.json_values import as_count, as_list, as_map, as_text
from planish_integrations.models.transport.protocol import Answer, Framing, NonsenseError

__all__ = ["GEMINI_URL", "GeminiAnswer", "GeminiModel", "GeminiWire"]

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


@dataclass(frozen=True, slots=True)
class GeminiWire:
    """`POST {base}/models/{model}:generateContent`, or `:streamGenerateContent?alt=sse`."""

    @property
    def framing(self) -> Framing:
        """Server-sent events, as `alt=sse` asks for."""
        return "events"

    @property
    def own_fields(self) -> frozenset[str]:
        """What the wire sets, and nobody else may."""
        return frozenset({"contents"})

    def path(self, model: str, *, streamed: bool) -> str:
        """The model and the method are in it."""
        method = "streamGenerateContent?alt=sse" if streamed else "generateContent"
        return f"/models/{quote(model, safe='')}:{method}"

    def headers(self, key: str) -> Mapping[str, str]:
        """The key, where there is one."""
        return {"x-goog-api-key": key} if key else {}

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """What to send; system messages have a place of their own."""
        del model, streamed
        turns = [m for m in request.messages if m.role != "system"]
        system = [m for m in request.messages if m.role == "system"]
        schema = request.schema
        wishes: dict[str, object] = {
            "temperature": request.temperature,
            "maxOutputTokens": request.max_tokens,
            "seed": request.seed,
            "stopSequences": list(request.stop) or None,
            "responseMimeType": None if schema is None else "application/json",
            "responseJsonSchema": None if schema is None else dict(schema),
        }
        config = {name: wish for name, wish in wishes.items() if wish is not None}
        body: dict[str, object] = {"contents": [_content(m) for m in turns]}
        if system:
            body["systemInstruction"] = {"parts": _parts(*system)}
        return body | ({"generationConfig": config} if config else {})

    def answer(self) -> "GeminiAnswer":
        """A fresh answer to read into."""
        return GeminiAnswer()


def _content(message: Message) -> dict[str, object]:
    role = "model" if message.role == "assistant" else "user"
    return {"role": role, "parts": _parts(message)}


def _parts(*messages: Message) -> list[dict[str, str]]:
    return [{"text": message.content} for message in messages]


_FINISHES: Mapping[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "LANGUAGE": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "MALFORMED_FUNCTION_CALL": "error",
    "UNEXPECTED_TOOL_CALL": "error",
    "TOO_MANY_TOOL_CALLS": "error",
    "MALFORMED_RESPONSE": "error",
}


class GeminiAnswer(Answer):
    """A `GenerateContentResponse`, or a stream of them."""

    def __init__(self) -> None:
        super().__init__()
        self._ended = False
        self._told: dict[str, object] = {}

    @property
    def finished(self) -> bool:
        """The candidate's finish reason has come; the usage comes with it."""
        return self._ended

    def whole(self, body: object) -> None:
        """Take a whole response, or the list of them that a stream without `alt=sse` is."""
        for response in as_list(body) or [body]:
            self.event(response)
        if not self.begun:
            raise NonsenseError(f"no candidates: {body!r:.200}")

    def event(self, event: object) -> None:
        """Take one response of a stream."""
        fields = as_map(event)
        self.named(model=as_text(fields.get("modelVersion")), id=as_text(fields.get("responseId")))
        self._count(as_map(fields.get("usageMetadata")))
        candidates = [as_map(c) for c in as_list(fields.get("candidates"))]
        candidate = next((c for c in candidates if c.get("index") in (0, None)), None)
        if candidate is not None:
            self._candidate(candidate)
        elif as_map(fields.get("promptFeedback")).get("blockReason"):
            # The prompt itself was stopped: there is no candidate, and there will be none.
            self.finish = "content_filter"
            self.begun = self._ended = True

    def _candidate(self, candidate: Mapping[str, object]) -> None:
        self.begun = True
        for part in map(as_map, as_list(as_map(candidate.get("content")).get("parts"))):
            (self.think if part.get("thought") is True else self.say)(as_text(part.get("text")))
        if reason := as_text(candidate.get("finishReason")):
            self.finish = _FINISHES.get(reason, "unknown")
            self._ended = True

    def _count(self, told: Mapping[str, object]) -> None:
        """Counts of a stream are of all that has come; some events leave some out."""
        self._told |= told
        thoughts = as_count(self._told.get("thoughtsTokenCount"))
        sent = ("promptTokenCount", "toolUsePromptTokenCount")
        self.tokens = Usage(
            input_tokens=sum(as_count(self._told.get(name)) for name in sent),
            # Google's count of the candidates leaves out what was thought.
            output_tokens=as_count(self._told.get("candidatesTokenCount")) + thoughts,
            cached_tokens=as_count(self._told.get("cachedContentTokenCount")),
            reasoning_tokens=thoughts,
        )
