"""Prompts and replies are recorded only if the program asks for it, and where it asks for it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

from planish import step
from planish.data import Message, Reply, Request
from planish.effects import ask
from planish.errors import RateLimitError
from planish.telemetry import content, names
from planish.testing import ScriptedModel
from planish.testing.telemetry import capture

VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
CONTENT = (names.SYSTEM_INSTRUCTIONS, names.INPUT_MESSAGES, names.OUTPUT_MESSAGES)
REQUEST = Request(
    messages=(
        Message("system", "be brief"),
        Message("user", "héllo"),
        Message("assistant", "hi"),
        Message("user", "again"),
    )
)
REPLY = Reply(text="bye", reasoning="they leave", finish_reason="tool_calls", model="m-1")
SYSTEM = [{"type": "text", "content": "be brief"}]
INPUT = [
    {"role": "user", "parts": [{"type": "text", "content": "héllo"}]},
    {"role": "assistant", "parts": [{"type": "text", "content": "hi"}]},
    {"role": "user", "parts": [{"type": "text", "content": "again"}]},
]
OUTPUT = [
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "content": "they leave"},
            {"type": "text", "content": "bye"},
        ],
        "finish_reason": "tool_call",
    }
]


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemoryLogRecordExporter]:
    """The log records of the tests, without the global provider."""
    make: Any = InMemoryLogRecordExporter  # its constructor has no annotations
    exporter, provider = make(), LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    monkeypatch.setattr(content, "get_logger", provider.get_logger)
    yield exporter
    provider.shutdown()


async def call(answer: Reply | Exception) -> dict[str, Any]:
    """The attributes of the span of one call of a model."""
    model = ScriptedModel([answer], name="m")

    async def question(_: int) -> int:
        await ask(model, REQUEST)
        return 0

    with capture() as captured:
        try:
            await step(question).run(0)
        except RateLimitError:
            assert isinstance(answer, RateLimitError)
    (span,) = captured.by_name("chat m")
    return dict(span.attributes or {})


@pytest.mark.anyio
@pytest.mark.parametrize("mode", [None, "", "NO_CONTENT", "true", "everything"])
async def test_nothing_is_recorded_unless_asked_for(
    mode: str | None, monkeypatch: pytest.MonkeyPatch, records: InMemoryLogRecordExporter
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    if mode is not None:
        monkeypatch.setenv(VARIABLE, mode)
    attributes = await call(REPLY)
    assert not attributes.keys() & set(CONTENT)
    assert not records.get_finished_logs()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("mode", "on_span", "in_event"),
    [("SPAN_ONLY", 1, 0), ("EVENT_ONLY", 0, 1), ("SPAN_AND_EVENT", 1, 1), ("span_only", 1, 0)],
)
async def test_content_is_recorded_where_it_is_asked_for(
    mode: str,
    on_span: int,
    in_event: int,
    monkeypatch: pytest.MonkeyPatch,
    records: InMemoryLogRecordExporter,
) -> None:
    monkeypatch.setenv(VARIABLE, mode)
    attributes = await call(REPLY)
    found = [json.loads(attributes[name]) for name in CONTENT if name in attributes]
    assert found == [SYSTEM, INPUT, OUTPUT] * on_span
    logs = [one.log_record for one in records.get_finished_logs()]
    assert [log.event_name for log in logs] == [names.INFERENCE_DETAILS] * in_event
    for log in logs:
        written: Any = dict(log.attributes or {})
        # The SDK makes tuples of lists.
        plain = json.loads(json.dumps({name: written[name] for name in CONTENT}, default=dict))
        assert plain == dict(zip(CONTENT, [SYSTEM, INPUT, OUTPUT], strict=True))
        assert written[names.OPERATION] == "chat"
        assert written[names.REQUEST_MODEL] == "m"
        assert log.trace_id


@pytest.mark.anyio
async def test_a_call_that_fails_records_what_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "SPAN_ONLY")
    attributes = await call(RateLimitError("later"))
    assert json.loads(attributes[names.INPUT_MESSAGES]) == INPUT
    assert names.OUTPUT_MESSAGES not in attributes
