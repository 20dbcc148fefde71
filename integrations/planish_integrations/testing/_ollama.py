"""The server's side of Ollama's chat: https://github.com/ollama/ollama/blob/main/docs/api.md."""

from collections.abc import Sequence
from typing import Any

from planish.data.message import Reply

from ._protocol import ChatRequest, encode, text_pieces

__all__ = ["Ollama"]

_DONE = {"length": "length", "unknown": ""}
_CREATED_AT = "2025-01-01T00:00:00.000000Z"


class Ollama:
    """Answers `/api/chat`."""

    stream_type = "application/x-ndjson"

    def wants_stream(self, request: ChatRequest) -> bool:
        """Return whether to stream, which is Ollama's default."""
        return request.body.get("stream") is not False

    def response_body(self, reply: Reply, request: ChatRequest) -> dict[str, Any]:
        """Return the single object, with `done` set."""
        message = {"role": "assistant", "content": reply.text}
        if reply.reasoning:
            message["thinking"] = reply.reasoning
        return _line(reply, request, message) | _end_fields(reply)

    def stream_events(self, reply: Reply, request: ChatRequest) -> list[bytes]:
        """Return one object a line; the last has `done` set."""
        pieces = [
            {"content": "", "thinking": piece} for piece in text_pieces(reply.reasoning) if piece
        ]
        pieces += [{"content": piece} for piece in text_pieces(reply.text)]
        values = [_line(reply, request, {"role": "assistant"} | piece) for piece in pieces]
        last = _line(reply, request, {"role": "assistant", "content": ""}) | _end_fields(reply)
        return [encode(value) + b"\n" for value in (*values, last)]

    def error_body(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:  # noqa: ARG002  # Ollama's format has no field for them
        """Return `{"error": "text"}`."""
        return {"error": message}

    def error_event(self, status: int, message: str) -> bytes:
        """Return the error as a line."""
        return encode(self.error_body(status, message)) + b"\n"


def _line(reply: Reply, request: ChatRequest, message: dict[str, str]) -> dict[str, Any]:
    model = reply.model or request.model
    return {"model": model, "created_at": _CREATED_AT, "message": message, "done": False}


def _end_fields(reply: Reply) -> dict[str, Any]:
    return {
        "done": True,
        "done_reason": _DONE.get(reply.finish_reason, "stop"),
        "prompt_eval_count": reply.usage.input_tokens,
        "eval_count": reply.usage.output_tokens,
    }
