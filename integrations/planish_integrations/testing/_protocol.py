"""What each protocol must be able to say, and what they say alike."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from planish.data.message import Reply

__all__ = ["ChatRequest", "ProtocolName", "ProviderProtocol", "encode", "event", "text_pieces"]

ProtocolName = Literal["openai", "responses", "anthropic", "gemini", "ollama"]
"""The protocols: OpenAI's chat completions and Responses, Anthropic's Messages, Gemini's
generateContent, Ollama's /api/chat."""

_PIECE = 16  # characters of text in one event of a stream; models send some 4


class ChatRequest:
    """What an answer depends on, out of a request.

    Args:
        path: Without the query.
        query: What follows the "?".
        body: The decoded JSON object; empty where it was none.
    """

    def __init__(self, path: str, query: str, body: Mapping[str, Any]) -> None:
        self.path = path
        self.query = query
        self.body = body

    @property
    def model(self) -> str:
        """The model request for, by the body."""
        return str(self.body.get("model") or "loopback")

    @property
    def streamed(self) -> bool:
        """The body asks for a stream."""
        return self.body.get("stream") is True


class ProviderProtocol(Protocol):
    """One protocol, from the server's side. Each has no state."""

    @property
    def stream_type(self) -> str:
        """The content type of a streamed answer."""
        ...

    def wants_stream(self, request: ChatRequest) -> bool:
        """Whether the answer is wanted in pieces."""
        ...

    def response_body(self, reply: Reply, request: ChatRequest) -> dict[str, Any]:
        """The answer in one piece, as JSON."""
        ...

    def stream_events(self, reply: Reply, request: ChatRequest) -> list[bytes]:
        """The answer in pieces: each event as its bytes, the one that ends it last."""
        ...

    def error_body(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
        """The body of an error; `details` where the protocol has a place for them."""
        ...

    def error_event(self, status: int, message: str) -> bytes:
        """An error as an event of a stream that began with 200."""
        ...


def encode(value: object) -> bytes:
    """Compact JSON. Text stays UTF-8, so that a cut can fall inside a character."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def event(value: object, name: str | None = None) -> bytes:
    """A server-sent event."""
    head = b"" if name is None else b"event: %b\n" % name.encode()
    return head + b"data: " + encode(value) + b"\n\n"


def text_pieces(text: str) -> list[str]:
    """A text in pieces, as a stream has it; one empty piece for an empty text."""
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)] or [""]
