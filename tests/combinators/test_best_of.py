from typing import Any

import anyio
import pytest
from tests.laws.kit import RAISES, TASK, Player, Tally, attempt, grade

from planish import BestOf, CodeGenerator, Report, Retry, Task, Validator, budget, step
from planish.errors import ModelError, WiringError


@pytest.mark.anyio
async def test_the_best_is_taken_and_all_are_kept() -> None:
    report = await BestOf(attempt([1, 3, 2]), n=3).run(TASK)
    assert report.score == 0.75
    assert report.trajectory == (0.25, 0.75, 0.5)
    assert report.stop_reason == "all_failed"
    assert [branch.outcome for branch in report.branches] == ["lost", "won", "lost"]
    assert [branch.attempts for branch in report.branches] == [(1,), (2,), (3,)]
    assert (await BestOf(attempt([1, 4, 2]), n=3).run(TASK)).stop_reason == "success"


@pytest.mark.anyio
async def test_each_request_says_which_candidate_it_is_and_has_its_own_seed() -> None:
    tally = Tally()
    generate = CodeGenerator(Player([1], tally=tally), seed=100)
    await BestOf(generate >> step(grade) >> Validator(), n=4).run(TASK)
    seeds = {request.candidate: request.seed for request in tally.requests}
    assert seeds == {0: 100, 1: 101, 2: 102, 3: 103}


@pytest.mark.anyio
async def test_candidates_of_candidates_have_numbers_of_their_own() -> None:
    tally = Tally()
    report = await BestOf(BestOf(attempt([1], tally=tally), n=3), n=2).run(TASK)
    assert sorted(request.candidate for request in tally.requests) == [0, 1, 2, 3, 4, 5]
    assert report.attempts == 6
    assert [len(branch.attempts) for branch in report.branches] == [3, 3, 1, 1, 1, 1, 1, 1]


@pytest.mark.anyio
async def test_of_equals_the_earliest_is_taken_whichever_ends_first() -> None:
    async def slow_first(task: Task) -> Task:
        await anyio.sleep(0.02 if task.candidate == 0 else 0)
        return task

    report = await BestOf(slow_first >> attempt([4]), n=3).run(TASK)
    assert report.best is not None
    assert report.best.candidate.task.candidate == 0


@pytest.mark.anyio
@pytest.mark.parametrize("bound", [1, 2, 3, None])
async def test_so_many_run_at_once(bound: int | None) -> None:
    tally = Tally()
    most = 0

    def look(_: int) -> None:
        nonlocal most
        most = max(most, tally.active)

    tally.at = look
    await BestOf(attempt([1], tally=tally, seconds=0.005), n=6, concurrency=bound).run(TASK)
    assert most == (6 if bound is None else bound)
    assert len(tally.requests) == 6


def shortest(report: Report) -> float:
    assert report.best is not None
    return -len(report.best.code)


async def highest_candidate(report: Report) -> float:
    assert report.best is not None
    return report.best.candidate.task.candidate


def worst_then_last(report: Report) -> tuple[float, ...]:
    assert report.best is not None
    return (-(report.score or 0.0), report.best.candidate.task.candidate)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("scorer", "selected"), [(shortest, 0), (highest_candidate, 3), (worst_then_last, 2)]
)
async def test_a_scorer_decides(scorer: Any, selected: int) -> None:
    for pipeline in (
        BestOf(attempt([4, 4, 0, 4]), n=4, scorer=scorer),
        # Also when more is put around it.
        Retry(BestOf(attempt([4, 4, 0, 4]), n=4, scorer=scorer), attempts=1),
    ):
        report = await pipeline.run(TASK)
        assert report.best is not None
        assert report.best.candidate.task.candidate == selected
        assert report.best.index == selected + 1


@pytest.mark.anyio
async def test_outcomes_that_cannot_be_judged_need_a_scorer() -> None:
    def number(task: Task) -> int:
        return [3, 8, 5][task.candidate]

    assert await BestOf(step(number), n=3, scorer=float).run(TASK) == 8


@pytest.mark.anyio
async def test_one_that_raises_loses_nothing_of_the_others() -> None:
    report = await BestOf(attempt([RAISES, 2]), n=2).run(TASK)
    assert report.score == 0.5
    assert [branch.outcome for branch in report.branches] == ["failed", "won"]
    assert report.branches[0].error == "ModelError('player is out of order')"


@pytest.mark.anyio
async def test_all_raising_raises_the_first() -> None:
    with pytest.raises(ModelError, match="out of order") as caught:
        await BestOf(attempt([RAISES]), n=3).run(TASK)
    assert len(caught.value.__notes__) == 2


@pytest.mark.anyio
async def test_a_budget_that_ends_before_all_have_run_is_the_reason() -> None:
    async with budget(model_calls=2):
        report = await BestOf(attempt([1, 2, 3]), n=3, concurrency=1).run(TASK)
    assert report.stop_reason == "budget"
    assert report.trajectory == (0.25, 0.5)
    assert report.score == 0.5


@pytest.mark.parametrize("wrong", [{"n": 0}, {"n": 2, "concurrency": 0}])
def test_numbers_below_one_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        BestOf(attempt([1]), **wrong)


def score_none(_: Report) -> Any:
    return None


def score_nan(report: Report) -> float:
    return float("nan") if report.passed else 1.0


def score_in_words(report: Report) -> Any:
    return "high" if report.passed else 1.0


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("scorer", "why"),
    [
        (score_none, "None is no score: return a number"),
        (score_nan, "nan is no score"),
        (score_in_words, "cannot be ordered: 1.0, 'high'"),
    ],
)
async def test_a_score_that_cannot_be_ordered_is_said_and_loses_nothing(
    scorer: Any, why: str
) -> None:
    with pytest.raises(WiringError, match=why) as caught:
        await BestOf(attempt([1, 4]), n=2, scorer=scorer).run(TASK)
    assert caught.value.report is not None
    assert len(caught.value.report.history) == 2
