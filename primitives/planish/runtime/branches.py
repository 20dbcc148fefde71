"""Run one branch of several to its end, and merge the results of all branches."""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import anyio
from opentelemetry.trace import get_current_span
from opentelemetry.util.types import AttributeValue

from planish.context.ledger import Ledger, ledger_scope
from planish.context.path import current_path, format_path, path_scope
from planish.context.scope import current
from planish.data.attempt import Branch
from planish.data.events import BranchEnded
from planish.data.report import Report
from planish.data.usage import Usage
from planish.errors import BudgetExceededError, Suspended, attach_report, report_of
from planish.runtime.branch_result import BranchNames, BranchResult
from planish.runtime.naming import segment_of
from planish.runtime.outcomes import best_index, join, selected_index
from planish.runtime.primitive import Primitive
from planish.telemetry import names
from planish.telemetry.logs import emit, noting_listener_errors
from planish.telemetry.metrics import instruments
from planish.telemetry.spans import span_scope

__all__ = [
    "BranchNames",
    "BranchResult",
    "merge_results",
    "recording_branches",
    "run_branch",
    "unwrap_single_exception",
]

Out = TypeVar("Out")


async def run_branch(
    parent_name: str,
    step: Primitive[Any, Out],
    value: Any,
    results: Sequence[BranchResult[Out]],
    index: int,
    *,
    first: bool = False,
    cause: str | None = None,
) -> bool:
    """Run a branch and fill in its result. Raise nothing but cancellation.

    Args:
        parent_name: What paths call the combinator: "Race", or its name.
        step: The branch.
        value: Its input.
        results: The results of all branches; this call fills in the one at `index`.
        index: The branch's index, from 0.
        first: The first branch that passes wins, as in a race.
        cause: Why attempts are made in it; see `Attempt.cause`. None (the default) for the reason
            for which the combinator runs.

    Returns:
        Whether this branch won.
    """
    result = results[index]
    outer = current()
    result.path = (*current_path(), segment_of(parent_name, index, step))
    attributes: dict[str, AttributeValue] = {
        names.BRANCH: index,
        names.BRANCH_COUNT: len(results),
        names.PATH: format_path(result.path),
    }
    with (
        path_scope(result.path[-1]),
        span_scope("planish.branch", attributes) as span,
        ledger_scope(cause) as ledger,
    ):
        result.started, begun = time.time(), outer.clock.now()
        try:
            result.outcome = _completed(await step.run(value), ledger)
            result.ending = "lost"
            beaten = result.beaten or any(other.ending == "won" for other in results)
            if first and result.passed and not beaten:
                result.ending = "won"
        except Exception as error:  # noqa: BLE001 - a branch may fail in any way; it is recorded
            result.error, result.ending = error, "failed"
            result.partial_report = ledger.partial_report("error") or report_of(error)
        except Suspended as suspended:  # its siblings go on
            result.suspended = suspended
            result.partial_report = ledger.partial_report("suspended")
        except BaseException:
            result.partial_report = ledger.partial_report("cancelled")
            raise
        finally:
            result.usage, result.seconds = ledger.usage, outer.clock.now() - begun
            if not result.has_outcome:
                ledger.abandon()
            # Without `first`, which branch wins is decided only after all have ended.
            if first or result.ending != "lost":
                span.set_attribute(names.BRANCH_OUTCOME, result.ending)
    if outer.ledger is not None:
        # The other branches still run: if they are cut short, this result must not be lost.
        outer.ledger.record(result.outcome if result.has_outcome else result.partial_report)
    return result.ending == "won"


def _completed(outcome: Out, ledger: Ledger) -> Out:
    return cast("Out", ledger.complete(outcome)) if isinstance(outcome, Report) else outcome


def _emit_endings(results: Sequence[BranchResult[Any]]) -> None:
    scope = current()
    if not scope.unobserved:
        for result in results:
            instruments(scope).branches.add(1, {names.BRANCH_OUTCOME: result.ending})
            emit(
                BranchEnded(
                    name=result.name,
                    outcome=result.ending,
                    path=current_path(),
                    attempt=scope.attempt,
                )
            )


def merge_results(
    results: Sequence[BranchResult[Out]], *, winner: int | None, stop_reason: str, usage: Usage
) -> Out:
    """Merge the outcomes of all branches into one; one of them is selected as the best.

    Args:
        results: The branches' results, after all have ended.
        winner: Index of the branch to select; None for the best one.
        stop_reason: The report's stop reason. "all_failed" becomes "budget" if a budget ended a
            branch.
        usage: What all branches used.

    Raises:
        Exception: every branch raised: the first of their errors, with the others as notes, and
            with a report of all that was reached.
    """
    if winner is not None:
        results[winner].ending = "won"
        if current().tracer is not None:
            get_current_span().set_attribute(names.BRANCH_WINNER, winner)
    if stop_reason == "all_failed" and any(map(_ended_by_budget, results)):
        stop_reason = "budget"
    branches = _branches_of(results)
    with_outcome = [index for index, result in enumerate(results) if result.has_outcome]
    if not with_outcome:
        error = _first_error(results, branches, usage)
        with noting_listener_errors(error):
            _emit_endings(results)
        raise error
    _emit_endings(results)
    outcomes: list[Any] = [results[index].outcome for index in with_outcome]
    branch_of_report = list(with_outcome)
    if isinstance(outcomes[0], Report):
        for index, result in enumerate(results):
            if not result.has_outcome and result.partial_report is not None:
                outcomes.append(result.partial_report)
                branch_of_report.append(index)
    # A partial report that passed is not eligible: a later step of that branch failed.
    eligible = [
        i
        for i, outcome in enumerate(outcomes)
        if results[branch_of_report[i]].has_outcome or not outcome.passed
    ]
    selected = (
        eligible[best_index([outcomes[i] for i in eligible])]
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


def _branches_of(results: Sequence[BranchResult[Any]]) -> list[Branch]:
    return [result.branch() for result in results]


@contextmanager
def recording_branches(results: Sequence[BranchResult[Any]], ledger: Ledger) -> Generator[None]:
    """Record how the branches ended if a `with` block around them is cut short.

    Then there is no outcome, and the report of the run is made of the ledger.

    Args:
        results: The results of the branches, which run in the block.
        ledger: Where to record.
    """
    try:
        yield
    except BaseException:
        each = ((index, _report_of_branch(result)) for index, result in enumerate(results))
        reports = [(index, report) for index, report in each if report is not None]
        if reports:
            ledger.record(_join_reports(reports, _branches_of(results), ledger.usage, "cancelled"))
        raise


def _report_of_branch(result: BranchResult[Any]) -> Report | None:
    return result.outcome if isinstance(result.outcome, Report) else result.partial_report


def _join_reports(
    reports: Sequence[tuple[int, Report]],
    branches: Sequence[Branch],
    usage: Usage,
    stop_reason: str,
) -> Report:
    """Join reports, each with the index of its branch."""
    return Report.join(
        [report for _, report in reports],
        stop_reason=stop_reason,
        usage=usage,
        branches=branches,
        branch_of_report=[index for index, _ in reports],
        selected=selected_index([report for _, report in reports]),
    )


def _ended_by_budget(result: BranchResult[Any]) -> bool:
    reason = getattr(result.outcome, "stop_reason", None)
    return isinstance(result.error, BudgetExceededError) or (
        reason == "budget" and not result.passed
    )


def _first_error(
    results: Sequence[BranchResult[Any]], branches: Sequence[Branch], usage: Usage
) -> Exception:
    errors = [result.error for result in results if result.error is not None]
    partial_reports = [
        (i, r.partial_report) for i, r in enumerate(results) if r.partial_report is not None
    ]
    first = errors[0]
    for other in errors[1:]:
        first.add_note(f"another branch raised {other!r}")
    if partial_reports:
        report = _join_reports(partial_reports, branches, usage, "error")
        attach_report(first, report)
        ledger = current().ledger
        if ledger is not None:
            # It replaces the branches' own entries: only this report lists the branches.
            ledger.record(report)
    return first


@contextmanager
def unwrap_single_exception() -> Generator[None]:
    """Raise the only exception of an exception group itself, for use around a task group.

    Of several that are no `Exception`, such as the KeyboardInterrupt of two branches, it is the
    first, with the others as notes.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        own, several = list(group.exceptions), len(group.exceptions) > 1
        if several:
            # On trio the cancellation of the other branches may be in the group too.
            cancelled = anyio.get_cancelled_exc_class()
            own = [error for error in own if not isinstance(error, cancelled)]
        if not own or (several and group.split(Exception)[0] is not None):
            raise
        first = own[0]
        for other in own[1:]:
            first.add_note(f"another branch raised {other!r}")
        raise first from first.__cause__
