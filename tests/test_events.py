"""Listeners hear everything in order, and only what happens within their block."""

import anyio
import pytest
from tests.laws.kit import RAISES, TASK, Tally, attempt, grade, player

from planish import Escalate, Retry, Timeout, Validator, step
from planish.data.events import Event
from planish.errors import ModelError
from planish.events import (
    BranchEnded,
    CodeExecuted,
    CodeGenerated,
    LoopStopped,
    RunEnded,
    RunStarted,
    listen,
    watch,
)


def actions(heard: list[Event]) -> list[str]:
    return [event.action for event in heard if event.action is not None]


@pytest.mark.anyio
async def test_a_run_of_two_attempts_tells_the_five_actions_in_order() -> None:
    heard: list[Event] = []
    async with listen(heard.append):
        await Retry(attempt([1, 4]), attempts=5).run(TASK)
    assert [event.kind for event in heard] == [
        "run_started",
        "attempt_started",
        "tokens_received",
        "code_generated",
        "code_executed",
        "candidate_judged",
        "attempt_started",
        "tokens_received",
        "code_generated",
        "code_executed",
        "candidate_judged",
        "loop_stopped",
        "run_ended",
    ]
    assert actions(heard) == [
        "generate",
        "execute",
        "analyze",
        "regenerate",
        "execute",
        "analyze",
        "terminate",
    ]


@pytest.mark.anyio
async def test_what_stands_around_a_step_tells_nothing_twice() -> None:
    heard: list[Event] = []
    generate = Timeout(Escalate(player([1]), player([4])), seconds=60)
    async with listen(heard.append):
        await Retry(Timeout(generate >> step(grade), seconds=60) >> Validator(), attempts=2).run(
            TASK
        )
    expected = ["generate", "execute", "analyze", "regenerate", "execute", "analyze", "terminate"]
    assert actions(heard) == expected


@pytest.mark.anyio
async def test_events_say_where_and_in_which_attempt_they_happen() -> None:
    heard: list[Event] = []
    async with listen(heard.append):
        await Retry(attempt([1]) | attempt([2]), attempts=2).run(TASK)
    generated = {(e.path, e.attempt) for e in heard if isinstance(e, CodeGenerated)}
    assert generated == {
        ("Retry#1/Race[0]", 1),
        ("Retry#1/Race[1]", 1),
        ("Retry#2/Race[0]", 2),
        ("Retry#2/Race[1]", 2),
    }
    assert {(e.path, e.attempt) for e in heard if isinstance(e, BranchEnded)} == {
        ("Retry#1", 1),
        ("Retry#2", 2),
    }
    (stopped,) = (event for event in heard if isinstance(event, LoopStopped))
    assert (stopped.reason, stopped.passed, stopped.score) == ("max_attempts", False, 0.5)
    assert (stopped.path, stopped.attempt) == ("", 2)


@pytest.mark.anyio
async def test_events_hold_the_values() -> None:
    heard: list[Event] = []
    loop = Retry(attempt([3]), attempts=1)
    async with listen(heard.append):
        report = await loop.run(TASK)
    generated = next(event for event in heard if isinstance(event, CodeGenerated))
    executed = next(event for event in heard if isinstance(event, CodeExecuted))
    assert generated.candidate is report.history[0].candidate
    assert executed.execution is report.history[0].execution
    assert isinstance(heard[0], RunStarted)
    assert heard[0].pipeline == repr(loop)
    assert isinstance(heard[-1], RunEnded)
    assert heard[-1].error is None


@pytest.mark.anyio
async def test_the_end_of_a_run_says_what_ended_it() -> None:
    heard: list[Event] = []
    async with listen(heard.append):
        with pytest.raises(ModelError):
            await attempt([RAISES]).run(TASK)
        with anyio.move_on_after(0.01):
            await attempt([1], seconds=5).run(TASK)
    ended = [event.error for event in heard if isinstance(event, RunEnded)]
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
async def test_what_a_listener_raises_ends_the_run() -> None:
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
async def test_events_travel_as_json() -> None:
    heard: list[Event] = []
    async with listen(heard.append):
        await (Retry(attempt([1]), attempts=2) | attempt([2])).run(TASK)
    for event in heard:
        assert type(event).from_json(event.to_json()) == event


@pytest.mark.anyio
async def test_a_run_can_be_pulled_instead() -> None:
    async with watch(Retry(attempt([1, 4]), attempts=3), TASK) as run:
        with pytest.raises(RuntimeError, match="has not ended"):
            _ = run.result
        kinds = [event.kind async for event in run]
    assert kinds[0] == "run_started"
    assert kinds[-1] == "run_ended"
    assert run.result.passed


@pytest.mark.anyio
async def test_what_a_watched_run_raises_is_raised() -> None:
    async def follow() -> None:
        async with watch(attempt([RAISES]), TASK) as run:
            async for _ in run:
                pass

    with pytest.raises(ModelError):
        await follow()
