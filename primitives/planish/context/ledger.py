"""The ledger: what a run has produced and used so far, so that a failure does not lose it.

Values flow along `>>`. A step that raises, or is cancelled, returns no value; the ledger records
the results of the steps before it. It is read to build a partial report and to sum usage only.
"""

import time
from collections.abc import Sequence
from contextvars import Token
from dataclasses import replace
from types import TracebackType
from typing import Any, TypeVar, cast

from planish.context.partial_reports import Entry, report_of_entry
from planish.context.path import Path, current_path
from planish.context.scope import Scope, changed, current, enter, leave
from planish.data.attempt import FIRST, Attempt, rank
from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.record import Record
from planish.data.report import Report
from planish.data.trail import ATTEMPT, TrailEntry, kind_of_record
from planish.data.usage import Usage
from planish.data.verdict import Verdict

__all__ = ["Ledger", "ledger_scope"]

Result = TypeVar("Result")

_NOTHING = Usage()
_ENTRY_TYPES = (Candidate, Execution, Report)  # `isinstance` is faster with these than with a union


class Ledger:
    """The results and the usage of one run, attempt or branch.

    What is used here belongs to no attempt until one is recorded: that gets all of it. So the
    usage of an attempt is what was used since the attempt before it. What the parent has used so
    far for no attempt, such as the cost of a plan, belongs to the first attempt of this ledger.

    Args:
        parent: The ledger of the enclosing run, attempt or branch.
        cause: Why attempts are made here; None (the default) for the parent's cause.

    Attributes:
        usage: What was used here and in all ledgers below this one.
        cause: Why attempts are made here; see `Attempt.cause`.
    """

    __slots__ = (
        "_begun",
        "_entries",
        "_key_of_candidate",
        "_parent",
        "_path",
        "_trail",
        "_unassigned",
        "cause",
        "usage",
    )

    def __init__(self, parent: "Ledger | None" = None, cause: str | None = None) -> None:
        self._parent = parent
        # Keys are ids of entries and candidates: an entry keeps both alive, so no id is reused.
        self._entries: dict[int, Entry] = {}
        self._key_of_candidate: dict[int, int] = {}
        self._path: Path = current_path()
        # Of the whole run: everything in it is appended in the order in which it happens.
        self._trail: list[TrailEntry]
        self._begun = current().clock.now()
        self._unassigned: Usage = _NOTHING
        self.usage: Usage = _NOTHING
        self.cause: str
        if parent is None:
            self._trail, self.cause = [], cause or FIRST
            return
        self._trail, self.cause = parent._trail, cause or parent.cause  # noqa: SLF001 - its own class
        if parent._unassigned is not _NOTHING:  # noqa: SLF001 - its own class
            self._unassigned = parent.take_unassigned()

    def spend(self, usage: Usage) -> None:
        """Add usage to this ledger and to all that enclose it."""
        self._unassigned += usage
        ledger: Ledger | None = self
        while ledger is not None:
            ledger.usage += usage
            ledger = ledger._parent  # noqa: SLF001 - its own class

    def record(self, value: object) -> None:
        """Record a candidate, execution or report; another record goes to the trail only.

        It replaces entries whose candidates it all contains.
        """
        if not isinstance(value, Record):
            return
        if not isinstance(value, _ENTRY_TYPES):
            self.add_to_trail(kind_of_record(value), value)
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

    def attempt(self, verdict: Verdict) -> Attempt:
        """Return the attempt that a verdict has just ended, with what was used for it."""
        scope = current()
        now = scope.clock.now()
        seconds, self._begun = now - self._begun, now
        self.add_to_trail(ATTEMPT, verdict)
        return Attempt(
            index=1,
            verdict=verdict,
            usage=self.take_unassigned(),
            path=current_path(),
            round=scope.attempt or 1,
            cause=self.cause,
            started=round(time.time() - seconds, 3),
            seconds=round(seconds, 6),
        )

    def complete(self, report: Report) -> Report:
        """Return a report of this ledger's run, attempt or branch with all of its usage.

        What was used after the last attempt is counted with it. Attempts that a step of a user's
        own has made get path, round, cause and time.
        """
        return self._complete([report])[0]

    def _complete(self, reports: Sequence[Report]) -> list[Report]:
        made = [
            (number, index)
            for number, report in enumerate(reports)
            for index, attempt in enumerate(report.history)
            if attempt.started is None
        ]
        ends = [(number, -1) for number, report in enumerate(reports) if report.history]
        if not ends or (not made and self._unassigned is _NOTHING):
            return list(reports)
        histories = [list(report.history) for report in reports]
        for number, index in made:
            histories[number][index] = self._describe(histories[number][index])
        number, index = (made or ends)[-1]
        last = histories[number][index]
        histories[number][index] = replace(last, usage=last.usage + self.take_unassigned())
        return [
            replace(report, history=tuple(history))
            for report, history in zip(reports, histories, strict=True)
        ]

    def add_to_trail(self, kind: str, record: object) -> None:
        """Append what has just happened to the trail of the run.

        Args:
            kind: What it is.
            record: Its record; of an attempt the verdict, until the run has ended.
        """
        if self._trail and self._trail[-1].record is record:  # another step has passed it on
            return
        entry = TrailEntry(
            kind=kind, record=record, path=current_path(), time=round(time.time(), 3)
        )
        self._trail.append(entry)

    def with_trail(self, report: Report) -> Report:
        """Return the report of the run with the trail; of attempts, those in its history."""
        attempts = {id(attempt.verdict): attempt for attempt in report.history}
        trail: list[TrailEntry] = []
        for entry in self._trail:
            if entry.kind != ATTEMPT or not isinstance(entry.record, Verdict):
                trail.append(entry)
                continue
            attempt = attempts.pop(id(entry.record), None)
            if attempt is not None:
                trail.append(replace(entry, record=attempt))
        return replace(report, trail=tuple(trail))

    def _describe(self, attempt: Attempt) -> Attempt:
        scope = current()
        self.add_to_trail(ATTEMPT, attempt.verdict)
        seconds = scope.clock.now() - self._begun
        return replace(
            attempt,
            path=attempt.path or self._path,
            round=scope.attempt or 1,
            cause=self.cause,
            started=round(time.time() - seconds, 3),
            seconds=round(seconds, 6),
        )

    def take_unassigned(self) -> Usage:
        """Return what was used for no attempt yet, and count it no more."""
        unassigned, self._unassigned = self._unassigned, _NOTHING
        return unassigned

    def finish(self, result: Result) -> Result:
        """Complete a result, and record it with all entries in the enclosing ledger.

        Args:
            result: What the steps within have come to. Any other than a report stays as it is.
        """
        if isinstance(result, Report):
            result = cast("Result", self.complete(result))
            self.record(result)
        self.merge_into_parent()
        return result

    def close(self) -> None:
        """Leave what was used for no attempt to the enclosing ledger."""
        if self._parent is not None and self._unassigned is not _NOTHING:
            self._parent._unassigned += self.take_unassigned()  # noqa: SLF001 - its own class

    def abandon(self) -> None:
        """Count what was used for no attempt with none: there is no result."""
        self.take_unassigned()

    def merge_into_parent(self) -> None:
        """Record all entries in the enclosing ledger, if there is one."""
        if self._parent is not None:
            for entry in self._entries.values():
                self._parent.record(entry)

    def complete_entries(self) -> list[Report]:
        """Make each entry the report of its attempts, with what is known of them here."""
        reports = self._complete([report_of_entry(entry) for entry in self._entries.values()])
        self._entries.clear()
        self._key_of_candidate.clear()
        for report in reports:
            self.record(report)
        return reports

    def partial_report(self, stop_reason: str) -> Report | None:
        """Join all entries into one report; return None if there are none."""
        reports = self.complete_entries()
        if not reports:
            return None
        best = max(range(len(reports)), key=lambda index: (rank(reports[index]), -index))
        # Where a scorer or a race has selected an attempt, the rank does not overrule it.
        selected = best if any(report.selected is not None for report in reports) else None
        return Report.join(reports, stop_reason=stop_reason, usage=self.usage, selected=selected)


class ledger_scope:  # noqa: N801 - reads as the verb it is: `with ledger_scope() as ledger:`
    """A `with` block with a new ledger below the current one.

    If the block ends with an exception, it returns no result, so the new ledger's entries are
    merged into the enclosing one.

    Args:
        cause: Why attempts are made in the block; None (the default) for the reason around it.
        changes: Further fields of `Scope` to change in the block, such as `attempt`.
    """

    __slots__ = ("_cause", "_changes", "_ledger", "_token")

    def __init__(self, cause: str | None = None, **changes: Any) -> None:
        self._cause = cause
        self._changes = changes

    def __enter__(self) -> Ledger:
        outer = current()
        ledger = self._ledger = Ledger(outer.ledger, self._cause)
        self._changes["ledger"] = ledger
        self._token: Token[Scope] = enter(changed(outer, **self._changes))
        return ledger

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self._ledger.complete_entries()
            self._ledger.merge_into_parent()
            self._ledger.abandon()
        self._ledger.close()
        leave(self._token)


def _candidate_ids(entry: Entry) -> set[int]:
    return {id(candidate) for candidate in _candidates(entry)}


def _candidates(entry: Entry) -> Sequence[Candidate]:
    match entry:
        case Candidate():
            return (entry,)
        case Execution():
            return (entry.candidate,)
        case Report():
            return [attempt.candidate for attempt in entry.history]
