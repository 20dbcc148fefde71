"""Call a judge, and make a verdict of its opinion; `tests_pass`, the default judge."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, cast, get_args

from planish import feedback
from planish.data.execution import Execution
from planish.data.status import NEUTRAL_STATUSES, Status
from planish.data.verdict import (
    COULD_NOT_JUDGE,
    TESTS,
    Evidence,
    Finding,
    Label,
    Severity,
    Verdict,
)
from planish.errors import ModelError, OverloadedError, PlanishError, RateLimitError, WiringError
from planish.loading import load_now

__all__ = ["Judge", "Opinion", "apply_judge", "lacks_tests", "load_findings", "tests_pass"]

Opinion = Verdict | bool | str | Finding | Sequence[str | Finding]
"""A judge's result: a verdict, True or False, or what is wrong. An empty list is a pass."""

Judge = Callable[[Execution], Opinion | Awaitable[Opinion]]
"""A function from an execution to an opinion; may be async."""

_UNJUDGEABLE = {
    Status.SYNTAX_ERROR: "the code was not run",
    Status.TEST_ERROR: "the tests themselves, or the task's preamble, are broken",
    Status.INFRA_ERROR: "the code was not run",
}

_MOST_UNJUDGED = 2  # attempts in a row: a judge that never can must not use up an endless loop
_OUTAGES = (RateLimitError, OverloadedError)  # of the provider: the next attempt fails as well
_ERROR_CHARS = 300


def load_findings() -> None:
    """Load the modules that find what is wrong with an execution, before one is judged."""
    load_now(feedback)


def tests_pass(execution: Execution) -> Verdict:
    """Pass an execution if at least one test counts, and all that count ran and passed.

    This is the default judge. If there are no tests, or none counts, the verdict is
    "unverified", or "failed" if the program itself failed.
    """
    counted = [test for test in execution.tests if test.status not in NEUTRAL_STATUSES]
    label: Label = "failed"
    if execution.status is Status.TEST_ERROR:
        label = "unverified"
    elif execution.status is Status.SUCCESS and all(test.status == "passed" for test in counted):
        label = "passed" if counted else "unverified"
    tests = execution.candidate.task.tests
    findings = feedback.execution_findings(execution)
    if label == "unverified" and execution.status is Status.SUCCESS:
        findings = (_nothing_to_judge_by(has_tests=tests is not None), *findings)
    verdict = Verdict(
        execution=execution,
        label=label,
        score=execution.score,
        findings=findings,
        judge=TESTS,
        evidence=Evidence(
            origin="none" if tests is None else tests.origin, separation=execution.separation
        ),
    )
    return _reject_unjudgeable(verdict)


def _nothing_to_judge_by(*, has_tests: bool) -> Finding:
    return Finding(
        message="the program ran, but "
        + ("no test of the task counts" if has_tests else "the task has no tests")
        + ", so nothing shows that it is right",
        severity="warning",
        fix="give the task tests that call the code (tests=...), or judge by something else: "
        "Validator(judge)",
    )


# pytest collects functions named test... from modules that import them; this one is no test.
vars(tests_pass)["__test__"] = False


def lacks_tests(verdict: Verdict) -> bool:
    """Return whether this is the default judge's verdict on code that ran, for want of tests.

    Other code would have the same verdict, so a loop need not try any.
    """
    execution = verdict.execution
    if verdict.label != "unverified" or execution.status is not Status.SUCCESS:
        return False
    return execution.score is None and verdict == tests_pass(execution)


async def apply_judge(judge: Judge, execution: Execution) -> Verdict:
    """Call a judge with an execution and return its opinion as a verdict.

    An execution that was not run, or whose record was tampered with, does not pass, whatever
    the judge returns. If the judge raises an exception, as where it cannot read what the code
    printed, or its own model gave no usable reply, the verdict is "unverified", with a finding
    "could not judge"; a loop then goes on.

    Raises:
        WiringError: the judge returned something else than an opinion, a score outside 0 to 1,
            an unknown severity, or a verdict about another execution. The message names the judge.
        PlanishError: the judge raised it; of `ModelError`s only one that says that the provider is
            overloaded or limits the rate.
        Exception: the judge raised it, and could not judge the two attempts before either.
    """
    name = getattr(judge, "__name__", type(judge).__name__)
    try:
        opinion: Any = judge(execution)
        if inspect.isawaitable(opinion):
            opinion = await opinion
    except Exception as error:  # a user's function may raise anything
        is_own = isinstance(error, PlanishError) and not isinstance(error, ModelError)
        if is_own or isinstance(error, (*_OUTAGES, ExceptionGroup)):  # a group may hold such errors
            raise
        if _attempts_without_judgement(execution) >= _MOST_UNJUDGED:
            raise
        return _could_not_judge(execution, name, error)
    if isinstance(opinion, Verdict):
        if opinion.execution is not execution and opinion.execution != execution:
            raise WiringError(f"the judge {name} returned a verdict about another execution")
        if judge is not tests_pass:
            opinion = _with_author(opinion, name)
        return _with_environment(_reject_unjudgeable(opinion))
    findings = _as_findings(opinion, name)
    for finding in findings:
        if finding.severity not in get_args(Severity):  # such as "high": no defect may be a pass
            raise WiringError(
                f"the judge {name} returned a Finding of severity {finding.severity!r}: must be "
                f"one of {', '.join(map(repr, get_args(Severity)))}"
            )
    failed = any(finding.severity == "error" for finding in findings)
    verdict = Verdict(
        execution=execution,
        label="failed" if failed else "passed",
        score=0.0 if failed else 1.0,
        findings=findings,
        judge=name,
        evidence=Evidence(origin="review", separation=execution.separation),
    )
    return _with_environment(_reject_unjudgeable(verdict))


def _with_author(verdict: Verdict, name: str) -> Verdict:
    """Return the verdict of a judge that left out what it is called and what it rests on."""
    if verdict.evidence != Evidence():
        return verdict
    if verdict.judge == TESTS:
        verdict = replace(verdict, judge=name)
    if verdict.label == "unverified":
        return verdict
    evidence = Evidence(origin="review", separation=verdict.execution.separation)
    return replace(verdict, evidence=evidence)


def _with_environment(verdict: Verdict) -> Verdict:
    """Return a verdict with the notes of the sandbox as findings, whatever its judge reported."""
    known = {finding.message for finding in verdict.findings}
    notes = feedback.environment_findings(verdict.execution)
    missing = tuple(note for note in notes if note.message not in known)
    return replace(verdict, findings=(*verdict.findings, *missing)) if missing else verdict


def _could_not_judge(execution: Execution, name: str, error: Exception) -> Verdict:
    text = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
    message = f"{COULD_NOT_JUDGE}: {name}: {text[:_ERROR_CHARS]}"
    return Verdict(
        execution=execution,
        label="unverified",
        findings=(Finding(message=message, severity="warning"),),
        judge=name,
        evidence=Evidence(origin="none", separation=execution.separation),
    )


def _attempts_without_judgement(execution: Execution) -> int:
    """Return how many of the last attempts in a row could not be judged either."""
    feedback = execution.candidate.task.feedback
    earlier = feedback.previous_attempts if feedback is not None else ()
    unjudged = takewhile(lambda one: one.judge_raised, reversed(earlier))
    return sum(1 for _ in unjudged)


def _reject_unjudgeable(verdict: Verdict) -> Verdict:
    """Return a failed verdict instead of a pass of what was not run, or was tampered with."""
    execution = verdict.execution
    reason = _UNJUDGEABLE.get(execution.status)
    if execution.candidate.problem is not None:
        reason = _UNJUDGEABLE[Status.SYNTAX_ERROR]
    if execution.repeats is not None and not execution.key:
        reason = "it repeats a run whose evidence is missing"
    failure = execution.failure
    if failure is not None and failure.name == "Tampering" and not failure.bases:
        reason = "the record of the run was tampered with"
    if reason is None or not verdict.passed:
        return verdict
    message = reason if failure is None else f"{reason}: {failure.name}: {failure.message}"
    finding = Finding(message=f"{message}. Such an attempt cannot pass, whatever a judge returns")
    return replace(verdict, label="failed", score=0.0, findings=(finding, *verdict.findings))


def _as_findings(opinion: Any, name: str) -> tuple[Finding, ...]:
    match opinion:
        case True:
            return ()
        case False:
            return (Finding(message=f"{name} returned False"),)
        case str() if opinion.strip():
            return (Finding(message=opinion),)
        case Finding():
            return (opinion,)
        case list() | tuple():
            items: Any = cast("Sequence[Any]", opinion)
            if all(isinstance(item, str | Finding) for item in items):
                return tuple(
                    item if isinstance(item, Finding) else Finding(message=item) for item in items
                )
        case _:
            pass
    returned = (
        "None (does it have a return statement?)"
        if opinion is None
        else repr(cast("Any", opinion))[:200]
    )
    raise WiringError(
        f"the judge {name} returned {returned}. Return a Verdict, True or False, or what is wrong: "
        "a text, a Finding, or a list of them, which is empty if nothing is wrong"
    )
