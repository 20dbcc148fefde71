"""Law 11: best, not last, and never nothing: whatever ends a run, the report tells it all."""

from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import (
    CHECKS,
    LAW,
    RAISES,
    TASK,
    Tally,
    attempt,
    both_loops,
    grade,
    player,
    run_out,
)
from tests.laws.nestings import Spec, specs

from planish import (
    BestOf,
    Candidate,
    Fallback,
    Map,
    Primitive,
    Report,
    Retry,
    Task,
    Timeout,
    Validator,
    budget,
    step,
)
from planish.effects import use_clock
from planish.errors import AuthenticationError, DeadlineError, ModelError, SandboxError, report_of
from planish.testing import FakeClock

MOVES = st.lists(st.integers(0, CHECKS - 1), min_size=1, max_size=6)


def check(report: Report, moves: Sequence[int], reason: str, tally: Tally) -> None:
    """The report has every attempt, the best of them, the reason and the cost."""
    scores = tuple(move / CHECKS for move in moves)
    assert report.trajectory == scores
    assert report.stop_reason == reason
    assert report.usage == tally.usage
    if scores:
        assert report.best is not None
        assert report.best.index == 1 + scores.index(max(scores))


def loop(moves: Sequence[int], tally: Tally, attempts: int = 99) -> Retry[Task, Report]:
    return Retry(attempt(moves, tally=tally), attempts=attempts)


@LAW
@given(MOVES)
def test_attempts_run_out(moves: list[int]) -> None:
    async def run() -> None:
        tally = Tally()
        check(await loop(moves, tally, len(moves)).run(TASK), moves, "max_attempts", tally)

    both_loops(run)


@LAW
@given(MOVES, st.integers(0, 5))
def test_the_budget_runs_out(moves: list[int], calls: int) -> None:
    async def run() -> None:
        tally = Tally()
        async with budget(model_calls=calls):
            report = await loop(moves, tally).run(TASK)
        reached = [moves[i % len(moves)] for i in range(calls)]
        check(report, reached, "budget", tally)

    both_loops(run)


@LAW
@given(MOVES, st.integers(0, 5))
def test_what_comes_after_a_loop_is_given_the_same(moves: list[int], calls: int) -> None:
    reports: list[Report] = []

    def look(report: Report) -> Report:
        reports.append(report)
        return report

    async def run() -> None:
        reports.clear()
        tally = Tally()
        async with budget(model_calls=calls):
            await (loop(moves, tally) >> step(look)).run(TASK)
        reached = [moves[i % len(moves)] for i in range(calls)]
        check(reports[0], reached, "budget", tally)
        tally = Tally()
        await (loop(moves, tally, len(moves)) >> step(look)).run(TASK)
        check(reports[1], moves, "max_attempts", tally)

    both_loops(run)


@LAW
@given(MOVES)
def test_the_world_breaks(moves: list[int]) -> None:
    async def run() -> None:
        tally = Tally()
        with pytest.raises(ModelError) as caught:
            await loop([*moves, RAISES], tally).run(TASK)
        report = caught.value.report
        assert report is not None
        check(report, moves, "error", tally)

    both_loops(run)


def hang_at(number: int, tally: Tally) -> Primitive[Task, Task]:
    """A step that hangs for the so-manyeth attempt."""

    async def wait(task: Task) -> Task:
        if task.attempt == number:
            await run_out(task)
        return task

    return step(wait)


@pytest.mark.anyio
@pytest.mark.parametrize("reached", [0, 1, 3])
async def test_time_runs_out_around_a_loop(reached: int) -> None:
    tally = Tally()
    inner = hang_at(reached + 1, tally) >> attempt([1, 2, 0], tally=tally)
    async with use_clock(FakeClock()):
        report = await Timeout(Retry(inner, attempts=9), seconds=60).run(TASK)
    check(report, [1, 2, 0][:reached], "timeout", tally)


@pytest.mark.anyio
@pytest.mark.parametrize("reached", [0, 1, 3])
async def test_the_time_of_the_budget_runs_out(reached: int) -> None:
    tally = Tally()
    inner = hang_at(reached + 1, tally) >> attempt([1, 2, 0], tally=tally)
    async with use_clock(FakeClock()), budget(seconds=60):
        report = await Retry(inner, attempts=9).run(TASK)
    check(report, [1, 2, 0][:reached], "budget", tally)


@pytest.mark.anyio
async def test_what_was_not_judged_yet_is_there_too() -> None:
    tally = Tally()
    written = player([3], tally=tally) >> step(run_out) >> step(grade) >> Validator()
    graded = player([3], tally=tally) >> step(grade) >> step(run_out) >> Validator()
    for cut, score in ((written, None), (graded, 0.75)):
        async with use_clock(FakeClock()):
            report = await Timeout(cut, seconds=60).run(TASK)
        assert report.attempts == 1
        assert report.best is not None
        assert "PASSED = 3" in report.best.code
        assert report.best.verdict.label == "unverified"
        assert report.best.execution.score == score
        assert report.usage.model_calls == 1


def hanging(tally: Tally) -> Primitive[Task, Report]:
    return attempt([2], name="hanging", tally=tally) >> step(run_out)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["race", "best_of", "fallback", "after", "map"])
async def test_what_ended_before_the_time_did_is_kept(kind: str) -> None:
    tally = Tally()
    done, cut = attempt([3], name="done", tally=tally), hanging(tally)

    async def hang_at_last(report: Report) -> Report:
        await run_out(report)
        return report

    async def hang_second(report: Report) -> Report:
        if report.history[0].candidate.task.candidate:
            await run_out(report)
        return report

    def pick(results: list[Any]) -> Report:
        raise AssertionError(results)

    def items(task: Task) -> list[Task]:
        return [task.for_candidate(index, 2) for index in range(2)]

    kinds: dict[str, Primitive[Task, Report]] = {
        "race": done | cut,
        "best_of": BestOf(attempt([3, 2], tally=tally) >> step(hang_second), n=2),
        "fallback": Fallback(done, cut),
        "after": (done | attempt([2], tally=tally)) >> step(hang_at_last),
        "map": step(items)
        >> Map(attempt([3, 2], tally=tally) >> step(hang_second), concurrency=2)
        >> step(pick),
    }
    async with use_clock(FakeClock()):
        report = await Timeout(kinds[kind], seconds=60).run(TASK)
    assert sorted(score or 0 for score in report.trajectory) == [0.5, 0.75]
    assert report.score == 0.75
    assert report.stop_reason == "timeout"
    assert report.usage == tally.usage


@pytest.mark.anyio
async def test_an_error_carries_what_the_steps_before_it_had_reached() -> None:
    tally = Tally()

    async def lose(candidate: Candidate) -> Candidate:
        await anyio.sleep(0.01)
        raise SandboxError("gone")

    def refuse(task: Task) -> Report:
        raise AuthenticationError("no key")

    one = attempt([1], tally=tally)
    failing = player([2], tally=tally) >> step(lose) >> step(grade) >> Validator()
    wholes: list[tuple[Primitive[Task, Any], list[float | None]]] = [
        (Fallback(one, step(refuse)), [0.25]),
        (Fallback(one, failing, step(refuse)), [0.25, None]),
        (one & failing, [None, 0.25]),
    ]
    for whole, scores in wholes:
        with pytest.raises((SandboxError, AuthenticationError)) as caught:
            await whole.run(TASK)
        assert caught.value.report is not None
        assert sorted(caught.value.report.trajectory, key=str) == sorted(scores, key=str)


@pytest.mark.anyio
async def test_an_unforeseen_error_carries_it_too() -> None:
    def stumble(report: Report) -> Report:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        await (attempt([2]) >> step(stumble)).run(TASK)
    report = report_of(caught.value)
    assert report is not None
    assert report.trajectory == (0.5,)


@LAW
@given(specs(raising=False, passing=False))
def test_no_nesting_loses_an_attempt_when_a_limit_is_reached_at_its_end(spec: Spec) -> None:
    def reach(report: Report) -> Report:
        raise DeadlineError("no more time")

    async def run() -> None:
        tally = Tally()
        want = await spec.build(Tally()).run(TASK)
        report = await (spec.build(tally) >> step(reach)).run(TASK)
        assert report.stop_reason == "timeout"
        assert report.usage == tally.usage
        assert report.score == want.score
        assert report.attempts >= want.attempts

    both_loops(run)
