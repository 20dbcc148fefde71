"""The share of passed tests, of a run and of a repeat of an earlier one."""

import pytest

from planish.data.candidate import Candidate
from planish.data.execution import Execution, TestResult
from planish.data.feedback import Feedback, PreviousAttempt
from planish.data.status import Status, TestStatus
from planish.data.task import Task

ATTEMPTS = tuple(
    PreviousAttempt(
        attempt=number, digest=f"{number}" * 16, status=Status.WRONG_ANSWER, score=score
    )
    for number, score in ((1, 0.25), (2, 0.5), (3, None))
)


def score(*statuses: TestStatus, repeats: int | None = None, feedback: bool = True) -> float | None:
    known = Feedback(attempt=3, previous_attempts=ATTEMPTS) if feedback else None
    task = Task("Do it.").with_feedback(known) if known else Task("Do it.")
    tests = tuple(TestResult(name=f"{n}", status=status) for n, status in enumerate(statuses))
    candidate = Candidate(task=task, code="x")
    status = Status.WRONG_ANSWER
    return Execution(candidate=candidate, status=status, tests=tests, repeats=repeats).score


def test_the_score_is_the_share_of_the_tests_that_count() -> None:
    assert score("passed", "failed", "error", "not_run") == 0.25
    assert score("passed", "skipped", "no_evidence", "failed") == 0.5
    assert score("skipped", "no_evidence") is None
    assert score() is None


@pytest.mark.parametrize(("repeats", "earlier"), [(1, 0.25), (2, 0.5), (3, None), (4, None)])
def test_a_repeat_that_was_not_run_has_the_score_of_the_attempt_it_repeats(
    repeats: int, earlier: float | None
) -> None:
    assert score(repeats=repeats) == earlier
    assert score(repeats=repeats, feedback=False) is None
    assert score("passed", repeats=repeats) == 1.0
