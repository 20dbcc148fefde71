"""Law 6: attempt n+1's request holds attempt n's evidence, whatever stands between."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import CHECKS, LAW, TASK, Tally, attempt, both_loops, grade, player, run_out

from planish import (
    BestOf,
    Cache,
    Escalate,
    Fallback,
    Parallel,
    Primitive,
    Report,
    Retry,
    Route,
    Task,
    Timeout,
    Validator,
    step,
)
from planish.data import Feedback, Issue, Request
from planish.effects import use_clock
from planish.stores import MemoryStore
from planish.testing import FakeClock

Between = Callable[[Primitive[Task, Any]], Primitive[Task, Any]]


async def add_context(task: Task) -> Task:
    return replace(task, context=(*task.context, "some document"))


def add_rule(task: Task) -> Task:
    return replace(task, constraints=(*task.constraints, "be quick"))


async def same(task: Task) -> Task:
    return task


async def either(tasks: tuple[Task, Task]) -> Task:
    return tasks[1]


def route(task: Task) -> str:
    return "second"


STEPS: dict[str, Between] = {
    "context": lambda to: add_context >> to,
    "rule": lambda to: step(add_rule) >> to,
    "timeout": lambda to: Timeout(to, seconds=60),
    "cache": lambda to: Cache(to, store=MemoryStore()),
    "fallback": lambda to: Fallback(to, to),
    "escalate": lambda to: Escalate(to, to),
    "route": lambda to: Route(route, {"first": to, "second": to}),
    "fan_out": lambda to: Parallel(step(same), step(add_context)) >> step(either) >> to,
    "cached_plan": lambda to: Cache(step(add_context), store=MemoryStore()) >> to,
}
AROUND: dict[str, Between] = {
    "timeout": lambda to: Timeout(to, seconds=60),
    "race": lambda to: to | to,
    "best_of": lambda to: BestOf(to, n=2),
    "fallback": lambda to: Fallback(to, to),
    "loop": lambda to: Retry(to, attempts=1),
    "context": lambda to: add_context >> to,
}


def chain(tally: Tally, moves: list[int], between: list[str], around: list[str]) -> Any:
    """A loop: some around the attempt, some steps between it and the generator."""
    generate: Primitive[Task, Any] = player(moves, tally=tally)
    for name in between:
        generate = STEPS[name](generate)
    whole: Primitive[Task, Any] = generate >> step(grade) >> Validator()
    for name in around:
        whole = AROUND[name](whole)
    return whole


def text_of(request: Request) -> str:
    return "\n".join(message.content for message in request.messages)


def check(requests: list[Request], moves: list[int]) -> None:
    """Every request after the first attempt holds what the attempt before it came to."""
    numbers = sorted({request.attempt for request in requests})
    assert numbers == list(range(1, len(moves) + 1))
    for request in requests:
        text = text_of(request)
        if request.attempt == 1:
            assert "Attempt" not in text
            continue
        before = moves[(request.attempt - 2) % len(moves)]
        share = f"{before / CHECKS:.0%} of the tests passed"
        assert f"Attempt {request.attempt - 1} ended with" in text
        assert share in text
        assert f"- check {before}: check {before} fails" in text
        assert request.messages[-2].role == "assistant"
        assert f"PASSED = {before} " in request.messages[-2].content


@LAW
@given(
    st.lists(st.integers(0, CHECKS - 1), min_size=2, max_size=4),
    st.lists(st.sampled_from(sorted(STEPS)), max_size=4),
    st.lists(st.sampled_from(sorted(set(AROUND) - {"best_of"})), max_size=3),
)
def test_through_any_chain(moves: list[int], between: list[str], around: list[str]) -> None:
    async def run() -> None:
        tally = Tally()
        loop = Retry(chain(tally, moves, between, around), attempts=len(moves))
        await loop.run(TASK)
        check(tally.requests, moves)

    both_loops(run)


@LAW
@given(
    st.integers(0, CHECKS - 1),
    st.lists(st.sampled_from(sorted(STEPS)), max_size=3),
    st.sampled_from(["words", "later", "feedback"]),
)
def test_with_the_users_own_feedback(move: int, between: list[str], kind: str) -> None:
    async def later(report: Report) -> str:
        return f"mind the {report.attempts}st"

    policies: dict[str, Callable[[Report], Any]] = {
        "words": lambda report: f"mind the {report.attempts}st",
        "later": later,
        "feedback": lambda _: Feedback(text="mind the 1st", issues=(Issue(issue="this"),)),
    }

    async def run() -> None:
        tally = Tally()
        inner = chain(tally, [move], between, [])
        await Retry(inner, attempts=3, feedback=policies[kind]).run(TASK)
        assert [request.attempt for request in tally.requests][-1] == 3
        for request in tally.requests:
            has_words = "mind the 1st" in text_of(request)
            assert has_words == (request.attempt > 1)
            # Words are added to what the attempt said of itself; a feedback stands in its place.
            own = f"PASSED = {move} " in text_of(request)
            assert own == (request.attempt > 1 and kind != "feedback")
            assert ("- this" in text_of(request)) == (request.attempt > 1 and kind == "feedback")

    both_loops(run)


@pytest.mark.anyio
async def test_each_candidate_of_the_next_attempt_knows_the_best_of_the_last() -> None:
    tally = Tally()
    await Retry(BestOf(attempt([0, 2, 1], tally=tally), n=3), attempts=2).run(TASK)
    second = [request for request in tally.requests if request.attempt == 2]
    assert sorted(request.candidate for request in second) == [0, 1, 2]
    for request in second:
        assert "PASSED = 2 " in request.messages[-2].content
        assert "50% of the tests passed" in text_of(request)


@pytest.mark.anyio
async def test_a_round_that_reached_nothing_still_was_an_attempt() -> None:
    tally = Tally()

    async def hang_first(number: int) -> None:
        if number == 1:
            await run_out(number)

    tally.meanwhile = hang_first
    hanging = player([1], tally=tally)
    quick = player([2], tally=tally)
    generate = Timeout(Escalate(hanging, quick) >> step(grade) >> Validator(), seconds=60)
    async with use_clock(FakeClock()):
        report = await Retry(generate, attempts=3).run(TASK)
    assert [request.attempt for request in tally.requests] == [1, 2, 3]
    assert report.trajectory == (0.5, 0.5)
