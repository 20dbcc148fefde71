"""Record requests and replies on spans and in log records, if the program asks for it.

Content is recorded only if the environment variable of OpenTelemetry's GenAI conventions says
where: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is SPAN_ONLY, EVENT_ONLY or
SPAN_AND_EVENT. It is read at each call. Any other value, and none, records nothing.
"""

import os
from collections.abc import Mapping
from typing import Any

from opentelemetry._logs import LogRecord, get_logger
from opentelemetry.trace import get_current_span
from opentelemetry.util.types import AnyValue

from planish.data.message import FinishReason, Reply, Request
from planish.telemetry import names

__all__ = ["CONTENT_VARIABLE", "record_content"]

CONTENT_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

_ON_SPANS = frozenset({"SPAN_ONLY", "SPAN_AND_EVENT"})
_IN_EVENTS = frozenset({"EVENT_ONLY", "SPAN_AND_EVENT"})
# The conventions have their own word for one reason.
_FINISH_REASONS: Mapping[FinishReason, str] = {"tool_calls": "tool_call"}


def record_content(provider: str, model: str, request: Request, reply: Reply | None) -> None:
    """Record what a model was sent and what it replied, where the environment says.

    Args:
        provider: The provider's name.
        model: The model's name.
        request: The request.
        reply: The reply; None if the call failed.
    """
    mode = os.environ.get(CONTENT_VARIABLE, "").upper()
    if mode not in _ON_SPANS and mode not in _IN_EVENTS:
        return
    content = _content(request, reply)
    span = get_current_span()
    if mode in _ON_SPANS and span.is_recording():
        # Attributes of spans have no structure: the conventions ask for JSON.
        for name, value in content.items():
            import json  # noqa: PLC0415 - content is on spans only on request

            span.set_attribute(name, json.dumps(value, ensure_ascii=False))
    if mode in _IN_EVENTS:
        named = {names.OPERATION: "chat", names.PROVIDER: provider, names.REQUEST_MODEL: model}
        answered = (
            {} if reply is None or reply.model is None else {names.RESPONSE_MODEL: reply.model}
        )
        fields: dict[str, AnyValue] = {**named, **answered, **content}
        get_logger("planish").emit(LogRecord(event_name=names.INFERENCE_DETAILS, attributes=fields))


def _content(request: Request, reply: Reply | None) -> dict[str, Any]:
    system = [_text(m.content) for m in request.messages if m.role == "system"]
    turns = [
        {"role": m.role, "parts": [_text(m.content)]}
        for m in request.messages
        if m.role != "system"
    ]
    content: dict[str, Any] = {names.INPUT_MESSAGES: turns}
    if system:
        content[names.SYSTEM_INSTRUCTIONS] = system
    if reply is not None:
        reasoning = [{"type": "reasoning", "content": reply.reasoning}] if reply.reasoning else []
        reason = _FINISH_REASONS.get(reply.finish_reason, reply.finish_reason)
        parts = [*reasoning, _text(reply.text)]
        output = {"role": "assistant", "parts": parts, "finish_reason": reason}
        content[names.OUTPUT_MESSAGES] = [output]
    return content


def _text(content: str) -> dict[str, str]:
    return {"type": "text", "content": content}
