"""Law 5: a race returns the first *verified* result; losers are cancelled, awaited and reported."""

from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import CHECKS, LAW, RAISES, TASK, Tally, attempt, both_loops

from planish import Primitive, Race, Report, Retry, Task, step
from planish.data import Usage
from planish.errors import ModelError, report_of


class Turn(Primitive[Task, Report]):
    """A branch that waits for its turn, so that the order of ends is known."""

    def __init__(
        self, step_: Primitive[Task, Report], turn: int, turns: Sequence[anyio.Event]
    ) -> None:
        self.step = step_
        self.turn = turn
        self.turns = turns
        self.cleaned = False

    async def _run(self, value: Task) -> Report:
        try:
            await self.turns[self.turn].wait()
            return await self.step.run(value)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.001)
            self.cleaned = True
            self.turns[self.turn + 1].set()


def in_turn(moves: Sequence[int], order: Sequence[int], tally: Tally) -> list[Turn]:
    turns = [anyio.Event() for _ in range(len(moves) + 1)]
    turns[0].set()
    return [
        Turn(attempt([move], name=f"b{index}", tally=tally), order.index(index), turns)
        for index, move in enumerate(moves)
    ]


@st.composite
def races(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """What each branch comes to, and the order in which they end."""
    moves = draw(st.lists(st.integers(RAISES, CHECKS), min_size=2, max_size=5))
    return moves, draw(st.permutations(range(len(moves))))


def ends(moves: Sequence[int], order: Sequence[int]) -> dict[int, str]:
    """How each branch should end."""
    found: dict[int, str] = {}
    for index in order:
        if "won" in found.values():
            found[index] = "cancelled"
        else:
            ended = {RAISES: "failed", CHECKS: "won"}
            found[index] = ended.get(moves[index], "lost")
    return found


async def race(moves: Sequence[int], order: Sequence[int]) -> None:
    tally = Tally()
    branches = in_turn(moves, order, tally)
    found = ends(moves, order)
    whole: Race[Task, Report] = Race(*branches)
    if set(found.values()) == {"failed"}:
        with pytest.raises(ModelError, match="b0 is out of order"):
            await whole.run(TASK)
        return
    report = await whole.run(TASK)
    assert all(branch.cleaned for branch in branches)
    assert {i: branch.outcome for i, branch in enumerate(report.branches)} == found
    assert report.usage == tally.usage
    check_outcomes(report, moves, found)


def check_outcomes(report: Report, moves: Sequence[int], found: dict[int, str]) -> None:
    best = report.best
    assert best is not None
    if "won" in found.values():
        winner = next(index for index, how in found.items() if how == "won")
        assert report.passed
        assert report.stop_reason == "success"
        assert f"b{winner} " in best.code
    else:
        assert not report.passed
        assert report.stop_reason == "all_failed"
        assert best.score == max(moves) / CHECKS
    for index, branch in enumerate(report.branches):
        attempts = [report.history[place - 1] for place in branch.attempts]
        ended = found[index] in ("won", "lost")
        assert [one.score for one in attempts] == ([moves[index] / CHECKS] if ended else [])
        assert (branch.error is not None) == (found[index] == "failed")


@LAW
@given(races())
def test_the_first_verified_wins_whatever_fails_before_it(drawn: Any) -> None:
    moves, order = drawn
    both_loops(lambda: race(moves, order))


@pytest.mark.anyio
async def test_losers_are_awaited_until_they_have_cleaned_up() -> None:
    cleaned: list[str] = []

    async def hang(task: Task) -> Task:
        try:
            await anyio.sleep(10)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.05)
                cleaned.append("cleaned")
        return task

    report = await ((step(hang) >> attempt([4])) | attempt([4])).run(TASK)
    assert cleaned == ["cleaned"]
    assert [branch.outcome for branch in report.branches] == ["cancelled", "won"]


@pytest.mark.anyio
async def test_what_losers_had_reached_and_spent_is_kept() -> None:
    tally = Tally()
    started = anyio.Event()

    async def hang(report: Report) -> Report:
        started.set()
        await anyio.sleep(10)
        return report

    async def after(task: Task) -> Task:
        await started.wait()
        return task

    loser = attempt([1], name="loser", tally=tally) >> step(hang)
    winner = step(after) >> attempt([4], name="winner", tally=tally)
    report = await (loser | winner).run(TASK)
    assert report.trajectory == (1.0, 0.25)
    assert [branch.attempts for branch in report.branches] == [(2,), (1,)]
    assert report.usage == tally.usage
    assert report.usage.model_calls == 2


@pytest.mark.anyio
async def test_all_failed_gives_the_best_so_far_also_of_a_branch_that_raised() -> None:
    raising = Retry(attempt([3, RAISES], name="raising"), attempts=2)
    report = await (attempt([2]) | raising | attempt([1])).run(TASK)
    assert report.score == 0.75
    assert not report.passed
    assert [branch.outcome for branch in report.branches] == ["lost", "failed", "lost"]


@pytest.mark.anyio
async def test_a_branch_that_raises_after_its_tests_passed_is_not_taken() -> None:
    async def review(report: Report) -> Report:
        raise ModelError("the reviewer is out of order")

    report = await ((attempt([4]) >> step(review)) | attempt([1])).run(TASK)
    assert not report.passed
    assert report.score == 0.25
    assert report.trajectory == (0.25, 1.0)


@pytest.mark.anyio
async def test_when_all_raise_the_error_tells_all_that_was_reached() -> None:
    one = Retry(attempt([1, RAISES], name="one"), attempts=2)
    other = Retry(attempt([2, RAISES], name="other"), attempts=2)
    with pytest.raises(ModelError) as caught:
        await (one | other).run(TASK)
    report = report_of(caught.value)
    assert report is not None
    assert sorted(score or 0.0 for score in report.trajectory) == [0.25, 0.5]
    assert [branch.outcome for branch in report.branches] == ["failed", "failed"]
    assert report.usage == Usage(input_tokens=4, output_tokens=3, model_calls=2)
    assert "another branch raised" in caught.value.__notes__[0]
