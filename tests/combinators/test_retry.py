from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from tests.laws.kit import RAISES, TASK, Tally, attempt, grade, player

from planish import Execution, Report, Retry, Validator, budget, step
from planish.errors import ModelError, WiringError
from planish.stop import deadline, max_attempts, stagnation, when
from planish.testing.clock import FakeClock


@pytest.mark.anyio
async def test_it_stops_at_the_first_pass() -> None:
    tally = Tally()
    report = await Retry(attempt([1, 3, 4, 4], tally=tally), attempts=9).run(TASK)
    assert report.trajectory == (0.25, 0.75, 1.0)
    assert report.stop_reason == "success"
    assert report.passed
    assert [one.index for one in report.history] == [1, 2, 3]
    assert len(tally.requests) == 3


@pytest.mark.anyio
async def test_one_attempt_is_the_least() -> None:
    assert (await Retry(attempt([4]), attempts=1).run(TASK)).passed
    with pytest.raises(ValueError, match="at least 1"):
        Retry(attempt([4]), attempts=0)
    with pytest.raises(WiringError, match="set when to stop"):
        Retry(attempt([4]))


@pytest.mark.anyio
async def test_a_rule_may_stand_alone_or_beside_the_attempts() -> None:
    alone = await Retry(attempt([1]), stop=stagnation(3)).run(TASK)
    assert (alone.stop_reason, alone.attempts) == ("stagnation", 3)
    beside = await Retry(attempt([1]), attempts=2, stop=stagnation(3)).run(TASK)
    assert (beside.stop_reason, beside.attempts) == ("max_attempts", 2)
    never = when("never", lambda _: False)
    both = await Retry(attempt([1]), stop=never | max_attempts(4)).run(TASK)
    assert (both.stop_reason, both.attempts) == ("max_attempts", 4)


@pytest.mark.anyio
async def test_success_comes_before_any_other_rule() -> None:
    always = when("always", lambda _: True)
    report = await Retry(attempt([4]), attempts=1, stop=always).run(TASK)
    assert report.stop_reason == "success"
    assert (await Retry(attempt([1]), attempts=1, stop=always).run(TASK)).stop_reason == "always"


@pytest.mark.anyio
async def test_time_comes_from_the_clock_it_was_given() -> None:
    clock = FakeClock()

    def work(execution: Execution) -> Execution:
        clock.advance(4.0)
        return execution

    inner = player([1]) >> step(grade) >> step(work) >> Validator()
    report = await Retry(inner, stop=deadline(10.0), clock=clock).run(TASK)
    assert (report.stop_reason, report.attempts) == ("deadline", 3)
    assert clock.sleeps == []


@pytest.mark.anyio
async def test_an_error_of_the_world_is_no_attempt() -> None:
    tally = Tally()
    with pytest.raises(ModelError) as caught:
        await Retry(attempt([2, RAISES], tally=tally), attempts=9).run(TASK)
    assert len(tally.requests) == 2
    assert caught.value.report is not None
    assert caught.value.report.attempts == 1
    for request in tally.requests:
        assert all("out of order" not in message.content for message in request.messages)


@pytest.mark.anyio
async def test_what_the_feedback_function_raises_is_raised() -> None:
    def explain(report: Report) -> str:
        raise LookupError(report.stop_reason)

    with pytest.raises(LookupError, match="judged"):
        await Retry(attempt([1]), attempts=2, feedback=explain).run(TASK)


@dataclass(frozen=True)
class Brief:
    """An input of one's own."""

    words: tuple[str, ...] = ()

    def with_feedback(self, feedback: Any, /) -> "Brief":
        return Brief((*self.words, str(feedback)))


class Prose(str):
    """An outcome of one's own. It has a `join`, but of another kind."""

    __slots__ = ()

    @property
    def passed(self) -> bool:
        return self.count(" ") >= 3

    @property
    def score(self) -> float | None:
        return self.count(" ") / 3

    @property
    def feedback(self) -> str:
        return f"{len(self.split())}"


def write(brief: Brief) -> Prose:
    return Prose(" ".join(("one", *brief.words)))


@pytest.mark.anyio
async def test_the_same_loop_serves_prose() -> None:
    loop = Retry(step(write), attempts=9)
    assert await loop.run(Brief()) == "one 1 2 3"
    assert await Retry(step(write), attempts=2).run(Brief()) == "one 1"
    assert await (loop | Retry(step(write), attempts=1)).run(Brief()) == "one 1 2 3"


@pytest.mark.anyio
async def test_of_other_outcomes_the_best_is_given_not_the_last() -> None:
    texts: Sequence[str] = ("a b c", "a b", "a")

    def forget(brief: Brief) -> Prose:
        return Prose(texts[len(brief.words)])

    assert await Retry(step(forget), attempts=3).run(Brief()) == "a b c"


@pytest.mark.anyio
async def test_a_loop_in_a_loop_goes_on_where_the_inner_one_stopped() -> None:
    tally = Tally()
    inner = Retry(attempt([0, 1, 2, 3, 4], tally=tally), attempts=2)
    report = await Retry(inner, attempts=3).run(TASK)
    assert [request.attempt for request in tally.requests] == [1, 2, 3, 4, 5]
    assert report.trajectory == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert report.passed


@pytest.mark.anyio
@pytest.mark.parametrize("rule", [{"attempts": 50}, {"stop": stagnation(3)}])
async def test_a_loop_around_a_loop_stops_when_the_budget_stopped_the_inner(rule: Any) -> None:
    tally = Tally()
    loop = Retry(Retry(attempt([0, 1, 2], tally=tally), attempts=2), **rule)
    async with budget(model_calls=3):
        report = await loop.run(TASK)
    assert report.stop_reason == "budget"
    assert report.trajectory == (0.0, 0.25, 0.5)


@pytest.mark.anyio
async def test_a_budget_of_one_attempt_does_not_stop_the_loop_around_it() -> None:
    inner = Retry(attempt([0, 1, 2]), attempts=5)

    async def within(task: Any) -> Report:
        async with budget(model_calls=1):
            return await inner.run(task)

    report = await Retry(step(within), attempts=3).run(TASK)
    assert report.stop_reason == "max_attempts"
    assert report.trajectory == (0.0, 0.25, 0.5)
