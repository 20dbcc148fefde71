"""Record requests, replies, code and output in telemetry, if the program asks for it.

Content is recorded only if the environment variable of OpenTelemetry's GenAI conventions says
where: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is SPAN_ONLY, EVENT_ONLY or
SPAN_AND_EVENT. It is read at each call. Any other value, and none, records nothing.

All content is bounded: a text to its first and last characters, 10,000 together, with the number
of those between; a conversation to its first and last messages, 20 together.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opentelemetry._logs import LogRecord, get_logger
from opentelemetry.trace import Span, get_current_span
from opentelemetry.util.types import AnyValue

from planish.data.evidence_text import cut
from planish.data.execution import Execution
from planish.data.message import FinishReason, Message, Reply, Request
from planish.telemetry import names
from planish.telemetry.spans import SCOPE

__all__ = ["CONTENT_VARIABLE", "record_content", "record_execution"]

CONTENT_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

_LONGEST = 10_000  # characters of a text
_FIRST, _LAST = 4, 16  # messages of a longer conversation
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")  # which no exporter can encode

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
    if mode in _ON_SPANS:
        _set_json(get_current_span(), content)
    if mode in _IN_EVENTS:
        named = {names.OPERATION: "chat", names.PROVIDER: provider, names.REQUEST_MODEL: model}
        answered = (
            {} if reply is None or reply.model is None else {names.RESPONSE_MODEL: reply.model}
        )
        fields: dict[str, AnyValue] = {**named, **answered, **content}
        get_logger(*SCOPE).emit(LogRecord(event_name=names.INFERENCE_DETAILS, attributes=fields))


def record_execution(span: Span, execution: Execution) -> None:
    """Record the code that was run and what it printed on a span, if the environment says so.

    The code is the candidate's own: the program that was run around it is not recorded, because
    it may hold what protects the verdict.

    Args:
        span: The span of the step that ran the code.
        execution: The result of the step.
    """
    if os.environ.get(CONTENT_VARIABLE, "").upper() not in _ON_SPANS:
        return
    candidate = execution.candidate
    files = list(candidate.files.items())[: _FIRST + _LAST]
    arguments: dict[str, Any] = {"code": _bounded(candidate.code)}
    if files:
        arguments["files"] = {_bounded(path): _bounded(text) for path, text in files}
    result = {"stdout": _bounded(execution.stdout), "stderr": _bounded(execution.stderr)}
    _set_json(span, {names.TOOL_ARGUMENTS: arguments, names.TOOL_RESULT: result})


def _set_json(span: Span, content: Mapping[str, Any]) -> None:
    """Set attributes of a span, which have no structure: the conventions ask for JSON."""
    import json  # noqa: PLC0415 - content is on spans only on request

    if span.is_recording():
        for name, value in content.items():
            span.set_attribute(name, json.dumps(value, ensure_ascii=False))


def _content(request: Request, reply: Reply | None) -> dict[str, Any]:
    system = [m.content for m in request.messages if m.role == "system"]
    turns = [m for m in request.messages if m.role != "system"]
    content: dict[str, Any] = {names.INPUT_MESSAGES: [*_turns(turns)]}
    if system:
        content[names.SYSTEM_INSTRUCTIONS] = [_text(text) for text in system[: _FIRST + _LAST]]
    if reply is not None:
        thought = _bounded(reply.reasoning)
        reasoning = [{"type": "reasoning", "content": thought}] if thought else []
        reason = _FINISH_REASONS.get(reply.finish_reason, reply.finish_reason)
        parts = [*reasoning, _text(reply.text)]
        output = {"role": "assistant", "parts": parts, "finish_reason": reason}
        content[names.OUTPUT_MESSAGES] = [output]
    return content


def _turns(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    left_out = len(messages) - _FIRST - _LAST
    for index, message in enumerate(messages):
        if left_out <= 0 or not _FIRST <= index < _FIRST + left_out:
            yield {"role": message.role, "parts": [_text(message.content)]}
        elif index == _FIRST:
            note = f"... {left_out} messages left out ..."
            yield {"role": message.role, "parts": [_text(note)]}


def _text(content: str) -> dict[str, str]:
    return {"type": "text", "content": _bounded(content)}


def _bounded(text: str) -> str:
    return cut(text, _LONGEST).translate(_SURROGATES)
