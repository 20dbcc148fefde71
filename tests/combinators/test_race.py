from typing import Any

import anyio
import pytest
from tests.laws.kit import RAISES, TASK, Tally, attempt

from planish import Race, Report, Task, step
from planish.data.events import Event
from planish.errors import WiringError
from planish.events import BranchEnded, listen


@pytest.mark.anyio
async def test_a_race_of_one_is_that_one() -> None:
    report = await Race(attempt([2])).run(TASK)
    assert report.score == 0.5
    assert [branch.outcome for branch in report.branches] == ["lost"]


@pytest.mark.anyio
async def test_branches_are_named_as_they_print() -> None:
    report = await (attempt([1], name="fast") | attempt([4], name="careful")).run(TASK)
    assert [branch.name for branch in report.branches] == [
        "CodeGenerator(Player('fast')) >> grade >> Validator()",
        "CodeGenerator(Player('careful')) >> grade >> Validator()",
    ]


@pytest.mark.anyio
async def test_a_race_in_a_race_is_flat() -> None:
    one, other, third = (attempt([1], name=name) for name in ("one", "other", "third"))
    report = await ((one | other) | third).run(TASK)
    assert len(report.branches) == 3
    assert repr(one | (other | third)) == repr((one | other) | third)


@pytest.mark.anyio
async def test_listeners_hear_how_each_branch_ended() -> None:
    heard: list[Event] = []
    failing = attempt([RAISES], name="failing")
    async with listen(heard.append):
        await (failing | attempt([3], name="wrong")).run(TASK)
    ended = [event for event in heard if isinstance(event, BranchEnded)]
    assert [event.outcome for event in ended] == ["failed", "lost"]
    assert "failing" in ended[0].name


@pytest.mark.anyio
async def test_steps_within_know_their_branch() -> None:
    heard: list[Event] = []
    async with listen(heard.append):
        await (attempt([1]) | attempt([2])).run(TASK)
    paths = {event.path for event in heard if event.kind == "candidate_judged"}
    assert paths == {("Race[0]", "Sequential[2]"), ("Race[1]", "Sequential[2]")}


@pytest.mark.anyio
async def test_one_step_runs_n_times_and_the_first_pass_wins() -> None:
    tally = Tally()
    race = Race(attempt([1, 4, 2], tally=tally), n=3)
    report = await race.run(TASK)
    assert report.passed
    assert {0, 1} <= {request.candidate for request in tally.requests}
    assert [branch.name for branch in report.branches] == [f"candidate {i}" for i in range(3)]
    assert report.branches[1].outcome == "won"


@pytest.mark.anyio
@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_no_more_branches_run_at_once_than_the_limit(limit: int) -> None:
    busy = most = 0

    async def work(task: Task) -> Report:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await anyio.sleep(0.01)
        busy -= 1
        return await attempt([1]).run(task)

    for race in (
        Race(step(work), n=6, concurrency=limit),
        Race(*[step(work)] * 6, concurrency=limit),
    ):
        most = 0
        report = await race.run(TASK)
        assert (most, report.attempts, report.stop_reason) == (limit, 6, "all_failed")


@pytest.mark.anyio
async def test_what_a_winner_prevents_is_never_started() -> None:
    tally = Tally()
    race = Race(attempt([1, 4, 2, 2], tally=tally), n=4, concurrency=1)
    report = await race.run(TASK)
    assert [request.candidate for request in tally.requests] == [0, 1]
    outcomes = [branch.outcome for branch in report.branches]
    assert outcomes == ["lost", "won", "cancelled", "cancelled"]


def test_races_with_options_are_values_and_keep_them() -> None:
    one = attempt([4])
    race = Race(one, n=8, concurrency=2)
    assert race == Race(one, n=8, concurrency=2)
    assert race != Race(one, n=8)
    assert repr(race) == f"Race({one!r}, n=8, concurrency=2)"
    joined = race | one
    assert isinstance(joined, Race)
    assert len(joined.branches) == 2
    assert "8 candidates" in race.to_mermaid()
    assert len(race.children()) == 1


@pytest.mark.parametrize("options", [{"n": 0}, {"concurrency": 0}, {"n": -1}])
def test_a_race_refuses_numbers_below_one(options: Any) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        Race(attempt([4]), **options)


def test_several_steps_have_no_number_of_candidates() -> None:
    with pytest.raises(WiringError, match="give one, not several"):
        Race(attempt([4]), attempt([4]), n=2)
