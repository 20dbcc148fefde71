"""The server's side of OpenAI's chat completions and Responses.

See https://platform.openai.com/docs/api-reference/chat and
https://platform.openai.com/docs/api-reference/responses.
"""

from collections.abc import Sequence
from typing import Any

from planish.data.message import Reply

from ._protocol import ChatRequest, event, text_pieces

__all__ = ["ChatCompletions", "Responses"]

_FINISH = {"error": "stop", "unknown": None}
_DONE = b"data: [DONE]\n\n"


class ChatCompletions:
    """Answers `/chat/completions`."""

    stream_type = "text/event-stream; charset=utf-8"

    def wants_stream(self, request: ChatRequest) -> bool:
        """Return whether the body requests a stream."""
        return request.streamed

    def response_body(self, reply: Reply, request: ChatRequest) -> dict[str, Any]:
        """Return a `chat.completion` object."""
        message = {"role": "assistant", "content": reply.text, "refusal": None} | _reasoning_field(
            reply
        )
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
        return _head(reply, request, "chat.completion") | {
            "choices": [choice],
            "usage": _usage(reply),
        }

    def stream_events(self, reply: Reply, request: ChatRequest) -> list[bytes]:
        """Return `chat.completion.chunk` events, the usage if requested, and `[DONE]`."""
        head = _head(reply, request, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return event(head | {"choices": [choice]})

        events = [chunk({"role": "assistant", "content": ""})]
        if reply.reasoning:
            events += [
                chunk({"reasoning_content": piece}) for piece in text_pieces(reply.reasoning)
            ]
        events += [chunk({"content": piece}) for piece in text_pieces(reply.text)]
        events.append(chunk({}, _finish(reply)))
        options: dict[str, Any] = request.body.get("stream_options") or dict[str, Any]()
        if options.get("include_usage"):
            last: dict[str, Any] = {"choices": [], "usage": _usage(reply)}
            events.append(event(head | last))
        return [*events, _DONE]

    def error_body(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
        """Return `{"error": {"message", "type", "param", "code"}}`."""
        kind, code = _error_type(status)
        error = {"message": message, "type": kind, "param": None, "code": code}
        return {"error": error | ({"details": list(details)} if details else {})}

    def error_event(self, status: int, message: str) -> bytes:
        """Return the error object as an event, as OpenRouter and vLLM send it."""
        return event(self.error_body(status, message))


def _error_type(status: int) -> tuple[str, str | None]:
    """Return OpenAI's `type` and `code` for a status."""
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
        case _ if status >= 500:  # noqa: PLR2004  # HTTP: 500 and above are server errors
            return "server_error", None
        case _:
            return "invalid_request_error", None


def _head(reply: Reply, request: ChatRequest, kind: str) -> dict[str, Any]:
    model = reply.model or request.model
    return {"id": reply.id, "object": kind, "created": 1_700_000_000, "model": model}


def _finish(reply: Reply) -> str | None:
    return _FINISH.get(reply.finish_reason, reply.finish_reason)


def _reasoning_field(reply: Reply) -> dict[str, str]:
    # The field of DeepSeek and of servers that follow it.
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


_INCOMPLETE_REASONS = {"length": "max_output_tokens", "content_filter": "content_filter"}


class Responses:
    """Answers `/responses`."""

    stream_type = "text/event-stream; charset=utf-8"

    def wants_stream(self, request: ChatRequest) -> bool:
        """Return whether the body requests a stream."""
        return request.streamed

    def response_body(self, reply: Reply, request: ChatRequest) -> dict[str, Any]:
        """Return a `response` object."""
        output = [_reasoning_item(reply)] if reply.reasoning else []
        return _response(reply, request, _status(reply), [*output, _message(reply)])

    def stream_events(self, reply: Reply, request: ChatRequest) -> list[bytes]:
        """Return numbered events from `response.created` to `response.completed`."""
        start = _response(reply, request, "in_progress", []) | {"usage": None}
        done = self.response_body(reply, request)
        kinds: list[tuple[str, dict[str, Any]]] = [
            ("response.created", {"response": start}),
            ("response.in_progress", {"response": start}),
        ]
        for index, item in enumerate(done["output"]):
            kinds += _item(item, index)
        kinds.append((f"response.{done['status']}", {"response": done}))
        return [
            event({"type": kind} | fields | {"sequence_number": number}, kind)
            for number, (kind, fields) in enumerate(kinds)
        ]

    def error_body(self, status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
        """Return the same body as chat completions."""
        return ChatCompletions().error_body(status, message, details)

    def error_event(self, status: int, message: str) -> bytes:
        """Return an `error` event."""
        kind, code = _error_type(status)
        fields = {"code": code or kind, "message": message, "param": None}
        return event({"type": "error"} | fields | {"sequence_number": 0}, "error")


def _status(reply: Reply) -> str:
    return "incomplete" if reply.finish_reason in _INCOMPLETE_REASONS else "completed"


def _response(
    reply: Reply, request: ChatRequest, status: str, output: list[dict[str, Any]]
) -> dict[str, Any]:
    usage = reply.usage
    reason = _INCOMPLETE_REASONS.get(reply.finish_reason) if status == "incomplete" else None
    return {
        "id": reply.id,
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "error": None,
        "incomplete_details": None if reason is None else {"reason": reason},
        "model": reply.model or request.model,
        "output": output,
        "usage": {
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_tokens},
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
            "total_tokens": usage.tokens,
        },
    }


def _message(reply: Reply) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "annotations": [], "logprobs": []}
    part["text"] = reply.text
    item = {"id": f"msg_{reply.id}", "type": "message", "status": "completed"}
    return item | {"role": "assistant", "content": [part]}


def _reasoning_item(reply: Reply) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": reply.reasoning}]
    return {"id": f"rs_{reply.id}", "type": "reasoning", "summary": summary}


def _item(item: dict[str, Any], index: int) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of one output item."""
    item_location = {"item_id": item["id"], "output_index": index}
    is_reasoning = item["type"] == "reasoning"
    parts_field = "summary" if is_reasoning else "content"
    location = item_location | {"summary_index" if is_reasoning else "content_index": 0}
    part = item[parts_field][0]
    name = "response.reasoning_summary_text" if is_reasoning else "response.output_text"
    group = "response.reasoning_summary_part" if is_reasoning else "response.content_part"
    empty: list[Any] = []
    start = {"output_index": index, "item": item | {parts_field: empty}}
    return [
        ("response.output_item.added", start),
        (f"{group}.added", location | {"part": part | {"text": ""}}),
        *((f"{name}.delta", location | {"delta": piece}) for piece in text_pieces(part["text"])),
        (f"{name}.done", location | {"text": part["text"]}),
        (f"{group}.done", location | {"part": part}),
        ("response.output_item.done", {"output_index": index, "item": item}),
    ]
