"""`use_clock`: all time that decides something is read from one clock."""

import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from tests.laws.kit import RAISES, TASK, attempt

from planish import Fallback, Map, Primitive, Race, Report, Retry, Task, Timeout, budget, step
from planish.effects import current_clock, use_clock
from planish.errors import BudgetExceededError, DeadlineError, ModelError, WiringError
from planish.stop import deadline
from planish.testing import FakeClock


class Shutdown(BaseException):
    """Not an `Exception`, as `KeyboardInterrupt` is not."""


class PlainClock:
    """A clock without `wait_until`: its sleeps wait for a tick of the test."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        end = self.time + seconds
        while self.time < end:
            await anyio.lowlevel.checkpoint()


def taking(clock: Any, seconds: float, *, hang: bool = True) -> Callable[[Task], Any]:
    """A step that takes so long on a clock, and then waits for a checkpoint, or for ever."""

    async def take(task: Task) -> Task:
        if isinstance(clock, FakeClock):
            clock.advance(seconds)
        else:
            clock.time += seconds
        await (anyio.sleep_forever() if hang else anyio.lowlevel.checkpoint())
        return task

    return take


@pytest.mark.anyio
@pytest.mark.parametrize("make", [FakeClock, PlainClock])
async def test_a_timeout_ends_by_the_clock_of_the_scope(make: Any) -> None:
    clock = make()
    begin = time.monotonic()
    async with use_clock(clock) as used:
        assert used is clock
        assert current_clock() is clock
        late = Timeout(step(taking(clock, 3600)) >> attempt([4]), seconds=3600)
        assert (await late.run(TASK)).stop_reason == "timeout"
        early = Timeout(step(taking(clock, 3599, hang=False)) >> attempt([4]), seconds=3600)
        assert (await early.run(TASK)).passed
        with pytest.raises(DeadlineError):
            await Timeout(step(taking(clock, 60)), seconds=60).run(TASK)
    assert time.monotonic() - begin < 60
    assert current_clock() is not clock


@pytest.mark.anyio
async def test_real_time_does_not_end_what_another_clock_limits() -> None:
    async with use_clock(FakeClock()):
        report = await Timeout(attempt([4], seconds=0.02), seconds=0.001).run(TASK)
        assert report.passed
        async with budget(seconds=0.001) as allowance:
            assert (await attempt([4], seconds=0.02).run(TASK)).passed
            assert allowance.remaining == {"seconds": 0.001}


@pytest.mark.anyio
async def test_the_seconds_of_a_budget_are_those_of_the_clock() -> None:
    clock = FakeClock()
    async with use_clock(clock), budget(seconds=100) as allowance:
        clock.advance(30)
        assert allowance.remaining == {"seconds": 70}
        loop = Retry(step(taking(clock, 60, hang=False)) >> attempt([1, 2, 3]), attempts=9)
        report = await loop.run(TASK)
        assert (report.stop_reason, report.attempts) == ("budget", 1)
        with pytest.raises(BudgetExceededError):
            await step(taking(clock, 0)).run(TASK)
    clock.advance(-100)
    assert allowance.remaining == {"seconds": 0}


@pytest.mark.anyio
async def test_a_budget_keeps_the_clock_that_it_began_with() -> None:
    outer, inner = FakeClock(1000.0), FakeClock()
    async with use_clock(outer), budget(seconds=10), use_clock(inner):
        report = await (step(taking(inner, 60, hang=False)) >> attempt([4])).run(TASK)
        assert report.passed
        report = await (step(taking(outer, 60)) >> attempt([4])).run(TASK)
        assert report.stop_reason == "budget"


@pytest.mark.anyio
async def test_stop_rules_see_the_seconds_of_the_clock() -> None:
    clock = FakeClock()
    attempts = step(taking(clock, 3600, hang=False)) >> attempt([1])
    async with use_clock(clock):
        report = await Retry(attempts, stop=deadline(7200)).run(TASK)
    assert (report.stop_reason, report.attempts) == ("deadline", 2)


@pytest.mark.anyio
async def test_the_clock_decides_which_branches_of_a_race_are_in_time() -> None:
    clock = FakeClock()

    async def wait_and_go_on(task: Task) -> Task:
        await clock.wait_until(50)
        return task

    slow = Timeout(step(wait_and_go_on) >> attempt([4]), seconds=40)
    fast = Timeout(step(taking(clock, 45, hang=False)) >> attempt([3]), seconds=60)
    patient = Timeout(step(wait_and_go_on) >> attempt([2]), seconds=60)
    race: Primitive[Task, Report] = Race(slow, fast)
    async with use_clock(clock):
        report = await race.run(TASK)
        assert report.score == 0.75
        assert [branch.outcome for branch in report.branches] == ["lost", "lost"]
        later = await Fallback(
            Timeout(step(taking(clock, 9)), seconds=9) >> attempt([4]), patient
        ).run(TASK)
    assert later.score == 0.5


def shut_down(_: Task) -> Report:
    raise Shutdown


@pytest.mark.anyio
async def test_what_a_step_raises_comes_out_as_it_is() -> None:
    async with use_clock(FakeClock()):
        with pytest.raises(ModelError, match="out of order"):
            await Timeout(attempt([RAISES]), seconds=1).run(TASK)
        with pytest.raises(Shutdown):
            await Timeout(step(shut_down), seconds=1).run(TASK)


@pytest.mark.anyio
async def test_it_can_be_cancelled_from_outside() -> None:
    clock = FakeClock()
    async with use_clock(clock):
        with anyio.CancelScope() as scope:
            take = taking(clock, 1)

            async def cancel(task: Task) -> Task:
                scope.cancel()
                await take(task)
                return task

            await Timeout(step(cancel), seconds=60).run(TASK)
    assert scope.cancelled_caught


@pytest.mark.anyio
async def test_runs_with_clocks_of_their_own_do_not_see_each_other() -> None:
    async def run(seconds: float) -> str:
        clock = FakeClock()
        async with use_clock(clock):
            late = step(taking(clock, seconds, hang=seconds >= 5)) >> attempt([4])
            return (await Timeout(late, seconds=5).run(TASK)).stop_reason

    results = await Map(step(run), concurrency=4).run([1.0, 9.0, 2.0, 8.0])
    assert [one.unwrap() for one in results] == ["success", "timeout"] * 2


@pytest.mark.parametrize("clock", [FakeClock, time, 3.0, lambda: 0.0])
def test_what_is_no_clock_is_refused(clock: Any) -> None:
    with pytest.raises(WiringError, match="FakeClock"):
        use_clock(clock)
