"""Law 3: a run leaves no mark on the pipeline; one object serves 1,000 runs at once."""

from dataclasses import replace
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import LAW, TASK, Tally, attempt, both_loops
from tests.laws.marks import state
from tests.laws.nestings import Spec, specs

from planish import Cache, Escalate, Report, Retry, Timeout, budget
from planish.data.events import CodeGenerated, Event
from planish.errors import ModelError
from planish.events import listen
from planish.stores import MemoryStore

MANY = {"asyncio": 1000, "trio": 200}  # runs at once; a thousand take many seconds


async def outcome(pipeline: Any) -> str:
    try:
        report: Report = await pipeline.run(TASK)
    except ModelError as error:
        return repr(error)
    return f"{report.passed} {report.score} {report.stop_reason} {report.trajectory}"


@LAW
@given(specs(passing=False))
def test_it_gives_the_same_every_time_and_is_what_it_was(spec: Spec) -> None:
    pipeline = spec.build(Tally())

    async def run() -> list[str]:
        return [await outcome(pipeline) for _ in range(3)]

    before = state(pipeline)
    first, second = both_loops(run)
    assert len({*first, *second}) == 1
    assert state(pipeline) == before


@LAW
@given(specs(), st.integers(1, 6))
def test_it_is_what_it_was_when_a_run_is_cut_short(spec: Spec, moment: int) -> None:
    tally = Tally()
    pipeline = spec.build(tally)

    async def run() -> None:
        with anyio.CancelScope() as scope:
            tally.at = lambda number: scope.cancel() if number == moment else None
            await outcome(pipeline)
        tally.requests.clear()
        async with budget(model_calls=moment):
            await outcome(pipeline)

    before = state(pipeline)
    both_loops(run)
    assert state(pipeline) == before


@pytest.mark.anyio
async def test_a_thousand_runs_at_once_do_not_mix(anyio_backend: str) -> None:
    # Which attempt passes depends on the run: its candidate number shifts the player's moves.
    many = MANY[anyio_backend]
    tally = Tally()
    loop = Retry(
        Escalate(attempt([1, 4, 2, 3], tally=tally), attempt([0, 4], tally=tally)), attempts=4
    )
    other = attempt([0], tally=tally)
    pipeline = Timeout(Cache(loop, store=MemoryStore()) | other, seconds=3600)  # never reached
    alone = {n: await loop.run(replace(TASK, candidate=n, id=str(n))) for n in range(4)}
    before = state(pipeline)
    reports: dict[int, Report] = {}
    heard: dict[int, set[int]] = {}

    async def one(number: int) -> None:
        events: list[Event] = []
        task = replace(TASK, candidate=number % 4, id=str(number))
        async with listen(events.append), budget(model_calls=100) as allowance:
            reports[number] = await pipeline.run(task)
        made = [event.candidate for event in events if isinstance(event, CodeGenerated)]
        heard[number] = {int(candidate.task.id or -1) for candidate in made}
        assert allowance.spent == reports[number].usage

    async with anyio.create_task_group() as group:
        for number in range(many):
            group.start_soon(one, number)

    assert len(reports) == many
    for number, report in reports.items():
        assert report.task.id == str(number)
        assert {one.candidate.task.id for one in report.history} == {str(number)}
        assert heard[number] == {number}
        assert report.passed == alone[number % 4].passed
    assert tally.usage.model_calls >= many
    assert state(pipeline) == before
