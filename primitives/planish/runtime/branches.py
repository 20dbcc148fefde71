"""One branch of several, run to its end whatever it is. Used by all that has branches."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from opentelemetry.trace import get_current_span
from opentelemetry.util.types import AttributeValue

from planish.context.ledger import ledger_scope
from planish.context.scope import current
from planish.data.events import BranchEnded
from planish.data.report import Branch, BranchOutcome, Report
from planish.data.usage import Usage
from planish.errors import BudgetExceededError, attach_report, report_of
from planish.runtime.outcomes import best_index, join, selected_index
from planish.runtime.primitive import Primitive
from planish.telemetry import names
from planish.telemetry.emit import emit
from planish.telemetry.spans import section

__all__ = ["BranchResult", "merge_results", "run_branch", "unwrap_single_exception"]

Out = TypeVar("Out")


@dataclass(slots=True)
class BranchResult(Generic[Out]):
    """How a branch ended; filled in by `run_branch`.

    Attributes:
        name: The branch as it prints.
        outcome: What it gave.
        how: How it ended; "cancelled" until it has.
        error: What it raised.
        salvaged: What it had reached when it was stopped or raised.
    """

    name: str
    outcome: Out | None = None
    ending: BranchOutcome = "cancelled"
    error: Exception | None = None
    partial_report: Report | None = None

    @property
    def has_outcome(self) -> bool:
        """It ended with an outcome."""
        return self.ending in ("won", "lost")

    @property
    def passed(self) -> bool:
        """It gave an outcome, and that passed; one that cannot say counts as passed."""
        return self.has_outcome and bool(getattr(self.outcome, "passed", True))


async def run_branch(
    parent_name: str,
    step: Primitive[Any, Out],
    value: Any,
    results: Sequence[BranchResult[Out]],
    index: int,
    *,
    first: bool = False,
) -> bool:
    """Run a branch and fill in its result; only being cancelled is passed on.

    Args:
        parent_name: What the branch belongs to, for paths: "Race".
        step: The branch.
        value: Its input.
        results: Where to put what came of it, at `index`.
        index: Which branch it is, from 0.
        first: The first branch to pass has won, and this call says so.

    Returns:
        It has won.
    """
    result = results[index]
    outer = current()
    path = f"{outer.path}/{parent_name}[{index}]" if outer.path else f"{parent_name}[{index}]"
    attributes: dict[str, AttributeValue] = {
        names.BRANCH: index,
        names.BRANCH_COUNT: len(results),
        names.PATH: path,
    }
    with section("planish.branch", attributes) as span, ledger_scope(path=path) as ledger:
        try:
            result.outcome = await step.run(value)
            result.ending = "lost"
            if first and result.passed and not any(other.ending == "won" for other in results):
                result.ending = "won"
        except Exception as error:  # noqa: BLE001 - a branch may fail in any way; it is kept
            result.error, result.ending = error, "failed"
            result.partial_report = ledger.partial_report("error") or report_of(error)
        except BaseException:
            result.partial_report = ledger.partial_report("cancelled")
            raise
        finally:
            # Which of several has won is not known yet, where the first does not win.
            if first or result.ending != "lost":
                span.set_attribute(names.BRANCH_OUTCOME, result.ending)
    if outer.ledger is not None:
        # The others still run: should they be cut short, this one is not lost with them.
        outer.ledger.record(result.outcome if result.has_outcome else result.partial_report)
    return result.ending == "won"


def _emit_endings(results: Sequence[BranchResult[Any]]) -> None:
    """Say how each branch ended, to those who listen."""
    scope = current()
    if not scope.unobserved:
        for result in results:
            emit(
                BranchEnded(
                    name=result.name, outcome=result.ending, path=scope.path, attempt=scope.attempt
                )
            )


def merge_results(
    results: Sequence[BranchResult[Out]], *, winner: int | None, stop_reason: str, usage: Usage
) -> Out:
    """One outcome of all branches: every outcome is kept, one is taken.

    Args:
        results: The branches, all ended.
        winner: The branch to take; None for the best.
        stop_reason: Why it ended.
        usage: What all branches used.

    Raises:
        Exception: no branch gave an outcome: what the first of them raised, with a report of
            all that was reached.
    """
    if winner is not None:
        results[winner].ending = "won"
        if current().tracer is not None:
            get_current_span().set_attribute(names.BRANCH_WINNER, winner)
    if stop_reason == "all_failed" and any(map(_cut_by_budget, results)):
        stop_reason = "budget"
    _emit_endings(results)
    given = [(i, s.outcome) for i, s in enumerate(results) if s.has_outcome]
    branches = [
        Branch(name=s.name, outcome=s.ending, error=None if s.error is None else repr(s.error))
        for s in results
    ]
    if not given:
        raise _failure(results, branches, usage)
    outcomes: list[Any] = [outcome for _, outcome in given]
    branch_of_report = [index for index, _ in given]
    if isinstance(outcomes[0], Report):
        for index, result in enumerate(results):
            if not result.has_outcome and result.partial_report is not None:
                outcomes.append(result.partial_report)
                branch_of_report.append(index)
    # A branch that raised after it had passed has not passed: something was still to come.
    fair = [
        i
        for i, o in enumerate(outcomes)
        if results[branch_of_report[i]].has_outcome or not o.passed
    ]
    selected = (
        fair[best_index([outcomes[i] for i in fair])]
        if winner is None
        else branch_of_report.index(winner)
    )
    joined: Out = join(
        outcomes,
        stop_reason=stop_reason,
        usage=usage,
        branches=branches,
        branch_of_report=branch_of_report,
        selected=selected,
    )
    return joined


def _cut_by_budget(result: BranchResult[Any]) -> bool:
    reason = getattr(result.outcome, "stop_reason", None)
    return isinstance(result.error, BudgetExceededError) or (
        reason == "budget" and not result.passed
    )


def _failure(
    results: Sequence[BranchResult[Any]], branches: Sequence[Branch], usage: Usage
) -> Exception:
    errors = [result.error for result in results if result.error is not None]
    salvaged = [
        (i, s.partial_report) for i, s in enumerate(results) if s.partial_report is not None
    ]
    first = errors[0]
    for other in errors[1:]:
        first.add_note(f"another branch raised {other!r}")
    if salvaged:
        report = Report.join(
            [report for _, report in salvaged],
            stop_reason="error",
            usage=usage,
            branches=branches,
            branch_of_report=[index for index, _ in salvaged],
            selected=selected_index([report for _, report in salvaged]),
        )
        attach_report(first, report)
        ledger = current().ledger
        if ledger is not None:
            ledger.record(report)  # it tells of the branches also
    return first


@contextmanager
def unwrap_single_exception() -> Generator[None]:
    """Around a task group: an exception that is alone in its group is raised as it is."""
    try:
        yield
    except BaseExceptionGroup as group:
        first, *others = group.exceptions
        if others:
            raise
        raise first from first.__cause__
