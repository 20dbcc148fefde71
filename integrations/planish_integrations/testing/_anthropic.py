"""Anthropic's Messages: https://docs.anthropic.com/en/api/messages."""

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
    """Speaks `/v1/messages`."""

    stream_type = "text/event-stream; charset=utf-8"

    def wants_stream(self, request: ChatRequest) -> bool:
        """The body says so."""
        return request.streamed

    def response_body(self, reply: Reply, request: ChatRequest) -> dict[str, Any]:
        """A `message` object."""
        thought = {"type": "thinking", "thinking": reply.reasoning, "signature": "loopback"}
        content = [thought] if reply.reasoning else []
        return _head(reply, request) | {
            "content": [*content, {"type": "text", "text": reply.text}],
            "stop_reason": _stop(reply),
            "usage": _sent(reply) | _received(reply),
        }

    def stream_events(self, reply: Reply, request: ChatRequest) -> list[bytes]:
        """Events from `message_start` to `message_stop`, a `ping` among them."""
        empty: list[Any] = []
        begun = _head(reply, request) | {"content": empty, "stop_reason": None}
        begun["usage"] = _sent(reply) | {"output_tokens": 1}
        events: list[bytes] = [_event("message_start", message=begun), _event("ping")]
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
        ended = {"stop_reason": _stop(reply), "stop_sequence": None}
        events.append(_event("message_delta", delta=ended, usage=_sent(reply) | _received(reply)))
        return [*events, _event("message_stop")]

    def error_body(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
        """`{"type": "error", "error": {"type", "message"}}`."""
        error: dict[str, Any] = {"type": _KINDS.get(status, "api_error"), "message": message}
        error |= {"details": list(details)} if details else {}
        return {"type": "error", "error": error, "request_id": "req_loopback"}

    def error_event(self, status: int, message: str) -> bytes:
        """An `error` event."""
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


def _sent(reply: Reply) -> dict[str, int]:
    # Anthropic's input tokens leave out those read from the cache; planish's hold them.
    usage = reply.usage
    return {
        "input_tokens": usage.input_tokens - usage.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached_tokens,
    }


def _received(reply: Reply) -> dict[str, Any]:
    usage = reply.usage
    details = {"thinking_tokens": usage.reasoning_tokens}
    return {"output_tokens": usage.output_tokens, "output_tokens_details": details}
