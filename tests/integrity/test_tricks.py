"""No trick passes, in any kind of test; each passes a judge that is built naively."""

from pathlib import Path

import pytest
from tests.integrity.judged import KINDS, Judged
from tests.integrity.naive import naive
from tests.integrity.tricks import RIGHT, TRICKS, WRONG

from planish import Status

RUNNERS = sorted({trick.fools for trick in TRICKS.values()})
OFTEN = ("checks", "cases")
ASKED_OF_PYTEST = ("tests replaced", "conftest.py", "pytest patched", "tests skipped", "os._exit")
ALWAYS = [
    *((name, kind) for name in TRICKS for kind in OFTEN),
    *((name, "unittest") for name, t in TRICKS.items() if t.fools in ("unittest", "result")),
    *((name, "pytest") for name in ASKED_OF_PYTEST),
]
REST = [(name, kind) for name in TRICKS for kind in KINDS if (name, kind) not in ALWAYS]


def test_there_are_enough() -> None:
    assert len(TRICKS) >= 24


@pytest.mark.parametrize("kind", KINDS)
def test_right_code_passes_and_wrong_code_does_not(judged: Judged, kind: str) -> None:
    right = judged(RIGHT, kind)
    assert (right.status, right.failure) == (Status.SUCCESS, None)
    assert {test.status for test in right.tests} == {"passed"}
    refused(judged, WRONG, kind)


def refused(judged: Judged, code: str, kind: str) -> None:
    result = judged(code, kind)
    assert result.status is not Status.SUCCESS
    assert len(result.tests) >= len(KINDS[kind].right)
    # `square(1)` may be answered rightly on the way.
    assert sum(test.status == "passed" for test in result.tests) <= 1


@pytest.mark.parametrize(("name", "kind"), ALWAYS)
def test_no_trick_passes(judged: Judged, name: str, kind: str) -> None:
    refused(judged, TRICKS[name].candidate, kind)


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), REST)
def test_no_trick_passes_in_other_kinds_of_tests(judged: Judged, name: str, kind: str) -> None:
    refused(judged, TRICKS[name].candidate, kind)


@pytest.mark.parametrize(
    "name", ["object that answers as it is asked", "number that is always near"]
)
def test_no_trick_is_near_enough(judged: Judged, name: str) -> None:
    assert judged(RIGHT, "near").status is Status.SUCCESS
    refused(judged, TRICKS[name].candidate, "near")


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_naive_runner_knows_right_from_wrong(tmp_path: Path, runner: str) -> None:
    (tmp_path / "right").mkdir()
    (tmp_path / "wrong").mkdir()
    assert runner == "apart" or naive(tmp_path / "right", runner, RIGHT)
    assert not naive(tmp_path / "wrong", runner, WRONG)


@pytest.mark.parametrize("name", TRICKS)
def test_every_trick_fools_a_naive_runner(tmp_path: Path, name: str) -> None:
    trick = TRICKS[name]
    assert naive(tmp_path, trick.fools, trick.candidate)
