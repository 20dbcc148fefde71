"""What a report says of how each attempt came about: place, round, cause, time and usage."""

from dataclasses import replace

import pytest
from tests.laws.kit import TASK, attempt, run_out
from tests.laws.test_15_usage_of_attempts import plan, review

from planish import (
    BestOf,
    Escalate,
    Execution,
    Fallback,
    Map,
    Parallel,
    Race,
    Report,
    Retry,
    Route,
    Task,
    Timeout,
    step,
)
from planish.combinators.map import ItemResult
from planish.context.scope import override_context
from planish.data import Attempt, Usage, Verdict
from planish.effects import use_clock
from planish.testing import FakeClock

pytestmark = pytest.mark.anyio

Causes = list[tuple[int, str]]


def causes(report: Report) -> Causes:
    return [(one.round, one.cause) for one in report.history]


async def test_a_single_attempt_is_the_first() -> None:
    report = await attempt([4]).run(TASK)
    [only] = report.history
    assert (only.round, only.cause, only.path) == (1, "first", ("Sequential[2]",))
    assert only.usage == report.usage
    assert only.usage.model_calls == 1


async def test_the_rounds_of_a_loop_come_from_feedback() -> None:
    report = await Retry(attempt([0, 1, 4]), attempts=3).run(TASK)
    assert causes(report) == [(1, "first"), (2, "feedback"), (3, "feedback")]
    assert [one.path for one in report.history] == [
        (f"Retry#{number}", "Sequential[2]") for number in (1, 2, 3)
    ]
    assert [one.usage.output_tokens for one in report.history] == [0, 1, 4]


async def test_each_attempt_of_a_step_of_ones_own_has_its_own_usage() -> None:
    one = attempt([1, 2])

    async def twice(task: Task) -> Report:
        reports = [await one.run(task), await one.run(task)]
        return Report.join(reports, stop_reason="judged", usage=Usage())

    report = await step(twice).run(TASK)
    assert [one.usage.model_calls for one in report.history] == [1, 1]
    assert report.usage.model_calls == 2


async def test_a_round_with_another_step_is_an_escalation_and_the_next_one_is_not() -> None:
    small, large = attempt([0], name="small"), attempt([0], name="large")
    report = await Retry(Escalate(small, large), attempts=3).run(TASK)
    assert [cause for _, cause in causes(report)] == ["first", "escalation", "feedback"]


async def test_a_later_step_of_a_fallback_and_samples_say_so() -> None:
    report = await Retry(Fallback(attempt([0]), attempt([0, 4])), attempts=2).run(TASK)
    assert causes(report) == [(1, "first"), (1, "fallback"), (2, "feedback"), (2, "fallback")]
    assert report.history[3].path == ("Retry#2", "Fallback[1]", "Sequential[2]")
    report = await BestOf(Retry(attempt([0]), attempts=2), n=2).run(TASK)
    assert causes(report) == [(1, "sample"), (2, "feedback")] * 2
    report = await Race(attempt([0]), n=2).run(TASK)
    assert causes(report) == [(1, "sample")] * 2
    report = await Race(attempt([0]), attempt([1])).run(TASK)
    assert causes(report) == [(1, "race")] * 2


async def test_a_branch_says_what_it_used_and_where_it_ran() -> None:
    never = attempt([4], name="never")
    race = Race(Retry(attempt([0, 1]), attempts=2), never, concurrency=1)
    first = await Retry(race, attempts=1).run(TASK)
    lost, won = first.branches
    assert lost.path == ("Retry#1", "Race[0]")
    assert lost.usage == first.history[0].usage + first.history[1].usage
    assert won.usage == first.history[2].usage
    assert won.started is not None
    assert won.seconds > 0
    report = await Race(attempt([4]), never, concurrency=1).run(TASK)
    assert report.branches[1].path == ()
    assert report.branches[1].started is None
    assert report.branches[1].usage.model_calls == 0


async def test_the_branches_of_parallel_and_items_keep_their_own_usage() -> None:
    async def second(reports: tuple[Report, Report]) -> Report:
        return reports[1]

    async def two(task: Task) -> list[Task]:
        return [task, task]

    async def second_item(items: list[ItemResult[Task, Report]]) -> Report:
        return items[1].unwrap()

    both = Parallel(attempt([1]), attempt([3])) >> second
    items = step(two) >> Map(attempt([3]), concurrency=2) >> second_item
    for pipeline, place in ((both, "Parallel[1]"), (items, "Map[1]")):
        report = await pipeline.run(TASK)
        assert report.history[0].usage.output_tokens == 3
        assert report.usage.model_calls == 2
        assert place in report.history[0].path


async def test_a_report_of_a_step_of_ones_own_gets_place_and_usage() -> None:
    async def judge(execution: Execution) -> Report:
        verdict = Verdict(execution=execution, label="failed", score=0.0, judge="mine")
        own = Attempt(index=1, verdict=verdict)
        return Report(task=TASK, history=(own,))

    graded = attempt([2]).children()[:2]
    report = await Retry(graded[0] >> graded[1] >> judge, attempts=2).run(TASK)
    assert causes(report) == [(1, "first"), (2, "feedback")]
    assert [one.path for one in report.history] == [("Retry#1",), ("Retry#2",)]
    assert [one.usage.output_tokens for one in report.history] == [2, 2]


async def test_what_was_cut_short_says_its_place_too() -> None:
    def last(task: Task) -> str:
        return "slow" if task.attempt > 1 else "fast"

    routes = {"slow": step(run_out) >> attempt([0]), "fast": attempt([1])}
    async with use_clock(FakeClock()):
        report = await Timeout(Retry(Route(last, routes), attempts=2), seconds=60).run(TASK)
    [only] = report.history
    assert only.path == ("Timeout", "Retry#1", "Route[fast]", "Sequential[2]")
    assert report.stop_reason == "timeout"


async def test_seconds_are_of_the_clock_of_the_scope_and_are_not_compared() -> None:
    clock = FakeClock()

    async def wait(report: Report) -> Report:
        await clock.sleep(5)
        return report

    async def wait_before(task: Task) -> Task:
        await clock.sleep(2)
        return task

    with override_context(clock=clock):
        report = await Retry(wait_before >> attempt([0]) >> wait, attempts=2).run(TASK)
    assert [one.seconds for one in report.history] == [2, 2]
    [one, other] = report.history
    assert one.started is not None
    assert replace(one, seconds=9.0, started=None) == one
    assert other.started is not None
    assert Report.from_json(report.to_json()).history[1].started == other.started


async def test_a_plan_counts_with_the_attempt_after_it_and_a_review_with_the_one_before() -> None:
    loop = plan >> Retry(attempt([1, 2]), attempts=2) >> review
    report = await loop.run(TASK)
    assert [one.usage.usd for one in report.history] == [100, 10_000]
    inside = Retry(plan >> attempt([1, 2]) >> review, attempts=2)
    report = await inside.run(TASK)
    assert [one.usage.usd for one in report.history] == [10_100, 10_100]
    report = await (plan >> Race(attempt([0]), attempt([1]))).run(TASK)
    assert [one.usage.usd for one in report.history] == [100, 0]
    assert report.branches[0].usage.usd == 0
