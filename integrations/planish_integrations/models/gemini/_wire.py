"""The generateContent wire: what is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from planish.data.message import Message, Request
from planish_integrations.models.gemini._answer import GeminiAnswer
from planish_integrations.models.transport.wire import Framing

__all__ = ["GeminiWire"]


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

    def answer(self) -> GeminiAnswer:
        """A fresh answer to read into."""
        return GeminiAnswer()


def _content(message: Message) -> dict[str, object]:
    role = "model" if message.role == "assistant" else "user"
    return {"role": role, "parts": _parts(message)}


def _parts(*messages: Message) -> list[dict[str, str]]:
    return [{"text": message.content} for message in messages]
