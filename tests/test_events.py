"""Listeners get every event in order, and those of runs within their block only."""

import time
from dataclasses import dataclass
from typing import ClassVar

import anyio
import pytest
from tests.laws.kit import RAISES, TASK, Tally, attempt, grade, player

from planish import Escalate, Retry, Task, Timeout, Validator, step
from planish.data.events import Event
from planish.errors import ModelError
from planish.events import (
    BranchEnded,
    CodeExecuted,
    CodeGenerated,
    LoopStopped,
    RunEnded,
    RunStarted,
    emit,
    listen,
    watch,
)
from planish.testing.telemetry import capture


def actions(events: list[Event]) -> list[str]:
    return [event.action for event in events if event.action is not None]


@pytest.mark.anyio
async def test_a_run_of_two_attempts_emits_the_five_actions_in_order() -> None:
    events: list[Event] = []
    async with listen(events.append):
        await Retry(attempt([1, 4]), attempts=5).run(TASK)
    assert [event.kind for event in events] == [
        "run_started",
        "attempt_started",
        "model_call_started",
        "tokens_received",
        "model_call_ended",
        "code_generated",
        "code_executed",
        "candidate_judged",
        "attempt_started",
        "model_call_started",
        "tokens_received",
        "model_call_ended",
        "code_generated",
        "code_executed",
        "candidate_judged",
        "loop_stopped",
        "run_ended",
    ]
    assert actions(events) == [
        "generate",
        "execute",
        "analyze",
        "regenerate",
        "execute",
        "analyze",
        "terminate",
    ]


@pytest.mark.anyio
async def test_a_wrapper_does_not_emit_the_events_of_its_step_again() -> None:
    events: list[Event] = []
    generate = Timeout(Escalate(player([1]), player([4])), seconds=60)
    async with listen(events.append):
        await Retry(Timeout(generate >> step(grade), seconds=60) >> Validator(), attempts=2).run(
            TASK
        )
    expected = ["generate", "execute", "analyze", "regenerate", "execute", "analyze", "terminate"]
    assert actions(events) == expected


@pytest.mark.anyio
async def test_events_have_path_and_attempt() -> None:
    events: list[Event] = []
    async with listen(events.append):
        await Retry(attempt([1]) | attempt([2]), attempts=2).run(TASK)
    generated = {(e.path, e.attempt) for e in events if isinstance(e, CodeGenerated)}
    assert generated == {
        (("Retry#1", "Race[0]", "Sequential[0]"), 1),
        (("Retry#1", "Race[1]", "Sequential[0]"), 1),
        (("Retry#2", "Race[0]", "Sequential[0]"), 2),
        (("Retry#2", "Race[1]", "Sequential[0]"), 2),
    }
    assert {(e.path, e.attempt) for e in events if isinstance(e, BranchEnded)} == {
        (("Retry#1",), 1),
        (("Retry#2",), 2),
    }
    (stopped,) = (event for event in events if isinstance(event, LoopStopped))
    assert (stopped.reason, stopped.passed, stopped.score) == ("max_attempts", False, 0.5)
    assert (stopped.path, stopped.attempt) == ((), 2)


@pytest.mark.anyio
async def test_events_contain_the_values() -> None:
    events: list[Event] = []
    loop = Retry(attempt([3]), attempts=1)
    async with listen(events.append):
        report = await loop.run(TASK)
    generated = next(event for event in events if isinstance(event, CodeGenerated))
    executed = next(event for event in events if isinstance(event, CodeExecuted))
    assert generated.candidate is report.history[0].candidate
    assert executed.execution is report.history[0].execution
    assert isinstance(events[0], RunStarted)
    assert events[0].pipeline == repr(loop)
    assert isinstance(events[-1], RunEnded)
    assert events[-1].error is None


@pytest.mark.anyio
async def test_the_last_event_names_the_error() -> None:
    events: list[Event] = []
    async with listen(events.append):
        with pytest.raises(ModelError):
            await attempt([RAISES]).run(TASK)
        with anyio.CancelScope() as scope:
            await attempt([1], tally=Tally(at=lambda _: scope.cancel())).run(TASK)
    ended = [event.error for event in events if isinstance(event, RunEnded)]
    assert ended[0] == "planish.errors.ModelError"
    assert ended[1] is not None
    assert "Cancelled" in ended[1]


@pytest.mark.anyio
async def test_blocks_nest_and_end() -> None:
    outer: list[Event] = []
    inner: list[Event] = []
    async with listen(outer.append):
        await attempt([1]).run(TASK)
        async with listen(inner.append):
            await attempt([1]).run(TASK)
        await attempt([1]).run(TASK)
    await attempt([1]).run(TASK)
    kinds = [event.kind for event in outer]
    assert kinds.count("candidate_judged") == 3
    assert [event.kind for event in inner].count("candidate_judged") == 1


@pytest.mark.anyio
async def test_an_exception_in_a_listener_ends_the_run() -> None:
    def broken(event: Event) -> None:
        if event.kind == "candidate_judged":
            raise LookupError("the display is gone")

    tally = Tally()
    with pytest.raises(LookupError, match="the display is gone"):
        async with listen(broken):
            await Retry(attempt([1], tally=tally), attempts=5).run(TASK)
    assert len(tally.requests) == 1


@pytest.mark.anyio
async def test_without_a_listener_nothing_is_streamed() -> None:
    pieces: list[str] = []
    generate = player([1])
    model = generate.model

    class Watched:
        name, provider = model.name, model.provider

        async def reply(self, request: object, on_text: object = None) -> object:
            pieces.append("streamed" if on_text else "whole")
            return await model.reply(request, on_text)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    generate.model = Watched()  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
    await generate.run(TASK)
    async with listen(lambda _: None):
        await generate.run(TASK)
    assert pieces == ["whole", "streamed"]


@pytest.mark.anyio
async def test_events_are_restored_from_json() -> None:
    events: list[Event] = []
    async with listen(events.append):
        await (Retry(attempt([1]), attempts=2) | attempt([2])).run(TASK)
    for event in events:
        assert type(event).from_json(event.to_json()) == event


@pytest.mark.anyio
async def test_watch_yields_the_events_and_then_the_result() -> None:
    async with watch(Retry(attempt([1, 4]), attempts=3), TASK) as run:
        with pytest.raises(RuntimeError, match="has not ended"):
            _ = run.result
        kinds = [event.kind async for event in run]
    assert kinds[0] == "run_started"
    assert kinds[-1] == "run_ended"
    assert run.result.passed


@pytest.mark.anyio
async def test_watch_raises_what_the_run_raises() -> None:
    async def follow() -> None:
        async with watch(attempt([RAISES]), TASK) as run:
            async for _ in run:
                pass

    with pytest.raises(ModelError):
        await follow()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved(Event):
    kind: ClassVar[str] = "retrieved"
    documents: int
    query: tuple[str, ...] = ()


@pytest.mark.anyio
async def test_an_event_of_ones_own_is_emitted_with_its_place() -> None:
    events: list[Event] = []

    def look(task: Task) -> Task:
        emit(Retrieved(documents=3, query=("a", "b")))
        return task

    before = time.time()
    async with listen(events.append):
        with capture() as captured:
            await Retry(step(look) >> attempt([4]), attempts=1).run(TASK)
        await attempt([4]).run(TASK)
    (own,) = (event for event in events if isinstance(event, Retrieved))
    assert (own.path, own.attempt) == (("Retry#1", "Sequential[0]"), 1)
    assert before <= own.time <= time.time()
    (span,) = captured.by_name("planish.look")
    assert span.context is not None
    assert own.trace_id == f"{span.context.trace_id:032x}"
    assert own.span_id == f"{span.context.span_id:016x}"
    assert own.fields() == {"documents": 3}
    assert Retrieved.from_json(own.to_json()) == own
    ids = [event.run_id for event in events]
    first, second = ids[0], ids[-1]
    assert (len(first), first != second, set(ids)) == (16, True, {first, second})
    assert ids.index(second) == [event.kind for event in events].index("run_ended") + 1
    emit(Retrieved(documents=1))  # nobody listens
    assert len(events) == len(ids)
