"""Anthropic's Messages: https://docs.anthropic.com/en/api/messages."""

from collections.abc import Sequence
from typing import Any

from planish.data.message import Reply

from ._protocol import Asked, event, slices

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

    def streamed(self, asked: Asked) -> bool:
        """The body says so."""
        return asked.streamed

    def whole(self, reply: Reply, asked: Asked) -> dict[str, Any]:
        """A `message` object."""
        thought = {"type": "thinking", "thinking": reply.reasoning, "signature": "loopback"}
        content = [thought] if reply.reasoning else []
        return _head(reply, asked) | {
            "content": [*content, {"type": "text", "text": reply.text}],
            "stop_reason": _stop(reply),
            "usage": _sent(reply) | _received(reply),
        }

    def stream(self, reply: Reply, asked: Asked) -> list[bytes]:
        """Events from `message_start` to `message_stop`, a `ping` among them."""
        empty: list[Any] = []
        begun = _head(reply, asked) | {"content": empty, "stop_reason": None}
        begun["usage"] = _sent(reply) | {"output_tokens": 1}
        events: list[bytes] = [_event("message_start", message=begun), _event("ping")]
        blocks: list[tuple[str, str, str]] = [("text", "text_delta", reply.text)]
        if reply.reasoning:
            blocks.insert(0, ("thinking", "thinking_delta", reply.reasoning))
        for index, (kind, delta, text) in enumerate(blocks):
            block = {"type": kind, kind: ""}
            events.append(_event("content_block_start", index=index, content_block=block))
            for piece in slices(text):
                change = {"type": delta, kind: piece}
                events.append(_event("content_block_delta", index=index, delta=change))
            events.append(_event("content_block_stop", index=index))
        ended = {"stop_reason": _stop(reply), "stop_sequence": None}
        events.append(_event("message_delta", delta=ended, usage=_sent(reply) | _received(reply)))
        return [*events, _event("message_stop")]

    def refusal(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
        """`{"type": "error", "error": {"type", "message"}}`."""
        error: dict[str, Any] = {"type": _KINDS.get(status, "api_error"), "message": message}
        error |= {"details": list(details)} if details else {}
        return {"type": "error", "error": error, "request_id": "req_loopback"}

    def broken(self, status: int, message: str) -> bytes:
        """An `error` event."""
        return event(self.refusal(status, message), "error")


def _event(kind: str, **fields: Any) -> bytes:
    return event({"type": kind} | fields, kind)


def _head(reply: Reply, asked: Asked) -> dict[str, Any]:
    return {
        "id": reply.id,
        "type": "message",
        "role": "assistant",
        "model": reply.model or asked.model,
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
