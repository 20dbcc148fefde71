"""Replay one recorded series through the real loop, and classify how its programs ended."""

from dataclasses import dataclass
from typing import Literal

from planish import (
    BestOf,
    Candidate,
    CodeGenerator,
    Execution,
    Primitive,
    Report,
    Retry,
    Task,
    Validator,
)
from planish.data import Attempt, Status
from planish.testing.replay import ReplayModel
from planish_integrations.evaluation._series import Run, Series

__all__ = ["GateResult", "ProgramOutcome", "SeriesResult", "outcome_of", "replay_series"]

ProgramOutcome = Literal[
    "pass",
    "syntax",
    "name/import",
    "assertion",
    "other-exc",
    "resource",
    "timeout",
    "early-exit",
    "crash",
]
"""A pass, or the first failure. The classes are those of the recordings."""

_BY_STATUS: dict[Status, ProgramOutcome] = {
    Status.SYNTAX_ERROR: "syntax",
    Status.TIMEOUT: "timeout",
    Status.RESOURCE_LIMIT: "resource",
}
_BY_NAME: dict[str, ProgramOutcome] = {
    "AssertionError": "assertion",
    "EarlyExit": "early-exit",
    "ImportError": "name/import",
    "IndentationError": "syntax",
    "Killed": "crash",
    "ModuleNotFoundError": "name/import",
    "NameError": "name/import",
    "SyntaxError": "syntax",
    "SystemExit": "early-exit",
    "TabError": "syntax",
    "UnboundLocalError": "name/import",
}


def outcome_of(attempt: Attempt) -> ProgramOutcome:
    """Return the outcome of an attempt that was executed; repeats of earlier ones have none."""
    return "pass" if attempt.passed else _failure_class(attempt.execution)


def _failure_class(execution: Execution) -> ProgramOutcome:
    outcome = _BY_STATUS.get(execution.status)
    if outcome is not None:
        return outcome
    name = execution.failure.name if execution.failure else "AssertionError"
    return _BY_NAME.get(name, "other-exc")


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of a loop that is stopped by some tests.

    Attributes:
        accepted_at: The attempt that passed and stopped it, from 1; None if none passed.
        calls: How many replies it requested.
    """

    accepted_at: int | None
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesResult:
    """The result of one series.

    Attributes:
        series: The recorded series.
        outcomes: The outcome of each reply's program on all tests, including replies that the
            loop no longer requested.
        full: The loop that is stopped by all tests.
        visible: The loop that is stopped by the visible tests; None if there are none.
        errors: The error of each sample that has no outcome because of one.
    """

    series: Series
    outcomes: tuple[ProgramOutcome, ...]
    full: GateResult
    visible: GateResult | None = None
    errors: tuple[str, ...] = ()

    @property
    def passes(self) -> int:
        """How many of the replies are correct."""
        return self.outcomes.count("pass")


async def replay_series(
    run: Run, series: Series, execution: Primitive[Candidate, Execution], *, concurrency: int
) -> SeriesResult:
    """Replay one series: a loop over its attempts, or the best of its samples.

    Args:
        run: The run it belongs to.
        series: The recorded replies to one problem.
        execution: Runs candidates.
        concurrency: Samples run at once.

    Raises:
        PlanishError: an infrastructure error or an invalid recording; not a failure of the replies.
    """
    generate = CodeGenerator(
        ReplayModel({series.problem.key: series.replies}, sequence=run.sequence, name=run.name),
        extract=series.extract,
    )
    attempt = generate >> execution >> Validator()
    if run.sequence == "independent":
        return await _samples(series, attempt, concurrency)
    return await _loops(series, attempt, execution >> Validator())


async def _samples(
    series: Series, attempt: Primitive[Task, Report], concurrency: int
) -> SeriesResult:
    best = BestOf(attempt, n=len(series.replies), concurrency=concurrency)
    report = await best.run(series.graded_problem.task())
    # The history also contains samples that an infrastructure error ended.
    completed = (one for one in report.history if one.status is not Status.INFRA_ERROR)
    return SeriesResult(
        series=series,
        outcomes=tuple(outcome_of(one) for one in completed),
        full=GateResult(None, report.usage.model_calls),
        errors=tuple(branch.error for branch in report.branches if branch.error is not None),
    )


async def _loops(
    series: Series, attempt: Primitive[Task, Report], judge: Primitive[Candidate, Report]
) -> SeriesResult:
    loop = Retry(attempt, attempts=len(series.replies))
    task = series.graded_problem.task()
    report = await loop.run(task)
    endings = _outcomes(report)
    for text in series.replies[len(endings) :]:
        found = series.extract(text, task)
        candidate = Candidate(task=task, code=found.code, problem=found.problem)
        endings += _outcomes(await judge.run(candidate))
    visible = None
    if series.problem.visible_tests:
        visible = _gate(await loop.run(series.graded_problem.visible_task()))
    return SeriesResult(series=series, outcomes=tuple(endings), full=_gate(report), visible=visible)


def _gate(report: Report) -> GateResult:
    return GateResult(report.attempts if report.passed else None, report.usage.model_calls)


def _outcomes(report: Report) -> list[ProgramOutcome]:
    endings: list[ProgramOutcome] = []
    for attempt in report.history:
        earlier = attempt.execution.repeats
        endings.append(outcome_of(attempt) if earlier is None else endings[earlier - 1])
    return endings
