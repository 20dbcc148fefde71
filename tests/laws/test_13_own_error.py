"""A run that fails raises its own error, and its report has what every branch had reached."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from tests.laws.kit import RAISES, TASK, Tally, attempt, run_out

from planish import (
    BestOf,
    Fallback,
    Map,
    Parallel,
    Primitive,
    Race,
    Report,
    Retry,
    Task,
    Timeout,
    budget,
    step,
)
from planish.data.events import BranchEnded, Event, RunEnded
from planish.effects import use_clock
from planish.errors import MisuseError, ModelError
from planish.events import listen, watch
from planish.testing import FakeClock


class ListenerError(Exception):
    """What the listener of a test raises."""


class Shutdown(BaseException):
    """Not an `Exception`, as `KeyboardInterrupt` is not; event loops do not treat it specially."""


def refuse(kind: type[Event]) -> Callable[[Event], None]:
    def listener(event: Event) -> None:
        if isinstance(event, kind):
            raise ListenerError

    return listener


def shut_down(_: Task) -> Report:
    raise Shutdown


def alone(task: Task) -> list[Task]:
    return [task]


def twice(task: Task) -> list[Task]:
    return [task, task]


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [RunEnded, BranchEnded])
async def test_the_error_of_the_run_comes_before_that_of_a_listener(kind: type[Event]) -> None:
    async with listen(refuse(kind)):
        with pytest.raises(ModelError, match="out of order") as caught:
            await (attempt([RAISES]) | attempt([RAISES])).run(TASK)
    notes = caught.value.__notes__
    assert "a listener raised ListenerError() when it received this" in notes


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [RunEnded, BranchEnded])
async def test_without_an_error_that_of_a_listener_is_raised(kind: type[Event]) -> None:
    async with listen(refuse(kind)):
        with pytest.raises(ListenerError):
            await (attempt([4]) | attempt([1])).run(TASK)


@pytest.mark.anyio
async def test_a_listener_cannot_undo_a_cancellation() -> None:
    async with listen(refuse(RunEnded)):
        with anyio.CancelScope() as scope:
            tally = Tally(at=lambda _: scope.cancel())
            await attempt([4], tally=tally).run(TASK)
    assert scope.cancelled_caught


@pytest.mark.anyio
async def test_a_listener_is_not_entered_twice_at_the_same_time() -> None:
    block = listen(refuse(RunEnded))
    async with block:
        with pytest.raises(MisuseError, match="is entered already"):
            async with block:
                pass
    async with block:
        pass


@pytest.mark.anyio
async def test_a_watched_run_that_raised_says_why_it_has_no_result() -> None:
    seen: list[Exception] = []

    async def look() -> None:
        async with watch(attempt([RAISES]), TASK) as run:
            assert [event.kind async for event in run][-1] == "run_ended"
            try:
                _ = run.result
            except ModelError as error:
                seen.append(error)

    with pytest.raises(ModelError, match="out of order") as caught:
        await look()
    assert seen == [caught.value]


def slow_loop() -> Primitive[Task, Report]:
    """One attempt at once, and another in which the time runs out."""
    return Retry(step(slowly) >> attempt([1]), attempts=2)


async def slowly(task: Task) -> Task:
    return await run_out(task) if task.attempt > 1 else task


FORKS: dict[str, tuple[Primitive[Task, Report], list[str]]] = {
    "race": (Race(attempt([2]), slow_loop()), ["lost", "cancelled"]),
    "best of": (BestOf(slow_loop(), n=2), ["cancelled", "cancelled"]),
    "fallback": (Fallback(attempt([2]), slow_loop(), attempt([3])), ["lost", "cancelled"]),
}


@pytest.mark.anyio
@pytest.mark.parametrize("limit", ["timeout", "budget"])
@pytest.mark.parametrize("fork", FORKS)
async def test_a_fork_that_a_limit_cuts_short_reports_its_branches(fork: str, limit: str) -> None:
    pipeline, endings = FORKS[fork]
    async with use_clock(FakeClock()):
        if limit == "timeout":
            report = await Timeout(pipeline, seconds=60).run(TASK)
        else:
            async with budget(seconds=60):
                report = await pipeline.run(TASK)
    assert report.stop_reason == limit
    assert report.attempts == 2
    assert [branch.outcome for branch in report.branches][: len(endings)] == endings
    assert [branch.attempts for branch in report.branches][: len(endings)] == [(1,), (2,)]
    assert report.usage.model_calls == 2


@pytest.mark.anyio
@pytest.mark.parametrize(
    "pipeline",
    [
        Race(step(shut_down), attempt([1])),
        BestOf(step(shut_down), n=1),
        Parallel(step(shut_down), attempt([1])),
        Fallback(step(shut_down), attempt([1])),
        step(alone) >> Map(step(shut_down), concurrency=2),
        Retry(Timeout(Race(step(shut_down), attempt([1])), seconds=9), attempts=2),
        Race(step(shut_down), n=3),
        BestOf(step(shut_down), n=3),
        Parallel(step(shut_down), step(shut_down)),
        step(twice) >> Map(step(shut_down), concurrency=2),
    ],
    ids=[
        *("race", "best of", "parallel", "fallback", "map", "nested"),
        *("race of several", "best of several", "parallel of several", "map of several"),
    ],
)
async def test_what_is_no_exception_comes_out_as_it_is(pipeline: Any) -> None:
    with pytest.raises(Shutdown):
        await pipeline.run(TASK)
