"""One branch of several, run to its end whatever it is. Used by all that has branches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from opentelemetry.trace import get_current_span
from opentelemetry.util.types import AttributeValue

from planish.context.books import keeping
from planish.context.scope import current
from planish.data.events import BranchEnded
from planish.data.report import Branch, BranchOutcome, Report
from planish.data.usage import Usage
from planish.errors import BudgetExceededError, keep_report, report_of
from planish.runtime.outcomes import best, join, picked
from planish.runtime.primitive import Primitive
from planish.telemetry import names
from planish.telemetry.emit import emit
from planish.telemetry.spans import section

__all__ = ["Settled", "put_together", "settle"]

Out = TypeVar("Out")


@dataclass(slots=True)
class Settled(Generic[Out]):
    """How a branch ended; filled in by `settle`.

    Attributes:
        name: The branch as it prints.
        outcome: What it gave.
        how: How it ended; "cancelled" until it has.
        error: What it raised.
        salvaged: What it had reached when it was stopped or raised.
    """

    name: str
    outcome: Out | None = None
    how: BranchOutcome = "cancelled"
    error: Exception | None = None
    salvaged: Report | None = None

    @property
    def given(self) -> bool:
        """It ended with an outcome."""
        return self.how in ("won", "lost")

    @property
    def passed(self) -> bool:
        """It gave an outcome, and that passed; one that cannot say counts as passed."""
        return self.given and bool(getattr(self.outcome, "passed", True))


async def settle(
    holder: str,
    step: Primitive[Any, Out],
    value: Any,
    slots: Sequence[Settled[Out]],
    index: int,
    *,
    first: bool = False,
) -> bool:
    """Run a branch and fill in its slot; only being cancelled is passed on.

    Args:
        holder: What the branch belongs to, for paths: "Race".
        step: The branch.
        value: Its input.
        slots: Where to put what came of it, at `index`.
        index: Which branch it is, from 0.
        first: The first branch to pass has won, and this call says so.

    Returns:
        It has won.
    """
    slot = slots[index]
    around = current()
    path = f"{around.path}/{holder}[{index}]" if around.path else f"{holder}[{index}]"
    attributes: dict[str, AttributeValue] = {
        names.BRANCH: index,
        names.BRANCH_COUNT: len(slots),
        names.PATH: path,
    }
    with section("planish.branch", attributes) as span, keeping(path=path) as book:
        try:
            slot.outcome = await step.run(value)
            slot.how = "lost"
            if first and slot.passed and not any(other.how == "won" for other in slots):
                slot.how = "won"
        except Exception as error:  # noqa: BLE001 - a branch may fail in any way; it is kept
            slot.error, slot.how = error, "failed"
            slot.salvaged = book.salvage("error") or report_of(error)
        except BaseException:
            slot.salvaged = book.salvage("cancelled")
            raise
        finally:
            # Which of several has won is not known yet, where the first does not win.
            if first or slot.how != "lost":
                span.set_attribute(names.BRANCH_OUTCOME, slot.how)
    if around.ledger is not None:
        # The others still run: should they be cut short, this one is not lost with them.
        around.ledger.note(slot.outcome if slot.given else slot.salvaged)
    return slot.how == "won"


def _tell(slots: Sequence[Settled[Any]]) -> None:
    """Say how each branch ended, to those who listen."""
    scope = current()
    if not scope.quiet:
        for slot in slots:
            emit(
                BranchEnded(
                    name=slot.name, outcome=slot.how, path=scope.path, attempt=scope.attempt
                )
            )


def put_together(
    slots: Sequence[Settled[Out]], *, winner: int | None, stop_reason: str, usage: Usage
) -> Out:
    """One outcome of all branches: every outcome is kept, one is taken.

    Args:
        slots: The branches, all ended.
        winner: The branch to take; None for the best.
        stop_reason: Why it ended.
        usage: What all branches used.

    Raises:
        Exception: no branch gave an outcome: what the first of them raised, with a report of
            all that was reached.
    """
    if winner is not None:
        slots[winner].how = "won"
        if current().tracer is not None:
            get_current_span().set_attribute(names.BRANCH_WINNER, winner)
    if stop_reason == "all_failed" and any(map(_cut_by_budget, slots)):
        stop_reason = "budget"
    _tell(slots)
    given = [(i, s.outcome) for i, s in enumerate(slots) if s.given]
    branches = [
        Branch(name=s.name, outcome=s.how, error=None if s.error is None else repr(s.error))
        for s in slots
    ]
    if not given:
        raise _failure(slots, branches, usage)
    outcomes: list[Any] = [outcome for _, outcome in given]
    owners = [index for index, _ in given]
    if isinstance(outcomes[0], Report):
        for index, slot in enumerate(slots):
            if not slot.given and slot.salvaged is not None:
                outcomes.append(slot.salvaged)
                owners.append(index)
    # A branch that raised after it had passed has not passed: something was still to come.
    fair = [i for i, o in enumerate(outcomes) if slots[owners[i]].given or not o.passed]
    chosen = fair[best([outcomes[i] for i in fair])] if winner is None else owners.index(winner)
    joined: Out = join(
        outcomes,
        stop_reason=stop_reason,
        usage=usage,
        branches=branches,
        owners=owners,
        chosen=chosen,
    )
    return joined


def _cut_by_budget(slot: Settled[Any]) -> bool:
    reason = getattr(slot.outcome, "stop_reason", None)
    return isinstance(slot.error, BudgetExceededError) or (reason == "budget" and not slot.passed)


def _failure(slots: Sequence[Settled[Any]], branches: Sequence[Branch], usage: Usage) -> Exception:
    errors = [slot.error for slot in slots if slot.error is not None]
    salvaged = [(i, s.salvaged) for i, s in enumerate(slots) if s.salvaged is not None]
    first = errors[0]
    for other in errors[1:]:
        first.add_note(f"another branch raised {other!r}")
    if salvaged:
        report = Report.join(
            [report for _, report in salvaged],
            stop_reason="error",
            usage=usage,
            branches=branches,
            owners=[index for index, _ in salvaged],
            chosen=picked([report for _, report in salvaged]),
        )
        keep_report(first, report)
        ledger = current().ledger
        if ledger is not None:
            ledger.note(report)  # it tells of the branches also
    return first
