"""OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat."""

from collections.abc import Sequence
from typing import Any

from planish.data.message import Reply

from ._wire import Asked, event, slices

__all__ = ["Chat", "error_words"]

_FINISH = {"error": "stop", "unknown": None}
_DONE = b"data: [DONE]\n\n"


class Chat:
    """Speaks `/chat/completions`."""

    stream_type = "text/event-stream; charset=utf-8"

    def streamed(self, asked: Asked) -> bool:
        """The body says so."""
        return asked.streamed

    def whole(self, reply: Reply, asked: Asked) -> dict[str, Any]:
        """A `chat.completion` object."""
        message = {"role": "assistant", "content": reply.text, "refusal": None} | _thought(reply)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
        return _head(reply, asked, "chat.completion") | {
            "choices": [choice],
            "usage": _usage(reply),
        }

    def stream(self, reply: Reply, asked: Asked) -> list[bytes]:
        """`chat.completion.chunk` events, usage where `stream_options` asks for it, `[DONE]`."""
        head = _head(reply, asked, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return event(head | {"choices": [choice]})

        events = [chunk({"role": "assistant", "content": ""})]
        if reply.reasoning:
            events += [chunk({"reasoning_content": piece}) for piece in slices(reply.reasoning)]
        events += [chunk({"content": piece}) for piece in slices(reply.text)]
        events.append(chunk({}, _finish(reply)))
        options: dict[str, Any] = asked.body.get("stream_options") or dict[str, Any]()
        if options.get("include_usage"):
            last: dict[str, Any] = {"choices": [], "usage": _usage(reply)}
            events.append(event(head | last))
        return [*events, _DONE]

    def refusal(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
        """`{"error": {"message", "type", "param", "code"}}`."""
        kind, code = error_words(status)
        error = {"message": message, "type": kind, "param": None, "code": code}
        return {"error": error | ({"details": list(details)} if details else {})}

    def broken(self, status: int, message: str) -> bytes:
        """The error object as an event, as OpenRouter and vLLM send it."""
        return event(self.refusal(status, message))


def error_words(status: int) -> tuple[str, str | None]:
    """OpenAI's `type` and `code` for a status."""
    match status:
        case 401:
            return "invalid_request_error", "invalid_api_key"
        case 403:
            return "permission_error", None
        case 404:
            return "invalid_request_error", "model_not_found"
        case 429:
            return "requests", "rate_limit_exceeded"
        case 529:
            return "overloaded_error", None
        case 503:
            return "service_unavailable", None
        case _ if status >= 500:  # noqa: PLR2004  # HTTP: from here on it is the server's error
            return "server_error", None
        case _:
            return "invalid_request_error", None


def _head(reply: Reply, asked: Asked, kind: str) -> dict[str, Any]:
    model = reply.model or asked.model
    return {"id": reply.id, "object": kind, "created": 1_700_000_000, "model": model}


def _finish(reply: Reply) -> str | None:
    return _FINISH.get(reply.finish_reason, reply.finish_reason)


def _thought(reply: Reply) -> dict[str, str]:
    # Where DeepSeek, and the servers that follow it, put reasoning.
    return {"reasoning_content": reply.reasoning} if reply.reasoning else {}


def _usage(reply: Reply) -> dict[str, Any]:
    usage = reply.usage
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }
