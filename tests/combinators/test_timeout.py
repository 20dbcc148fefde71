from typing import Any

import anyio
import pytest
from tests.laws.kit import TASK, Tally, attempt, run_out

from planish import Retry, Task, Timeout, step
from planish.effects import use_clock
from planish.errors import DeadlineError, LimitError, report_of
from planish.testing import FakeClock


async def hang(value: Any) -> Any:
    await anyio.sleep(10)
    return value


@pytest.mark.anyio
async def test_what_is_in_time_is_given_as_it_is() -> None:
    def double(value: int) -> int:
        return 2 * value

    assert await Timeout(step(double), seconds=5).run(3) == 6
    report = await Timeout(attempt([4]), seconds=5).run(TASK)
    assert report.stop_reason == "success"


@pytest.mark.anyio
async def test_what_takes_too_long_is_cancelled_and_waited_for() -> None:
    tally = Tally()
    report = await Timeout(attempt([4], tally=tally, seconds=10), seconds=0.02).run(TASK)
    assert tally.active == 0
    assert report.stop_reason == "timeout"
    assert report.history == ()
    assert report.task == TASK
    assert not report.passed


@pytest.mark.anyio
async def test_what_gives_no_report_raises_with_what_was_reached() -> None:
    with pytest.raises(DeadlineError, match=r"hang took longer than 0\.02 s") as caught:
        await Timeout(step(hang), seconds=0.02).run(3)
    assert caught.value.report is None
    assert isinstance(caught.value, LimitError)
    assert isinstance(caught.value, TimeoutError)

    with pytest.raises(DeadlineError) as caught:
        async with use_clock(FakeClock()):
            await Timeout(attempt([3]) >> step(run_out), seconds=60).run(TASK)
    report = report_of(caught.value)
    assert report is not None
    assert report.trajectory == (0.75,)
    assert report.stop_reason == "timeout"


@pytest.mark.anyio
async def test_time_that_runs_out_within_an_attempt_ends_the_loop_with_the_best_so_far() -> None:
    async def hang_later(task: Task) -> Task:
        if task.attempt == 3:
            await run_out(task)
        return task

    inner = Timeout(step(hang_later), seconds=60) >> attempt([2, 1])
    async with use_clock(FakeClock()):
        report = await Retry(inner, attempts=9).run(TASK)
    assert report.stop_reason == "timeout"
    assert report.trajectory == (0.5, 0.25)
    assert report.score == 0.5


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_seconds_must_be_more_than_none(seconds: float) -> None:
    with pytest.raises(ValueError, match="must be more than 0"):
        Timeout(attempt([1]), seconds=seconds)


def test_it_prints_its_seconds() -> None:
    assert repr(Timeout(step(hang), seconds=2.50)) == "Timeout(hang, seconds=2.5)"
