"""How a recorded program ended, in one word."""

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
"""A pass, or what went wrong first. The classes are those of the recordings."""

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
    """The class of an attempt that was really run; a repeat says only that it failed."""
    return "pass" if attempt.passed else _failure_class(attempt.execution)


def _failure_class(execution: Execution) -> ProgramOutcome:
    known = _BY_STATUS.get(execution.status)
    if known is not None:
        return known
    name = execution.failure.name if execution.failure else "AssertionError"
    return _BY_NAME.get(name, "other-exc")


@dataclass(frozen=True, slots=True)
class GateResult:
    """What a loop did that saw only some of the tests.

    Attributes:
        accepted: The attempt it stopped at because it passed, from 1; None when none did.
        calls: How many replies it asked for.
    """

    accepted_at: int | None
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesResult:
    """What came of one series.

    Attributes:
        series: What was recorded.
        endings: How each reply's program ended on all the tests, also those that the loop no
            longer asked for.
        full: The loop that was stopped by all the tests.
        visible: The loop that was stopped by the visible ones; None where there are none.
        lost: What was raised instead of an ending, for each sample that has none.
    """

    series: Series
    outcomes: tuple[ProgramOutcome, ...]
    full: GateResult
    visible: GateResult | None = None
    errors: tuple[str, ...] = ()

    @property
    def passes(self) -> int:
        """How many of the replies are right."""
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
        PlanishError: the world or the recording is broken; says nothing of the replies.
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
    # A sample that was cut short stands in the history too; it is no ending.
    ended = (one for one in report.history if one.status is not Status.INFRA_ERROR)
    return SeriesResult(
        series=series,
        outcomes=tuple(outcome_of(one) for one in ended),
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
