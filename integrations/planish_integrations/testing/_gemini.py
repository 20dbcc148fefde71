"""The server's side of Google's generateContent: https://ai.google.dev/api/generate-content."""

from collections.abc import Sequence
from typing import Any

from planish.data.message import Reply

from ._protocol import ChatRequest, encode, event, text_pieces

__all__ = ["Gemini"]

_FINISH = {"length": "MAX_TOKENS", "content_filter": "SAFETY", "error": "OTHER", "unknown": "OTHER"}
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


class Gemini:
    """Answers `:generateContent`, and `:streamGenerateContent` with or without `alt=sse`."""

    stream_type = "text/event-stream"

    def wants_stream(self, request: ChatRequest) -> bool:
        """Return whether the path requests a stream."""
        return request.path.endswith(":streamGenerateContent")

    def response_body(self, reply: Reply, request: ChatRequest) -> dict[str, Any]:
        """Return a `GenerateContentResponse`."""
        parts = [{"text": reply.reasoning, "thought": True}] if reply.reasoning else []
        return _response(reply, request, [*parts, {"text": reply.text}], last=True)

    def stream_events(self, reply: Reply, request: ChatRequest) -> list[bytes]:
        """Return a response for each piece of text; without `alt=sse`, a JSON array of them."""
        parts: list[dict[str, Any]] = []
        if reply.reasoning:
            parts += [{"text": piece, "thought": True} for piece in text_pieces(reply.reasoning)]
        parts += [{"text": piece} for piece in text_pieces(reply.text)]
        values = [
            _response(reply, request, [part], last=index == len(parts) - 1)
            for index, part in enumerate(parts)
        ]
        if "alt=sse" in request.query:
            return [event(value) for value in values]
        first, *others = values
        return [b"[" + encode(first), *(b",\r\n" + encode(other) for other in others), b"]"]

    def error_body(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
        """Return `{"error": {"code", "message", "status", "details"}}`."""
        error = {"code": status, "message": message, "status": _STATUS.get(status, "UNKNOWN")}
        return {"error": error | ({"details": list(details)} if details else {})}

    def error_event(self, status: int, message: str) -> bytes:
        """Return the error object as an event."""
        return event(self.error_body(status, message))


def _response(
    reply: Reply, request: ChatRequest, parts: list[dict[str, Any]], *, last: bool
) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if last:
        candidate["finishReason"] = _FINISH.get(reply.finish_reason, "STOP")
    usage = reply.usage
    # Google counts thoughts separately; planish's output tokens include them.
    tokens = {
        "promptTokenCount": usage.input_tokens,
        "candidatesTokenCount": usage.output_tokens - usage.reasoning_tokens,
        "thoughtsTokenCount": usage.reasoning_tokens,
        "totalTokenCount": usage.tokens,
    }
    if usage.cached_tokens:  # Google omits the field if it is 0
        tokens["cachedContentTokenCount"] = usage.cached_tokens
    return {
        "candidates": [candidate],
        "usageMetadata": tokens,
        "modelVersion": reply.model or _model(request.path),
        "responseId": reply.id,
    }


def _model(path: str) -> str:
    return path.rpartition("/")[2].partition(":")[0]
