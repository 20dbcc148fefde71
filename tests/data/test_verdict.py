"""The label and the score of a verdict."""

from math import inf, nan
from typing import Any, get_args

import pytest

from planish.data.candidate import Candidate
from planish.data.execution import Execution, Separation
from planish.data.status import Status
from planish.data.task import Task
from planish.data.verdict import Evidence, EvidenceOrigin, Label, Verdict
from planish.errors import WiringError

LABELS: tuple[Label, ...] = ("passed", "failed", "unverified")
EXECUTION = Execution(candidate=Candidate(task=Task("Do it."), code="x"), status=Status.SUCCESS)


@pytest.mark.parametrize("score", [-0.01, 1.01, inf, -inf, nan, True, False, "0.5", [1]])
def test_a_score_is_a_number_from_0_to_1(score: Any) -> None:
    with pytest.raises(WiringError, match="of the judge 'mine': a score is a finite number"):
        Verdict(execution=EXECUTION, label="failed", score=score, judge="mine")


def test_only_the_label_says_whether_it_passed() -> None:
    for score in (None, 0, 0.0, 0.5, 1, 1.0):
        found = [Verdict(execution=EXECUTION, label=label, score=score) for label in LABELS]
        assert [one.passed for one in found] == [True, False, False]
        assert {one.score for one in found} == {score}


def test_evidence_is_ordered_by_its_separation_then_its_origin() -> None:
    ordered = [
        Evidence(separation=separation, origin=origin)
        for separation in get_args(Separation)
        for origin in get_args(EvidenceOrigin)
    ]
    assert sorted([*ordered[::-1]]) == ordered
    assert min(ordered) == Evidence() == Evidence(origin="none", separation="none")
    assert str(max(ordered)) == "user, isolated"
