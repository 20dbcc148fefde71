"""What a run has paid for so far, so that nothing is lost when it is cut short.

Values flow along `>>`; a step that raises, or is cancelled, has no value to give. The ledger
keeps what was reached until then: it is read only to salvage a report and to add up usage.
"""

from collections.abc import Sequence
from contextvars import Token
from dataclasses import replace
from types import TracebackType
from typing import Any

from planish.context.scope import Scope, current, enter, leave
from planish.data.candidate import Candidate
from planish.data.execution import Execution, Failure
from planish.data.report import Attempt, Report
from planish.data.status import Status
from planish.data.task import Task
from planish.data.usage import Usage
from planish.data.verdict import Finding, Verdict

__all__ = ["Ledger", "Record", "empty_report", "ledger_scope", "returns_report"]

Record = Candidate | Execution | Report

_NOTES = (Candidate, Execution, Report)  # asked of every step's result: quicker than a union


class Ledger:
    """What was reached and spent within one run, attempt or branch."""

    __slots__ = ("_holders", "_notes", "_parent", "usage")

    def __init__(self, parent: "Ledger | None" = None) -> None:
        self._parent = parent
        # By identity: the notes keep what they hold alive, so no id is given twice.
        self._notes: dict[int, Record] = {}
        self._holders: dict[int, int] = {}
        self.usage: Usage = Usage()

    def spend(self, usage: Usage) -> None:
        """Add usage, here and in all ledgers around this one."""
        book: Ledger | None = self
        while book is not None:
            book.usage += usage
            book = book._parent  # noqa: SLF001 - its own kind

    def record(self, value: object) -> None:
        """Remember a value; it takes the place of those it holds. Others are not kept."""
        if not isinstance(value, _NOTES):
            return
        held = _candidate_ids(value)
        if not held:  # the report of a run that reached nothing
            return
        for key in {self._holders[one] for one in held if one in self._holders}:
            if held.issuperset(_candidate_ids(self._notes[key])):
                del self._notes[key]
        self._notes[id(value)] = value
        self._holders.update(dict.fromkeys(held, id(value)))

    def merge_into_parent(self) -> None:
        """Give all notes to the ledger around this one: this part will have no result."""
        if self._parent is not None:
            for value in self._notes.values():
                self._parent.record(value)

    def partial_report(self, stop_reason: str) -> Report | None:
        """A report of all that was reached; None when nothing was."""
        reports = [_report(note) for note in self._notes.values()]
        if not reports:
            return None
        best = max(range(len(reports)), key=lambda index: (_rank(reports[index]), -index))
        # What a scorer or a race picked stays picked.
        selected = best if any(report.selected is not None for report in reports) else None
        return Report.join(reports, stop_reason=stop_reason, usage=self.usage, selected=selected)


class ledger_scope:  # noqa: N801 - reads as the verb it is: `with ledger_scope() as book:`
    """A new ledger below the current one, for a `with` block.

    When the block ends with an exception, what it noted goes to the ledger around it: there
    will be no result that says it.

    Args:
        changes: Further changes to the scope: `path`, `attempt`.
    """

    __slots__ = ("_book", "_changes", "_token")

    def __init__(self, **changes: Any) -> None:
        self._changes = changes

    def __enter__(self) -> Ledger:
        around = current()
        self._book = Ledger(around.ledger)
        scope = replace(around, ledger=self._book, **self._changes)
        self._token: Token[Scope] = enter(scope)
        return self._book

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave(self._token)
        if error is not None:
            self._book.merge_into_parent()


def empty_report(value: object, stop_reason: str, usage: Usage) -> Report | None:
    """Return the report of a run that reached nothing, or None if its input is no task.

    Args:
        value: The run's input.
        stop_reason: What stopped it: "budget", "timeout".
        usage: What it used.
    """
    if not isinstance(value, Task):
        return None
    return Report(task=value, stop_reason=stop_reason, usage=usage)


def returns_report(signature: tuple[Any, Any]) -> bool:
    """Return whether the output type of a signature (input, output) is `Report`."""
    output = signature[1]
    return isinstance(output, type) and issubclass(output, Report)


def _candidate_ids(note: Record) -> set[int]:
    return {id(candidate) for candidate in _candidates(note)}


def _rank(report: Report) -> tuple[bool, float]:
    return (report.passed, -1.0 if report.score is None else report.score)


def _candidates(note: Record) -> Sequence[Candidate]:
    match note:
        case Candidate():
            return (note,)
        case Execution():
            return (note.candidate,)
        case Report():
            return [attempt.candidate for attempt in note.history]


def _report(note: Record) -> Report:
    match note:
        case Report():
            return note
        case Execution():
            return _unverified_report(note, "it was cut short before it was judged")
        case Candidate():
            reason = "it was cut short before it was run"
            failure = Failure(name="NotRun", message=reason)
            execution = Execution(candidate=note, status=Status.INFRA_ERROR, failure=failure)
            return _unverified_report(execution, reason)


def _unverified_report(execution: Execution, reason: str) -> Report:
    finding = Finding(message=reason, severity="info")
    verdict = Verdict(execution=execution, label="unverified", findings=(finding,), judge="none")
    task = replace(execution.candidate.task, feedback=None)
    return Report(task=task, history=(Attempt(index=1, verdict=verdict),))
