"""A suspension passes through every combinator, after the branches beside it have finished."""

from collections.abc import Callable

import pytest
from tests.laws.journal import Journal
from tests.laws.kit import TASK, Tally, attempt
from tests.laws.world import Disk

from planish import BestOf, Fallback, Map, Primitive, Report, Retry, Task, Timeout, step
from planish.combinators.map import ItemResult
from planish.effects import effect, intercept
from planish.errors import Suspended, WiringError

Pipeline = Primitive[Task, Report]


def approved(answers: dict[str, bool], name: str = "approval") -> Primitive[Report, Report]:
    """A step that waits for a person: it suspends the run until there is an answer."""

    async def ask() -> bool:
        if name not in answers:
            raise Suspended(f"{name} is asked for")
        return answers[name]

    async def approve(report: Report) -> Report:
        assert await effect("approval", name, report.task.requirement, ask, bool)
        return report

    return step(approve)


def first(both: tuple[Report, Report]) -> Report:
    return both[0]


def as_list(task: Task) -> list[Task]:
    return [task]


def only(items: list[ItemResult[Task, Report]]) -> Report:
    return items[0].unwrap()


PLACES: dict[str, Callable[[Pipeline, Pipeline], Pipeline]] = {
    "alone": lambda waits, _: waits,
    "retry": lambda waits, _: Retry(waits, attempts=3),
    "timeout": lambda waits, _: Timeout(waits, seconds=60),
    "fallback": Fallback,
    "best_of": lambda waits, _: BestOf(waits, n=1),
    "race": lambda waits, done: waits | done,
    "parallel": lambda waits, done: (waits & done) >> step(first),
    "map": lambda waits, _: step(as_list) >> Map(waits, concurrency=2) >> step(only),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.anyio
async def test_a_run_is_suspended_and_resumed_with_nothing_paid_twice(place: str) -> None:
    answers: dict[str, bool] = {}
    tally = Tally()
    waits = attempt([3 if place in ("race", "fallback") else 4], tally=tally) >> approved(answers)
    done = attempt([2], tally=tally, seconds=0.02)
    pipeline = PLACES[place](waits, done)
    disk = Disk()
    with pytest.raises(Suspended, match="approval is asked for") as caught:
        async with intercept(Journal(disk, "run")):
            await pipeline.run(TASK)
    calls = len(tally.requests)
    # The branch beside it has finished.
    assert calls == (2 if place in ("race", "parallel") else 1)
    assert caught.value.report is not None
    assert caught.value.report.usage.model_calls == calls
    answers["approval"] = True
    async with intercept(Journal(disk, "run")):
        report = await pipeline.run(TASK)
    assert report.score in (0.75, 1.0)
    # Only the second step of a `Fallback` is called after that: the first one did not pass.
    assert len(tally.requests) == calls + (place == "fallback")


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.anyio
async def test_a_branch_that_passes_wins_a_race_against_one_that_waits(*, recorded: bool) -> None:
    waits = attempt([4]) >> approved({})
    race = waits | attempt([4], seconds=0.02)
    async with intercept(*[Journal(Disk(), "run")] * recorded):
        report = await race.run(TASK)
    assert report.passed
    assert [branch.outcome for branch in report.branches] == ["cancelled", "won"]


@pytest.mark.anyio
async def test_all_that_a_run_waits_for_is_told_at_once() -> None:
    both = (attempt([4]) >> approved({}, "first")) & (attempt([4]) >> approved({}, "second"))
    with pytest.raises(Suspended) as caught:
        await both.run(TASK)
    reasons = {one.reason for one in (caught.value, *caught.value.others)}
    assert reasons == {"first is asked for", "second is asked for"}


@pytest.mark.anyio
async def test_an_error_beside_it_ends_the_run() -> None:
    def fail(task: Task) -> Report:
        raise WiringError(task.requirement)

    with pytest.raises(WiringError):
        await ((attempt([4]) >> approved({})) & step(fail)).run(TASK)


@pytest.mark.anyio
async def test_a_stream_of_items_raises_it_at_its_end() -> None:
    async def wait_for_odd(number: int) -> int:
        if number % 2:
            raise Suspended(str(number))
        return number

    values: list[int] = []

    async def collect() -> None:
        async with Map(step(wait_for_odd), concurrency=1).stream(range(5)) as results:
            values.extend([result.unwrap() async for result in results])

    with pytest.raises(Suspended, match="1"):
        await collect()
    assert values == [0, 2, 4]
