import pytest
from tests.laws.kit import RAISES, TASK, attempt

from planish import Race
from planish.data.events import Event
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
