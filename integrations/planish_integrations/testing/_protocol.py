"""The server's side of a provider's protocol, and what all protocols share."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from planish.data.message import Reply

__all__ = ["ChatRequest", "ProtocolName", "ProviderProtocol", "encode", "event", "text_pieces"]

ProtocolName = Literal["openai", "responses", "anthropic", "gemini", "ollama"]
"""The protocols: OpenAI's chat completions and Responses, Anthropic's Messages, Gemini's
generateContent, Ollama's /api/chat."""

_PIECE = 16  # characters of text in one event of a stream; models send about 4


class ChatRequest:
    """The parts of a request that decide its answer.

    Args:
        path: The path without the query.
        query: The text after the "?".
        body: The decoded JSON object; empty if the body is not one.
    """

    def __init__(self, path: str, query: str, body: Mapping[str, Any]) -> None:
        self.path = path
        self.query = query
        self.body = body

    @property
    def model(self) -> str:
        """The requested model, as named in the body."""
        return str(self.body.get("model") or "loopback")

    @property
    def streamed(self) -> bool:
        """Whether the body requests a stream."""
        return self.body.get("stream") is True


class ProviderProtocol(Protocol):
    """One protocol from the server's side; an implementation has no state."""

    @property
    def stream_type(self) -> str:
        """The content type of a streamed answer."""
        ...

    def wants_stream(self, request: ChatRequest) -> bool:
        """Return whether to send the answer as a stream."""
        ...

    def response_body(self, reply: Reply, request: ChatRequest) -> dict[str, Any]:
        """Return the whole answer as a JSON value."""
        ...

    def stream_events(self, reply: Reply, request: ChatRequest) -> list[bytes]:
        """Return the encoded events of a streamed answer, the last of which ends it."""
        ...

    def error_body(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
        """Return the body of an error, with `details` if the protocol has a field for them."""
        ...

    def error_event(self, status: int, message: str) -> bytes:
        """Return an error as an event in a stream with status 200."""
        ...


def encode(value: object) -> bytes:
    """Encode a value as compact JSON in UTF-8, so that a cut can fall inside a character."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def event(value: object, name: str | None = None) -> bytes:
    """Encode a value as a server-sent event."""
    head = b"" if name is None else b"event: %b\n" % name.encode()
    return head + b"data: " + encode(value) + b"\n\n"


def text_pieces(text: str) -> list[str]:
    """Return a text in the pieces of a stream; one empty piece for an empty text."""
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)] or [""]
