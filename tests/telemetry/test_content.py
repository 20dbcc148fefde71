"""Prompts and replies are recorded only if the program asks for it, and where it asks for it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

from planish import Candidate, CodeExecution, Task, step
from planish.data import Message, Reply, Request
from planish.effects import ask
from planish.errors import RateLimitError
from planish.telemetry import content, names
from planish.testing import ScriptedModel
from planish.testing.telemetry import capture
from planish_integrations.unsafe import UnsafeLocalSandbox

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


async def call(answer: Reply | Exception, request: Request = REQUEST) -> dict[str, Any]:
    """The attributes of the span of one call of a model."""
    model = ScriptedModel([answer], name="m")

    async def question(_: int) -> int:
        await ask(model, request)
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


def texts_of(recorded: str) -> list[str]:
    """The texts of recorded messages."""
    return [message["parts"][0]["content"] for message in json.loads(recorded)]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["SPAN_ONLY", "EVENT_ONLY"])
async def test_a_long_text_is_recorded_as_its_beginning_and_its_end(
    mode: str, monkeypatch: pytest.MonkeyPatch, records: InMemoryLogRecordExporter
) -> None:
    monkeypatch.setenv(VARIABLE, mode)
    long = "b" + "x" * 5_000_000 + "e\ud800"
    request = Request(messages=(Message("system", long), Message("user", long)))
    attributes = await call(replace(REPLY, text=long, reasoning=long), request)
    if mode == "EVENT_ONLY":
        (log,) = records.get_finished_logs()
        written: Any = dict(log.log_record.attributes or {})
        attributes = {name: json.dumps(written[name], default=dict) for name in CONTENT}
    for name in CONTENT:
        text = attributes[name]
        text.encode()  # an exporter can
        assert len(text) < 2 * 10_000 + 200
        assert "4990003 characters left out" in text
    (only,) = texts_of(attributes[names.INPUT_MESSAGES])
    assert len(only) == 10_000
    assert (only[0], only[-2:]) == ("b", "e\ufffd")


@pytest.mark.anyio
async def test_a_long_conversation_is_recorded_as_its_beginning_and_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, "SPAN_ONLY")
    messages = tuple(Message("user", str(number)) for number in range(100))
    attributes = await call(REPLY, Request(messages=messages))
    first, last = [str(n) for n in range(4)], [str(n) for n in range(84, 100)]
    found = texts_of(attributes[names.INPUT_MESSAGES])
    assert found == [*first, "... 80 messages left out ...", *last]


PRINTING = Candidate(
    task=Task("Print."),
    code=f"print('y' * 90_000)  # {'c' * 20_000}",
    files={"a.txt": "z" * 20_000},
)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("mode", "recorded"), [(None, False), ("EVENT_ONLY", False), ("SPAN_ONLY", True)]
)
async def test_code_and_output_are_on_the_span_of_the_execution(
    mode: str | None,
    recorded: bool,  # noqa: FBT001 - a parameter of a test
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    if mode is not None:
        monkeypatch.setenv(VARIABLE, mode)
    with capture() as captured:
        await CodeExecution(UnsafeLocalSandbox()).run(PRINTING)
    found = [span for span in captured.spans if names.TOOL_RESULT in (span.attributes or {})]
    assert [span.name for span in found] == ["planish.code_execution"] * recorded
    for span in found:
        attributes: Any = span.attributes
        arguments = json.loads(attributes[names.TOOL_ARGUMENTS])
        result = json.loads(attributes[names.TOOL_RESULT])
        assert arguments["code"].startswith("print('y'")
        assert "characters left out" in arguments["files"]["a.txt"]
        assert result["stdout"].startswith("yyy")
        assert (
            max(map(len, (arguments["code"], arguments["files"]["a.txt"], result["stdout"])))
            == 10_000
        )
        assert result["stderr"] == ""
