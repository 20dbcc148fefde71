from typing import Any

import pytest
from tests.laws.kit import RAISES, TASK, Tally, attempt

from planish import Fallback, PlanishError, Report, Task, step
from planish.errors import (
    AuthenticationError,
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
