from typing import Any

import anyio
import pytest
from tests.laws.kit import RAISES, TASK, Tally, attempt, grade, player

from planish import (
    Candidate,
    Fallback,
    PlanishError,
    Report,
    Task,
    Timeout,
    Validator,
    budget,
    step,
)
from planish.errors import (
    AuthenticationError,
    DeadlineError,
    InfrastructureError,
    ModelError,
    OverloadedError,
    RateLimitError,
    SandboxError,
    SandboxLostError,
)
from planish.steps.function import Step


def raising(error: Exception) -> Step[Task, Report]:
    def fail(task: Task) -> Report:
        raise error

    return step(fail)


@pytest.mark.anyio
async def test_the_first_that_passes_is_taken_and_the_rest_is_not_run() -> None:
    tally = Tally()
    rest = attempt([4], name="rest", tally=tally)
    report = await Fallback(attempt([4], name="first"), rest).run(TASK)
    assert report.passed
    assert tally.requests == []
    assert [branch.outcome for branch in report.branches] == ["won"]


@pytest.mark.anyio
async def test_one_that_has_not_passed_is_followed_by_the_next() -> None:
    report = await Fallback(attempt([1]), attempt([4]), attempt([2])).run(TASK)
    assert report.trajectory == (0.25, 1.0)
    assert [branch.outcome for branch in report.branches] == ["lost", "won"]
    assert report.stop_reason == "success"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "error",
    [
        ModelError("model"),
        RateLimitError("rate"),
        OverloadedError("load"),
        SandboxError("sandbox"),
        SandboxLostError("lost"),
    ],
)
async def test_when_the_world_is_broken_the_next_is_tried(error: InfrastructureError) -> None:
    report = await Fallback(raising(error), attempt([4])).run(TASK)
    assert report.passed
    assert [branch.outcome for branch in report.branches] == ["failed", "won"]
    assert report.branches[0].error == repr(error)


@pytest.mark.anyio
@pytest.mark.parametrize("error", [AuthenticationError("no key"), LookupError("a bug")])
async def test_other_errors_are_raised_at_once(error: Exception) -> None:
    tally = Tally()
    with pytest.raises(type(error)) as caught:
        await Fallback(raising(error), attempt([4], tally=tally)).run(TASK)
    assert caught.value is error
    assert tally.requests == []


@pytest.mark.anyio
async def test_when_none_passes_the_best_is_taken() -> None:
    report = await Fallback(attempt([1]), attempt([3]), attempt([2])).run(TASK)
    assert report.score == 0.75
    assert report.stop_reason == "all_failed"
    assert report.trajectory == (0.25, 0.75, 0.5)


@pytest.mark.anyio
async def test_when_none_gives_an_outcome_the_first_error_is_raised() -> None:
    one, other = attempt([RAISES], name="one"), attempt([RAISES], name="other")
    with pytest.raises(ModelError, match="one is out of order") as caught:
        await Fallback(one, other).run(TASK)
    assert "other is out of order" in caught.value.__notes__[0]


@pytest.mark.anyio
async def test_a_result_that_cannot_say_whether_it_passed_has() -> None:
    def lose(value: int) -> str:
        raise SandboxError("gone")

    def say(value: int) -> str:
        return f"{value}"

    def shout(value: int) -> str:
        raise AssertionError

    chain: Any = Fallback(step(lose), step(say), step(shout))
    assert await chain.run(3) == "3"
    assert issubclass(SandboxError, PlanishError)


async def hang(_: Task) -> Candidate:
    await anyio.sleep_forever()
    raise AssertionError


@pytest.mark.anyio
async def test_a_step_without_a_report_that_takes_too_long_is_followed_by_the_next() -> None:
    quick = player([4])
    candidate = await Fallback(Timeout(step(hang), seconds=0.01), quick).run(TASK)
    assert "PASSED = 4" in candidate.code
    report = await (
        Fallback(Timeout(step(hang), seconds=0.01), quick) >> step(grade) >> Validator()
    ).run(TASK)
    assert report.passed


@pytest.mark.anyio
async def test_a_timeout_of_ones_own_is_followed_by_the_next() -> None:
    report = await Fallback(raising(TimeoutError("of a library")), attempt([4])).run(TASK)
    assert report.passed
    assert [branch.outcome for branch in report.branches] == ["failed", "won"]


@pytest.mark.anyio
async def test_if_all_take_too_long_the_first_timeout_is_raised() -> None:
    slow = [Timeout(step(hang), seconds=seconds) for seconds in (0.01, 0.02)]
    with pytest.raises(DeadlineError, match=r"took longer than 0\.01 s"):
        await Fallback(*slow).run(TASK)


@pytest.mark.anyio
async def test_a_budget_that_is_used_up_is_not_followed_by_the_next() -> None:
    tally = Tally()
    async with budget(model_calls=1):
        report = await Fallback(attempt([1], tally=tally), attempt([4], tally=tally)).run(TASK)
    assert report.stop_reason == "budget"
    assert len(tally.requests) == 1
