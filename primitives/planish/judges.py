"""Judges: from evidence to a verdict. A plain function is one where that suffices."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from planish.data.execution import Execution, TestResult
from planish.data.status import Status
from planish.data.verdict import Finding, Label, Verdict
from planish.errors import WiringError

__all__ = ["Judge", "Opinion", "all_of", "any_of", "judged", "tests_pass", "weighted"]

Opinion = Verdict | bool | str | Finding | Sequence[str | Finding] | None
"""A verdict, yes or no, or what is wrong: nothing wrong is a pass."""

Judge = Callable[[Execution], Opinion | Awaitable[Opinion]]
"""Says what it thinks of an execution."""


def tests_pass(execution: Execution) -> Verdict:
    """The default judge: every expected test ran and passed.

    Without tests nothing is known: the verdict is "unverified", or "failed" when the program
    itself failed.
    """
    label: Label = "failed"
    all_passed = all(test.status == "passed" for test in execution.tests)
    if execution.repeats is None and execution.status is Status.SUCCESS and all_passed:
        label = "passed" if execution.tests else "unverified"
    tests = execution.candidate.task.tests
    return Verdict(
        execution=execution,
        label=label,
        score=execution.score,
        findings=_findings(execution),
        judge="tests",
        evidence="none" if tests is None else f"{tests.origin} tests",
    )


# pytest collects functions called test...; where it is imported, this one is a judge.
vars(tests_pass)["__test__"] = False


def _findings(execution: Execution) -> tuple[Finding, ...]:
    if execution.repeats is not None:
        return (
            Finding(
                message=f"the code is the same as in attempt {execution.repeats}, which failed",
                fix="change the code: the same code fails the same way",
            ),
        )
    wrong = [test for test in execution.tests if test.status in ("failed", "error")]
    found = [
        Finding(message=_message(test), test=test.name, expected=test.expected, actual=test.actual)
        for test in wrong
    ]
    failure = execution.failure
    if failure is not None and not found:
        where = f" (line {failure.line}: {failure.text.strip()})" if failure.line else ""
        found.append(Finding(message=f"{failure.name}: {failure.message}{where}"))
    missed = [test.name for test in execution.tests if test.status == "not_run"]
    if missed and execution.failure is None:
        found.append(Finding(message=f"{len(missed)} tests did not run: {', '.join(missed[:5])}"))
    found += (Finding(message=text, severity="warning") for text in execution.findings)
    return tuple(found)


def _message(test: TestResult) -> str:
    if test.message:
        return test.message
    return "it gave the wrong value" if test.status == "failed" else "it raised"


async def judged(judge: Judge, execution: Execution) -> Verdict:
    """What a judge says, as a verdict."""
    opinion: Any = judge(execution)
    if inspect.isawaitable(opinion):
        opinion = await opinion
    if isinstance(opinion, Verdict):
        return opinion
    name = getattr(judge, "__name__", type(judge).__name__)
    findings = _as_findings(opinion, name)
    failed = any(finding.severity == "error" for finding in findings)
    return Verdict(
        execution=execution,
        label="failed" if failed else "passed",
        score=0.0 if failed else 1.0,
        findings=findings,
        judge=name,
        evidence="opinion",
    )


def _as_findings(opinion: Any, name: str) -> tuple[Finding, ...]:
    match opinion:
        case None | True:
            return ()
        case False:
            return (Finding(message=f"{name} says no"),)
        case str():
            return (Finding(message=opinion),)
        case Finding():
            return (opinion,)
        case Iterable():
            found = cast("Iterable[str | Finding]", opinion)
            return tuple(one if isinstance(one, Finding) else Finding(message=one) for one in found)
        case _:
            raise WiringError(
                f"the judge {name} gave {opinion!r}: a judge gives a verdict, yes or no, or what "
                "is wrong"
            )


def all_of(*judges: Judge) -> Judge:
    """Passed when all pass; the score is the lowest; the findings of all are kept."""
    _some("all_of", judges)

    async def all_judges(execution: Execution) -> Verdict:
        verdicts = [await judged(judge, execution) for judge in judges]
        labels = {verdict.label for verdict in verdicts}
        label: Label = "passed"
        if labels != {"passed"}:
            label = "failed" if "failed" in labels else "unverified"
        return _combined("all_of", execution, verdicts, label, min(_scores(verdicts), default=None))

    return all_judges


def any_of(*judges: Judge) -> Judge:
    """Passed when one passes; the score is the highest; the findings of all are kept."""
    _some("any_of", judges)

    async def any_judge(execution: Execution) -> Verdict:
        verdicts = [await judged(judge, execution) for judge in judges]
        labels = {verdict.label for verdict in verdicts}
        label: Label = "failed"
        if labels != {"failed"}:
            label = "passed" if "passed" in labels else "unverified"
        return _combined("any_of", execution, verdicts, label, max(_scores(verdicts), default=None))

    return any_judge


def weighted(judges: Mapping[Judge, float], *, threshold: float = 1.0) -> Judge:
    """The score is the weighted mean; passed when it reaches the threshold.

    A judge that has no evidence counts as 0.

    Args:
        judges: Each with its weight; more than 0.
        threshold: Between 0 and 1; 1.0 by default.

    Raises:
        ValueError: there is no judge, a weight is not positive, or the threshold is out of range.
    """
    _some("weighted", judges)
    if not 0 < threshold <= 1 or any(not weight > 0 for weight in judges.values()):
        raise ValueError("weighted(): weights must be positive, the threshold within (0, 1]")
    total = sum(judges.values())

    async def weighted_judges(execution: Execution) -> Verdict:
        verdicts = [await judged(judge, execution) for judge in judges]
        weights = judges.values()
        score = sum(w * _worth(v) for w, v in zip(weights, verdicts, strict=True)) / total
        label: Label = "passed" if score >= threshold - 1e-9 else "failed"
        if all(verdict.label == "unverified" for verdict in verdicts):
            label = "unverified"
        return _combined("weighted", execution, verdicts, label, score)

    return weighted_judges


def _worth(verdict: Verdict) -> float:
    return float(verdict.passed) if verdict.score is None else verdict.score


def _some(name: str, judges: Sequence[Judge] | Mapping[Judge, float]) -> None:
    if not judges:
        raise ValueError(f"{name}() needs at least one judge")
    for judge in judges:
        if not callable(judge):
            raise WiringError(f"{name}({judge!r}): a judge is a function of an Execution")


def _scores(verdicts: Sequence[Verdict]) -> list[float]:
    return [verdict.score for verdict in verdicts if verdict.score is not None]


def _combined(
    name: str,
    execution: Execution,
    verdicts: Sequence[Verdict],
    label: Label,
    score: float | None,
) -> Verdict:
    kinds = sorted({verdict.evidence for verdict in verdicts} - {"none"})
    return Verdict(
        execution=execution,
        label=label,
        score=score,
        findings=tuple(finding for verdict in verdicts for finding in verdict.findings),
        judge=f"{name}({', '.join(verdict.judge for verdict in verdicts)})",
        evidence=" and ".join(kinds) or "none",
    )
