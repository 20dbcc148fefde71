"""The server's side of Anthropic's Messages: https://docs.anthropic.com/en/api/messages."""

from collections.abc import Sequence
from typing import Any

from planish.data.message import Reply

from ._protocol import ChatRequest, event, text_pieces

__all__ = ["Messages"]

_STOP = {"length": "max_tokens", "content_filter": "refusal", "tool_calls": "tool_use"}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class Messages:
    """Answers `/v1/messages`."""

    stream_type = "text/event-stream; charset=utf-8"

    def wants_stream(self, request: ChatRequest) -> bool:
        """Return whether the body requests a stream."""
        return request.streamed

    def response_body(self, reply: Reply, request: ChatRequest) -> dict[str, Any]:
        """Return a `message` object."""
        thinking = {"type": "thinking", "thinking": reply.reasoning, "signature": "loopback"}
        content = [thinking] if reply.reasoning else []
        return _head(reply, request) | {
            "content": [*content, {"type": "text", "text": reply.text}],
            "stop_reason": _stop(reply),
            "usage": _input_usage(reply) | _output_usage(reply),
        }

    def stream_events(self, reply: Reply, request: ChatRequest) -> list[bytes]:
        """Return the events from `message_start` to `message_stop`, with a `ping`."""
        empty: list[Any] = []
        start = _head(reply, request) | {"content": empty, "stop_reason": None}
        start["usage"] = _input_usage(reply) | {"output_tokens": 1}
        events: list[bytes] = [_event("message_start", message=start), _event("ping")]
        blocks: list[tuple[str, str, str]] = [("text", "text_delta", reply.text)]
        if reply.reasoning:
            blocks.insert(0, ("thinking", "thinking_delta", reply.reasoning))
        for index, (kind, delta, text) in enumerate(blocks):
            block = {"type": kind, kind: ""}
            events.append(_event("content_block_start", index=index, content_block=block))
            for piece in text_pieces(text):
                change = {"type": delta, kind: piece}
                events.append(_event("content_block_delta", index=index, delta=change))
            events.append(_event("content_block_stop", index=index))
        stop = {"stop_reason": _stop(reply), "stop_sequence": None}
        events.append(
            _event("message_delta", delta=stop, usage=_input_usage(reply) | _output_usage(reply))
        )
        return [*events, _event("message_stop")]

    def error_body(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
        """Return `{"type": "error", "error": {"type", "message"}}`."""
        error: dict[str, Any] = {"type": _KINDS.get(status, "api_error"), "message": message}
        error |= {"details": list(details)} if details else {}
        return {"type": "error", "error": error, "request_id": "req_loopback"}

    def error_event(self, status: int, message: str) -> bytes:
        """Return an `error` event."""
        return event(self.error_body(status, message), "error")


def _event(kind: str, **fields: Any) -> bytes:
    return event({"type": kind} | fields, kind)


def _head(reply: Reply, request: ChatRequest) -> dict[str, Any]:
    return {
        "id": reply.id,
        "type": "message",
        "role": "assistant",
        "model": reply.model or request.model,
        "stop_sequence": None,
    }


def _stop(reply: Reply) -> str:
    return _STOP.get(reply.finish_reason, "end_turn")


def _input_usage(reply: Reply) -> dict[str, int]:
    # Anthropic's input tokens exclude those read from the cache; planish's include them.
    usage = reply.usage
    return {
        "input_tokens": usage.input_tokens - usage.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached_tokens,
    }


def _output_usage(reply: Reply) -> dict[str, Any]:
    usage = reply.usage
    details = {"thinking_tokens": usage.reasoning_tokens}
    return {"output_tokens": usage.output_tokens, "output_tokens_details": details}
