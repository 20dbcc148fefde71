"""Judges: the verdict for each kind of opinion, and combined judges."""

from dataclasses import replace
from typing import Any

import pytest
from tests.laws.kit import TASK, evidence

from planish import Candidate, Execution, Validator, Verdict
from planish.data import Failure, Finding, Status, TestResult
from planish.data.execution import SEPARATIONS
from planish.data.verdict import Evidence
from planish.errors import WiringError
from planish.judges import all_of, any_of, apply_judge, tests_pass, weighted

EXECUTION = evidence(Candidate(task=TASK, code="PASSED = 2"))
FINDING = Finding(message="too slow", fix="cache it")


def judge_with(opinion: Any) -> Any:
    def judge(execution: Execution) -> Any:
        return opinion

    return judge


@pytest.mark.anyio
async def test_a_defect_of_an_unknown_severity_is_refused_and_no_pass() -> None:
    wrong: Any = "high"
    judge = judge_with([Finding(message="it deletes files", severity=wrong)])
    with pytest.raises(WiringError, match="a Finding of severity 'high': must be one of 'error'"):
        await apply_judge(judge, EXECUTION)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("opinion", "label", "messages"),
    [
        (True, "passed", []),
        ([], "passed", []),
        (False, "failed", ["judge returned False"]),
        ("it is ugly", "failed", ["it is ugly"]),
        (FINDING, "failed", ["too slow"]),
        (["one", FINDING], "failed", ["one", "too slow"]),
        (("one",), "failed", ["one"]),
        (Finding(message="hm", severity="warning"), "passed", ["hm"]),
        ([Finding(message="hm", severity="info"), FINDING], "failed", ["hm", "too slow"]),
    ],
)
async def test_an_opinion_becomes_a_verdict(opinion: Any, label: str, messages: list[str]) -> None:
    verdict = await apply_judge(judge_with(opinion), EXECUTION)
    assert verdict.label == label
    assert [finding.message for finding in verdict.findings] == messages
    assert verdict.score == (1.0 if label == "passed" else 0.0)
    assert (verdict.judge, verdict.evidence.origin) == ("judge", "review")
    assert verdict.execution is EXECUTION


@pytest.mark.anyio
async def test_a_verdict_is_taken_as_it_is() -> None:
    verdict = Verdict(execution=EXECUTION, label="unverified", judge="me")
    assert await apply_judge(judge_with(verdict), EXECUTION) is verdict


@pytest.mark.anyio
async def test_a_judge_may_take_its_time_and_may_be_an_object() -> None:
    class Reviewer:
        async def __call__(self, execution: Execution) -> str:
            return f"no to {execution.status}"

    verdict = await apply_judge(Reviewer(), EXECUTION)
    assert (verdict.label, verdict.judge) == ("failed", "Reviewer")


NO_OPINIONS: list[Any] = [None, 0.5, 3, object(), {}, b"", "", "  ", set(), [3], iter([])]


@pytest.mark.anyio
@pytest.mark.parametrize("opinion", NO_OPINIONS)
async def test_what_is_no_opinion_is_refused_and_the_judge_named(opinion: Any) -> None:
    with pytest.raises(WiringError, match="the judge judge returned"):
        await Validator(judge_with(opinion)).run(EXECUTION)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("opinion", "shown"),
    [
        (None, "returned None (does it have a return statement?). Return"),
        (0.5, "returned 0.5. Return"),
        (b"x" * 500, f"returned b'{'x' * 198}. Return"),
    ],
)
async def test_what_is_no_opinion_is_shown_or_explained(opinion: Any, shown: str) -> None:
    with pytest.raises(WiringError) as caught:
        await Validator(judge_with(opinion)).run(EXECUTION)
    assert shown in str(caught.value)


def execution_with(status: Status, *tests: TestResult, failure: Failure | None = None) -> Execution:
    candidate = Candidate(task=TASK, code="x")
    return Execution(candidate=candidate, status=status, tests=tests, failure=failure)


def test_findings_are_about_the_tests_that_failed() -> None:
    tests = (
        TestResult(name="good", status="passed"),
        TestResult(name="wrong", status="failed", expected="4", actual="5"),
        TestResult(name="raised", status="error", message="KeyError: 3"),
        TestResult(name="missed", status="not_run"),
    )
    verdict = tests_pass(execution_with(Status.PARTIAL_SUCCESS, *tests))
    wrong, raised, missed = verdict.findings
    assert (wrong.test, wrong.expected, wrong.actual) == ("wrong", "4", "5")
    assert wrong.message == "it gave the wrong value"
    assert (raised.test, raised.message) == ("raised", "KeyError: 3")
    assert "1 tests did not run: missed" in missed.message
    assert verdict.score == 0.25


def test_without_a_failed_test_the_failure_is_the_finding() -> None:
    failure = Failure(name="NameError", message="x", line=3, text="  return x")
    verdict = tests_pass(execution_with(Status.RUNTIME_ERROR, failure=failure))
    assert [finding.message for finding in verdict.findings] == ["NameError: x (line 3: return x)"]


def verdict_of(label: Any, score: float | None, name: str) -> Any:
    def judge(execution: Execution) -> Verdict:
        finding = Finding(message=name)
        return Verdict(
            execution=execution, label=label, score=score, findings=(finding,), judge=name
        )

    return judge


YES, NO = verdict_of("passed", 0.9, "yes"), verdict_of("failed", 0.4, "no")
UNSURE = verdict_of("unverified", None, "unsure")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("judges", "every", "least", "one", "most"),
    [
        ((YES,), "passed", 0.9, "passed", 0.9),
        ((YES, NO), "failed", 0.4, "passed", 0.9),
        ((YES, UNSURE), "unverified", 0.9, "passed", 0.9),
        ((NO, UNSURE), "failed", 0.4, "unverified", 0.4),
        ((UNSURE, UNSURE), "unverified", None, "unverified", None),
    ],
)
async def test_all_of_and_any_of(judges: Any, every: str, least: Any, one: str, most: Any) -> None:
    both = await apply_judge(all_of(*judges, stop_at_first=False), EXECUTION)
    assert (both.label, both.score) == (every, least)
    either = await apply_judge(any_of(*judges), EXECUTION)
    assert (either.label, either.score) == (one, most)
    assert len(both.findings) == len(either.findings) == len(judges)
    assert both.judge.startswith("all_of(")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("judges", "threshold", "label", "score"),
    [
        ({YES: 1, NO: 1}, 1.0, "failed", 0.65),
        ({YES: 1, NO: 1}, 0.65, "passed", 0.65),
        ({YES: 3, NO: 1}, 0.7, "passed", 0.775),
        ({YES: 1, UNSURE: 1}, 0.5, "failed", 0.45),
        ({YES: 1, UNSURE: 1}, 0.4, "unverified", 0.45),
        ({UNSURE: 1}, 0.5, "unverified", 0.0),
        ({verdict_of("passed", None, "bare"): 1}, 1.0, "passed", 1.0),
    ],
)
async def test_weighted(judges: Any, threshold: float, label: str, score: float) -> None:
    verdict = await apply_judge(weighted(judges, threshold=threshold), EXECUTION)
    assert verdict.label == label
    assert verdict.score == pytest.approx(score)


@pytest.mark.anyio
async def test_tests_and_opinions_together_say_what_they_rest_on() -> None:
    judge = all_of(tests_pass, judge_with(True), stop_at_first=False)
    verdict = await apply_judge(judge, EXECUTION)
    assert verdict.label == "failed"
    assert verdict.evidence.origin == "user"
    assert verdict.judge == "all_of(tests, judge)"


@pytest.mark.parametrize(
    "wrong",
    [
        all_of,
        any_of,
        lambda: weighted({}),
        lambda: weighted({YES: 0}),
        lambda: weighted({YES: -1}),
        lambda: weighted({YES: 1}, threshold=0),
        lambda: weighted({YES: 1}, threshold=1.5),
    ],
)
def test_judges_that_make_no_sense_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"at least one judge|must be positive"):
        wrong()


@pytest.mark.parametrize("score", [5.0, -0.1, float("nan"), float("inf"), "1", True])
def test_a_score_is_a_number_from_0_to_1(score: Any) -> None:
    with pytest.raises(WiringError, match="finite number from 0 to 1"):
        Verdict(execution=EXECUTION, label="passed", score=score, judge="me")


@pytest.mark.anyio
async def test_a_verdict_about_another_execution_is_refused() -> None:
    other = evidence(Candidate(task=TASK, code="PASSED = 4"))
    verdict = Verdict(execution=other, label="passed", score=1.0, judge="me")
    with pytest.raises(WiringError, match="about another execution"):
        await apply_judge(judge_with(verdict), EXECUTION)


def never_run() -> list[Execution]:
    """Executions of which no program ran, and one whose record was tampered with."""
    broken = Candidate(task=TASK, code="def f(:")
    empty = Candidate(task=TASK, code="", problem="empty_reply")
    candidate = Candidate(task=TASK, code="PASSED = 4")
    forged = Failure(name="Tampering", message="line 3")
    return [
        Execution(candidate=broken, status=Status.SYNTAX_ERROR),
        Execution(candidate=empty, status=Status.SYNTAX_ERROR),
        Execution(candidate=candidate, status=Status.SUCCESS, repeats=1),
        Execution(candidate=candidate, status=Status.INFRA_ERROR),
        Execution(candidate=candidate, status=Status.TEST_ERROR),
        Execution(candidate=candidate, status=Status.RUNTIME_ERROR, failure=forged),
    ]


def judge_tests(execution: Execution) -> bool:
    return all(test.status == "passed" for test in execution.tests)


def judge_stderr(execution: Execution) -> bool:
    return "Error" not in execution.stderr


def always(execution: Execution) -> Verdict:
    return Verdict(execution=execution, label="passed", score=1.0, judge="mine")


JUDGES: list[Any] = [
    *(tests_pass, judge_tests, judge_stderr, always),
    any_of(judge_with(True), tests_pass),
    weighted({judge_with(True): 1.0}),
]


@pytest.mark.anyio
@pytest.mark.parametrize("execution", never_run())
@pytest.mark.parametrize("judge", JUDGES)
async def test_nothing_passes_that_was_not_run(execution: Execution, judge: Any) -> None:
    report = await Validator(judge).run(execution)
    assert not report.passed
    assert report.stop_reason == "judged"


WRONG = evidence(Candidate(task=TASK, code="PASSED = 3"))


@pytest.mark.anyio
async def test_a_judge_of_tests_is_not_outvoted_unless_asked_for() -> None:
    def mean(yes: Any, tests: Any, **more: Any) -> Any:
        return weighted({yes: 9, tests: 1}, threshold=0.5, **more)

    ways: list[Any] = [any_of, mean]
    for combine in ways:
        assert (await apply_judge(combine(judge_with(True), tests_pass), WRONG)).label == "failed"
        outvoted = await apply_judge(
            combine(judge_with(True), tests_pass, outvote_tests=True), WRONG
        )
        assert (outvoted.label, outvoted.evidence.origin) == ("passed", "review")


@pytest.mark.anyio
@pytest.mark.parametrize("separation", ["none", "exit_code", "shared_process", "isolated"])
@pytest.mark.parametrize("require", ["exit_code", "shared_process", "isolated"])
async def test_a_validator_can_require_a_separation(separation: Any, require: Any) -> None:
    right = evidence(Candidate(task=TASK, code="PASSED = 4"))
    execution = replace(right, separation=separation, weakened_by=("it was close",))
    report = await Validator(require=require).run(execution)
    assert report.verdict is not None
    enough = SEPARATIONS.index(separation) >= SEPARATIONS.index(require)
    assert report.verdict.label == ("passed" if enough else "unverified")
    assert enough or "it was close" in report.verdict.findings[0].message
    assert report.evidence == Evidence(origin="user", separation=separation)


def test_a_validator_requires_a_word_that_exists() -> None:
    word: Any = "alone"
    with pytest.raises(WiringError, match="'isolated'"):
        Validator(require=word)
