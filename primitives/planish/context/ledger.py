"""The ledger: what a run has produced and used so far, so that a failure does not lose it.

Values flow along `>>`. A step that raises, or is cancelled, returns no value; the ledger records
the results of the steps before it. It is read to build a partial report and to sum usage only.
"""

from collections.abc import Sequence
from contextvars import Token
from dataclasses import replace
from types import TracebackType
from typing import Any

from planish.context.scope import Scope, changed, current, enter, leave
from planish.data.candidate import Candidate
from planish.data.execution import Execution, Failure
from planish.data.report import Attempt, Report
from planish.data.status import Status
from planish.data.task import Task
from planish.data.usage import Usage
from planish.data.verdict import Finding, Verdict

__all__ = ["Entry", "Ledger", "empty_report", "ledger_scope", "returns_report"]

Entry = Candidate | Execution | Report

_ENTRY_TYPES = (Candidate, Execution, Report)  # `isinstance` is faster with these than with a union


class Ledger:
    """The results and the usage of one run, attempt or branch.

    Args:
        parent: The ledger of the enclosing run, attempt or branch.

    Attributes:
        usage: What was used here and in all ledgers below this one.
    """

    __slots__ = ("_entries", "_key_of_candidate", "_parent", "usage")

    def __init__(self, parent: "Ledger | None" = None) -> None:
        self._parent = parent
        # Keys are ids of entries and candidates: an entry keeps both alive, so no id is reused.
        self._entries: dict[int, Entry] = {}
        self._key_of_candidate: dict[int, int] = {}
        self.usage: Usage = Usage()

    def spend(self, usage: Usage) -> None:
        """Add usage to this ledger and to all that enclose it."""
        ledger: Ledger | None = self
        while ledger is not None:
            ledger.usage += usage
            ledger = ledger._parent  # noqa: SLF001 - its own class

    def record(self, value: object) -> None:
        """Record a candidate, execution or report; ignore any other value.

        It replaces entries whose candidates it all contains.
        """
        if not isinstance(value, _ENTRY_TYPES):
            return
        candidate_ids = _candidate_ids(value)
        if not candidate_ids:  # the report of a run that reached nothing
            return
        known = self._key_of_candidate
        for key in {known[candidate] for candidate in candidate_ids if candidate in known}:
            if candidate_ids.issuperset(_candidate_ids(self._entries[key])):
                del self._entries[key]
        self._entries[id(value)] = value
        known.update(dict.fromkeys(candidate_ids, id(value)))

    def merge_into_parent(self) -> None:
        """Record all entries in the enclosing ledger, if there is one."""
        if self._parent is not None:
            for entry in self._entries.values():
                self._parent.record(entry)

    def partial_report(self, stop_reason: str) -> Report | None:
        """Join all entries into one report; return None if there are none."""
        reports = [_report_of(entry) for entry in self._entries.values()]
        if not reports:
            return None
        best = max(range(len(reports)), key=lambda index: (_rank(reports[index]), -index))
        # Where a scorer or a race has selected an attempt, the rank does not overrule it.
        selected = best if any(report.selected is not None for report in reports) else None
        return Report.join(reports, stop_reason=stop_reason, usage=self.usage, selected=selected)


class ledger_scope:  # noqa: N801 - reads as the verb it is: `with ledger_scope() as ledger:`
    """A `with` block with a new ledger below the current one.

    If the block ends with an exception, it returns no result, so the new ledger's entries are
    merged into the enclosing one.

    Args:
        changes: Further fields of `Scope` to change in the block, such as `attempt`.
    """

    __slots__ = ("_changes", "_ledger", "_token")

    def __init__(self, **changes: Any) -> None:
        self._changes = changes

    def __enter__(self) -> Ledger:
        outer = current()
        self._ledger = Ledger(outer.ledger)
        self._token: Token[Scope] = enter(changed(outer, ledger=self._ledger, **self._changes))
        return self._ledger

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave(self._token)
        if error is not None:
            self._ledger.merge_into_parent()


def empty_report(value: object, stop_reason: str, usage: Usage) -> Report | None:
    """Return the report of a run that reached nothing; None if its input is not a `Task`.

    Args:
        value: The input of the run.
        stop_reason: What stopped it: "budget", "timeout".
        usage: What it used.
    """
    if not isinstance(value, Task):
        return None
    return Report(task=value, stop_reason=stop_reason, usage=usage)


def returns_report(signature: tuple[Any, Any]) -> bool:
    """Return whether a signature's output type is `Report`.

    Args:
        signature: Input type and output type of a step.
    """
    output = signature[1]
    return isinstance(output, type) and issubclass(output, Report)


def _candidate_ids(entry: Entry) -> set[int]:
    return {id(candidate) for candidate in _candidates(entry)}


def _rank(report: Report) -> tuple[bool, float]:
    return (report.passed, -1.0 if report.score is None else report.score)


def _candidates(entry: Entry) -> Sequence[Candidate]:
    match entry:
        case Candidate():
            return (entry,)
        case Execution():
            return (entry.candidate,)
        case Report():
            return [attempt.candidate for attempt in entry.history]


def _report_of(entry: Entry) -> Report:
    match entry:
        case Report():
            return entry
        case Execution():
            return _unverified_report(entry, "the run was cut short before this was judged")
        case Candidate():
            reason = "the run was cut short before this was executed"
            failure = Failure(name="NotRun", message=reason)
            execution = Execution(candidate=entry, status=Status.INFRA_ERROR, failure=failure)
            return _unverified_report(execution, reason)


def _unverified_report(execution: Execution, reason: str) -> Report:
    finding = Finding(message=reason, severity="info")
    verdict = Verdict(execution=execution, label="unverified", findings=(finding,), judge="none")
    task = replace(execution.candidate.task, feedback=None)
    return Report(task=task, history=(Attempt(index=1, verdict=verdict),))
