"""Logs: nothing unless structlog is configured; then one entry an event, with trace and attempt."""

import pickle
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Any

import pytest
import structlog
from pydantic import ValidationError
from tests.laws.kit import RAISES, TASK, Tally, attempt

from planish import Primitive, Retry, Task, step
from planish.errors import ModelError
from planish.events import SandboxChanged, emit
from planish.telemetry.logs import add_run_context
from planish.testing.telemetry import capture

Entry = MutableMapping[str, Any]


@pytest.fixture
def entries() -> Iterator[list[Entry]]:
    """Everything that is logged, as a program that configured structlog would see it."""
    found: list[Entry] = []

    def keep(logger: object, method: str, entry: Entry) -> Entry:
        found.append(dict(entry))
        raise structlog.DropEvent

    structlog.configure(processors=[add_run_context, keep], cache_logger_on_first_use=False)
    yield found
    structlog.reset_defaults()


def pipelines(tally: Tally) -> list[Primitive[Task, Any]]:
    one = attempt([1, 4], tally=tally)
    return [one, Retry(one, attempts=3), one | one, one & one, attempt([RAISES])]


@pytest.mark.anyio
async def test_nothing_is_printed_by_default(capfd: pytest.CaptureFixture[str]) -> None:
    for pipeline in pipelines(Tally()):
        with suppress(ModelError):
            await pipeline.run(TASK)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


@pytest.mark.anyio
async def test_events_are_entries_with_attempt_and_status(entries: list[Entry]) -> None:
    await Retry(attempt([1, 4]), attempts=3).run(TASK)
    assert [entry["event"] for entry in entries] == [
        "run_started",
        "attempt_started",
        "model_call_started",
        "model_call_ended",
        "code_generated",
        "code_executed",
        "candidate_judged",
        "attempt_started",
        "model_call_started",
        "model_call_ended",
        "code_generated",
        "code_executed",
        "candidate_judged",
        "loop_stopped",
        "run_ended",
    ]
    attempts = [entry.get("attempt") for entry in entries]
    assert attempts == [None, *[1] * 6, *[2] * 6, None, None]
    executed = [entry for entry in entries if entry["event"] == "code_executed"]
    assert [entry["status"] for entry in executed] == ["partial_success", "success"]
    judged = [entry for entry in entries if entry["event"] == "candidate_judged"]
    assert [(entry["verdict"], entry["score"]) for entry in judged] == [
        ("failed", 0.25),
        ("passed", 1.0),
    ]
    stopped = entries[-2]
    assert (stopped["reason"], stopped["passed"], stopped["score"]) == ("success", True, 1.0)
    assert entries[1]["maximum"] == 3
    assert entries[2]["path"] == "Retry#1/Sequential[0]"
    assert entries[0]["pipeline"].startswith("Retry(")


@pytest.mark.anyio
async def test_an_entry_has_the_ids_of_the_span_it_was_written_in(entries: list[Entry]) -> None:
    with capture() as captured:
        await Retry(attempt([1, 4]), attempts=3).run(TASK)
    (trace_id,) = {f"{span.context.trace_id:032x}" for span in captured.spans if span.context}
    assert {entry["trace_id"] for entry in entries} == {trace_id}
    named = {f"{span.context.span_id:016x}": span.name for span in captured.spans if span.context}
    written = [(entry["event"], named[entry["span_id"]]) for entry in entries]
    assert set(written) == {
        ("run_started", "invoke_workflow Retry"),
        ("attempt_started", "planish.attempt"),
        ("model_call_started", "chat player"),
        ("model_call_ended", "chat player"),
        ("code_generated", "invoke_agent CodeGenerator"),
        ("code_executed", "planish.grade"),
        ("candidate_judged", "planish.validator"),
        ("loop_stopped", "invoke_agent Retry"),
        ("run_ended", "invoke_workflow Retry"),
    }


@pytest.mark.anyio
async def test_without_a_trace_an_entry_has_no_ids(entries: list[Entry]) -> None:
    await attempt([4]).run(TASK)
    assert all("trace_id" not in entry for entry in entries)


@pytest.mark.anyio
async def test_a_steps_own_entries_can_be_found_by_trace(entries: list[Entry]) -> None:
    log = structlog.get_logger()

    def look(task: Task) -> Task:
        log.info("looked", attempt="its own")
        return task

    with capture() as captured:
        await Retry(step(look) >> attempt([1, 4]), attempts=2).run(TASK)
    own = [entry for entry in entries if entry["event"] == "looked"]
    spans = captured.by_name("planish.look")
    assert [entry["span_id"] for entry in own] == [
        f"{span.context.span_id:016x}" for span in spans if span.context
    ]
    assert [entry["path"] for entry in own] == [
        "Retry#1/Sequential[0]",
        "Retry#2/Sequential[0]",
    ]
    assert {entry["attempt"] for entry in own} == {"its own"}


@pytest.mark.anyio
async def test_how_a_run_failed_is_logged(entries: list[Entry]) -> None:
    with pytest.raises(ModelError):
        await attempt([RAISES]).run(TASK)
    assert entries[-1]["error"] == "planish.errors.ModelError"


CREATED = SandboxChanged(sandbox="e2b", sandbox_id="s1", state="created", duration=0.5)
LOST = SandboxChanged(sandbox="e2b", sandbox_id="s1", state="lost")


@pytest.mark.anyio
async def test_changes_of_a_sandbox_are_logged_and_events_of_the_current_span(
    entries: list[Entry], caplog: pytest.LogCaptureFixture
) -> None:
    ended: list[Context] = []

    def use(task: Task) -> Task:
        emit(CREATED)
        ended.append(copy_context())
        emit(LOST)
        return task

    with capture() as captured:
        await step(use).run(TASK)
    ended[0].run(emit, CREATED)  # its span has ended
    assert not caplog.records  # of OpenTelemetry, which warns of events of ended spans
    (span,) = captured.by_name("planish.use")
    values = {"planish.sandbox.name": "e2b", "planish.sandbox.id": "s1"}
    assert [(event.name, dict(event.attributes or {})) for event in span.events] == [
        (
            "planish.sandbox.changed",
            values | {"planish.sandbox.state": "created", "planish.sandbox.duration": 0.5},
        ),
        ("planish.sandbox.changed", values | {"planish.sandbox.state": "lost"}),
    ]
    assert not any(span.events for span in captured.by_name("invoke_workflow use"))
    logged = [entry for entry in entries if entry["event"] == "sandbox_changed"]
    assert [(entry["state"], entry["duration"]) for entry in logged[:2]] == [
        ("created", 0.5),
        ("lost", None),
    ]
    assert {(entry["sandbox"], entry["sandbox_id"]) for entry in logged} == {("e2b", "s1")}


def test_outside_a_run_without_a_listener_and_a_log_nothing_happens() -> None:
    emit(CREATED)


def test_an_event_travels_as_json_and_in_pickles() -> None:
    for event in (CREATED, LOST):
        assert SandboxChanged.from_json(event.to_json()) == event
        assert pickle.loads(pickle.dumps(event)) == event  # noqa: S301
    wrong = CREATED.to_json().replace('"created"', '"stopped"')
    with pytest.raises(ValidationError, match="state"):
        SandboxChanged.from_json(wrong)
