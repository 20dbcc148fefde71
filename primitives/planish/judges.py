"""Judges, which make a verdict from an execution, and functions that combine them.

A judge is any function of an execution that returns an `Opinion`.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from planish.configuration import Configured
from planish.data.execution import Execution
from planish.data.status import NEUTRAL_STATUSES, Status
from planish.data.verdict import Evidence, Finding, Label, Verdict
from planish.errors import WiringError
from planish.feedback import execution_findings

__all__ = ["Judge", "Opinion", "all_of", "any_of", "apply_judge", "tests_pass", "weighted"]

Opinion = Verdict | bool | str | Finding | Sequence[str | Finding]
"""A judge's result: a verdict, True or False, or what is wrong. An empty list is a pass."""

Judge = Callable[[Execution], Opinion | Awaitable[Opinion]]
"""A function from an execution to an opinion; may be async."""

_UNJUDGEABLE = {
    Status.SYNTAX_ERROR: "the code was not run",
    Status.TEST_ERROR: "the tests themselves are broken",
    Status.INFRA_ERROR: "the code was not run",
}


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
    verdict = Verdict(
        execution=execution,
        label=label,
        score=execution.score,
        findings=execution_findings(execution),
        judge="tests",
        evidence=Evidence(
            origin="none" if tests is None else tests.origin, separation=execution.separation
        ),
    )
    return _reject_unjudgeable(verdict)


# pytest collects functions named test... from modules that import them; this one is no test.
vars(tests_pass)["__test__"] = False


async def apply_judge(judge: Judge, execution: Execution) -> Verdict:
    """Call a judge with an execution and return its opinion as a verdict.

    An execution that was not run, or whose record was tampered with, does not pass, whatever
    the judge returns.

    Raises:
        WiringError: the judge returned something else than an opinion, a score outside 0 to 1,
            or a verdict about another execution. The message names the judge.
    """
    opinion: Any = judge(execution)
    if inspect.isawaitable(opinion):
        opinion = await opinion
    name = getattr(judge, "__name__", type(judge).__name__)
    if isinstance(opinion, Verdict):
        if opinion.execution is not execution and opinion.execution != execution:
            raise WiringError(f"the judge {name} returned a verdict about another execution")
        return _reject_unjudgeable(opinion)
    findings = _as_findings(opinion, name)
    failed = any(finding.severity == "error" for finding in findings)
    verdict = Verdict(
        execution=execution,
        label="failed" if failed else "passed",
        score=0.0 if failed else 1.0,
        findings=findings,
        judge=name,
        evidence=Evidence(origin="review", separation=execution.separation),
    )
    return _reject_unjudgeable(verdict)


def _reject_unjudgeable(verdict: Verdict) -> Verdict:
    """Return a failed verdict instead of a pass of what was not run, or was tampered with."""
    execution = verdict.execution
    reason = _UNJUDGEABLE.get(execution.status)
    if execution.candidate.problem is not None:
        reason = _UNJUDGEABLE[Status.SYNTAX_ERROR]
    if execution.repeats is not None and not execution.key:
        reason = "it repeats a run whose evidence is missing"
    failure = execution.failure
    if failure is not None and failure.name == "Tampering":
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
        "None: does it have a return statement?"
        if opinion is None
        else repr(cast("Any", opinion))[:200]
    )
    raise WiringError(
        f"the judge {name} returned {returned}. Return a Verdict, True or False, or what is wrong: "
        "a text, a Finding, or a list of them, which is empty if nothing is wrong"
    )


class all_of(Configured):
    """A judge that passes if all judges pass.

    Its score is the lowest one. It has the findings of all judges.

    Args:
        judges: At least one judge.

    Raises:
        ValueError: there is no judge.
        WiringError: one of them is not callable.
    """

    def __init__(self, *judges: Judge) -> None:
        _require_judges("all_of", judges)
        self.judges = judges

    async def __call__(self, execution: Execution) -> Verdict:
        """Return the combined verdict of all judges."""
        verdicts = [await apply_judge(judge, execution) for judge in self.judges]
        labels = {verdict.label for verdict in verdicts}
        label: Label = "passed"
        if labels != {"passed"}:
            label = "failed" if "failed" in labels else "unverified"
        return _combine("all_of", execution, verdicts, label, min(_scores(verdicts), default=None))


class any_of(Configured):
    """A judge that passes if one of the judges passes.

    Its score is the highest one. It has the findings of all judges.

    Args:
        judges: At least one judge.
        outvote_tests: Whether another judge may pass an execution that failed its tests. False by
            default: failed tests fail the verdict.

    Raises:
        ValueError: there is no judge.
        WiringError: one of them is not callable.
    """

    def __init__(self, *judges: Judge, outvote_tests: bool = False) -> None:
        _require_judges("any_of", judges)
        self.judges = judges
        self.outvote_tests = outvote_tests

    async def __call__(self, execution: Execution) -> Verdict:
        """Return the combined verdict of all judges."""
        verdicts = [await apply_judge(judge, execution) for judge in self.judges]
        labels = {verdict.label for verdict in verdicts}
        label: Label = "failed"
        if labels != {"failed"}:
            label = "passed" if "passed" in labels else "unverified"
        if not self.outvote_tests and _tests_failed(verdicts):
            label = "failed"
        return _combine("any_of", execution, verdicts, label, max(_scores(verdicts), default=None))


class weighted(Configured):
    """A judge whose score is the weighted mean, and which passes at a threshold.

    A judge without evidence counts as 0, and makes a verdict that would pass "unverified".

    Args:
        judges: The judges with their weights, each more than 0.
        threshold: Score that passes: more than 0, at most 1; 1.0 by default.
        outvote_tests: Whether the other judges may pass an execution that failed its tests.
            False by default: failed tests fail the verdict.

    Raises:
        ValueError: there is no judge, a weight is not positive, or the threshold is out of range.
        WiringError: a judge is not callable.
    """

    def __init__(
        self,
        judges: Mapping[Judge, float],
        *,
        threshold: float = 1.0,
        outvote_tests: bool = False,
    ) -> None:
        _require_judges("weighted", judges)
        if not 0 < threshold <= 1 or any(not weight > 0 for weight in judges.values()):
            raise ValueError("weighted(): weights must be positive, the threshold within (0, 1]")
        self.judges = judges
        self.threshold = threshold
        self.outvote_tests = outvote_tests

    async def __call__(self, execution: Execution) -> Verdict:
        """Return the combined verdict of all judges."""
        verdicts = [await apply_judge(judge, execution) for judge in self.judges]
        weights = self.judges.values()
        total = sum(weights)
        score = sum(w * _score(v) for w, v in zip(weights, verdicts, strict=True)) / total
        label: Label = "passed" if score >= self.threshold - 1e-9 else "failed"
        labels = {verdict.label for verdict in verdicts}
        if labels == {"unverified"} or (label == "passed" and "unverified" in labels):
            label = "unverified"
        if not self.outvote_tests and _tests_failed(verdicts):
            label = "failed"
        return _combine("weighted", execution, verdicts, label, min(score, 1.0))


def _tests_failed(verdicts: Sequence[Verdict]) -> bool:
    on_tests = [v for v in verdicts if v.evidence.origin in ("user", "generated")]
    return any(verdict.label == "failed" for verdict in on_tests)


def _score(verdict: Verdict) -> float:
    return float(verdict.passed) if verdict.score is None else verdict.score


def _require_judges(name: str, judges: Sequence[Judge] | Mapping[Judge, float]) -> None:
    if not judges:
        raise ValueError(f"{name}() needs at least one judge")
    for judge in judges:
        if not callable(judge):
            raise WiringError(f"{name}({judge!r}): a judge is a function of an Execution")


def _scores(verdicts: Sequence[Verdict]) -> list[float]:
    return [verdict.score for verdict in verdicts if verdict.score is not None]


def _combine(
    name: str,
    execution: Execution,
    verdicts: Sequence[Verdict],
    label: Label,
    score: float | None,
) -> Verdict:
    agreeing = [verdict.evidence for verdict in verdicts if verdict.label == label]
    return Verdict(
        execution=execution,
        label=label,
        score=score,
        findings=tuple(finding for verdict in verdicts for finding in verdict.findings),
        judge=f"{name}({', '.join(verdict.judge for verdict in verdicts)})",
        evidence=max(agreeing or [verdict.evidence for verdict in verdicts]),
    )
