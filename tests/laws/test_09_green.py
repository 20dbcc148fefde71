"""Law 9: green means something: no evidence is never a pass, nor is a test that did not run."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import LAW, TASK, both_loops, run_out

from planish import (
    BestOf,
    Candidate,
    Execution,
    Fallback,
    Primitive,
    Report,
    Retry,
    Task,
    Timeout,
    Validator,
    step,
)
from planish.data import Assertions, Status, TestResult
from planish.data.status import NEUTRAL_STATUSES, TestStatus
from planish.data.verdict import Evidence, Label, Verdict
from planish.effects import use_clock
from planish.judges import all_of, any_of, tests_pass, weighted
from planish.testing import FakeClock

STATUSES = get_args(TestStatus)
LABELS: tuple[Label, ...] = get_args(Label)


def executed(status: Status, tests: list[Any], task: Task = TASK) -> Execution:
    results = tuple(TestResult(name=str(i), status=one) for i, one in enumerate(tests))
    return Execution(candidate=Candidate(task=task, code="x = 1"), status=status, tests=results)


def judge(execution: Execution, *, within: str = "none") -> Report:
    """Judge an execution alone, or within a combinator."""

    def known(task: Task) -> Execution:
        return execution

    attempt: Primitive[Task, Report] = step(known) >> Validator()
    ways: dict[str, Primitive[Task, Report]] = {
        "none": attempt,
        "retry": Retry(attempt, attempts=2),
        "race": attempt | attempt,
        "best_of": BestOf(attempt, n=2),
        "fallback": Fallback(attempt, attempt),
        "timeout": Timeout(attempt, seconds=60),
    }
    first, second = both_loops(lambda: ways[within].run(TASK))
    assert first.passed == second.passed
    return first


WITHIN = st.sampled_from(["none", "retry", "race", "best_of", "fallback", "timeout"])


@LAW
@given(st.sampled_from(Status), st.lists(st.sampled_from(STATUSES), max_size=4), WITHIN)
def test_it_passes_exactly_if_a_test_counts_and_all_that_count_passed(
    status: Status, tests: list[str], within: str
) -> None:
    report = judge(executed(status, tests), within=within)
    counted = set(tests) - NEUTRAL_STATUSES
    green = status is Status.SUCCESS and counted == {"passed"}
    assert report.passed == green
    assert (report.stop_reason == "success") == green
    assert report.verdict is not None
    assert (report.verdict.label == "passed") == green


@LAW
@given(st.lists(st.sampled_from(STATUSES), min_size=1, max_size=6))
def test_the_score_is_what_passed_of_all_that_counts(tests: list[str]) -> None:
    report = judge(executed(Status.PARTIAL_SUCCESS, tests))
    counted = [test for test in tests if test not in NEUTRAL_STATUSES]
    assert report.score == (tests.count("passed") / len(counted) if counted else None)


def test_no_tests_is_unverified_and_no_score() -> None:
    report = judge(executed(Status.SUCCESS, [], Task("No tests.")))
    assert report.verdict is not None
    assert report.verdict.label == "unverified"
    assert report.verdict.evidence == Evidence()
    assert report.score is None
    assert not report.passed


def test_a_program_that_fails_without_tests_has_failed() -> None:
    report = judge(executed(Status.RUNTIME_ERROR, [], Task("No tests.")))
    assert report.verdict is not None
    assert report.verdict.label == "failed"


@pytest.mark.parametrize("origin", ["user", "generated"])
def test_the_verdict_says_whose_tests_it_rests_on(origin: Any) -> None:
    task = Task("Tested.", tests=Assertions("assert x", origin=origin))
    report = judge(executed(Status.SUCCESS, ["passed"], task))
    assert report.verdict is not None
    assert report.verdict.evidence.origin == origin


def test_a_repeat_without_the_evidence_of_its_run_does_not_pass() -> None:
    known = executed(Status.SUCCESS, [])
    execution = Execution(candidate=known.candidate, status=Status.SUCCESS, repeats=1)
    report = judge(execution)
    assert report.verdict is not None
    assert report.verdict.label == "unverified"


def says(label: Label) -> Any:
    def opinion(execution: Execution) -> Verdict:
        score = {"passed": 1.0, "failed": 0.0, "unverified": None}[label]
        return Verdict(execution=execution, label=label, score=score, judge=label)

    return opinion


@LAW
@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=4))
def test_judges_together_pass_only_on_a_pass(labels: list[Label]) -> None:
    execution = executed(Status.SUCCESS, ["passed"])
    judges = [says(label) for label in labels]

    async def run() -> list[str]:
        found: list[str] = []
        for combined in (
            all_of(*judges),
            any_of(*judges),
            weighted(dict.fromkeys(judges, 1.0)),
            weighted(dict.fromkeys(judges, 1.0), threshold=0.01),
        ):
            report = await Validator(combined).run(execution)
            assert report.verdict is not None
            found.append(report.verdict.label)
        return found

    for every, one, whole, least in both_loops(run):
        assert (every == "passed") == (set(labels) == {"passed"})
        assert (one == "passed") == ("passed" in labels)
        assert (whole == "passed") == (set(labels) == {"passed"})
        assert (least == "passed") == ("passed" in labels and "unverified" not in labels)
        if set(labels) == {"unverified"}:
            assert {every, one, whole, least} == {"unverified"}


@pytest.mark.anyio
async def test_a_run_cut_short_is_unverified() -> None:
    def run(task: Task) -> Execution:
        return executed(Status.SUCCESS, ["passed"], task)

    async with use_clock(FakeClock()):
        report = await Timeout(step(run) >> run_out >> Validator(), seconds=60).run(TASK)
    assert report.verdict is not None
    assert report.verdict.label == "unverified"
    assert not report.passed
    assert report.stop_reason == "timeout"
    assert tests_pass(executed(Status.SUCCESS, ["passed"])).passed
