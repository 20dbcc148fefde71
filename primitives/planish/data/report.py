"""`Report`, the result of a run: every attempt, the best one, the stop reason and the usage."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from planish.data.attempt import Attempt, Branch
from planish.data.feedback import Feedback
from planish.data.next_feedback import feedback_of
from planish.data.record import Record
from planish.data.sandbox import Display
from planish.data.status import Status
from planish.data.task import Task
from planish.data.trail import ATTEMPT, TrailEntry
from planish.data.usage import Usage
from planish.data.verdict import Evidence, Verdict
from planish.errors import NotPassedError

if TYPE_CHECKING:
    from planish.data.report_rows import Row

__all__ = ["Report"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(Record):
    """The result of a run, or of a part of one. `join` makes one report of several.

    `print(report)` shows `summary()`; notebooks and rich show the same.

    Attributes:
        task: The task of the run.
        history: Every attempt, in order.
        stop_reason: Name of the rule that stopped the run: "success", "max_attempts",
            "stagnation", "budget", "timeout", ...; "success" or "judged" for a single attempt.
        branches: How the branches ended, if there were any.
        usage: Resources used, including those of branches that lost or failed.
        selected: Index in the history, from 1, of the attempt that a step selected; None (the
            default) to take the attempt of the highest rank.
        acceptance: The verdict of the task's held-out tests on the best attempt; None if there
            are none, or they have not run.
        trail: What happened in the run, in order: every attempt of the history, and every other
            record that a step returned or `planish.effects.record` was given, such as a plan or
            an approval. It is set when the run has ended. Not compared.

    Raises:
        ValueError: the attempts are not numbered from 1 on; `selected`, a branch or the trail
            names an attempt that is not in the history; or there is an `acceptance` without one.
    """

    task: Task
    history: tuple[Attempt, ...] = ()
    stop_reason: str = "judged"
    branches: tuple[Branch, ...] = ()
    usage: Usage = field(default_factory=Usage)
    selected: int | None = None
    acceptance: Verdict | None = None
    trail: tuple[TrailEntry, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        last = len(self.history)
        for number, attempt in enumerate(self.history, start=1):
            if attempt.index != number:
                raise ValueError(
                    f"Report(history=...): attempt {number} of {last} has index {attempt.index!r}"
                )
        for branch in self.branches:
            if not _is_ascending(branch.attempts, last):
                raise ValueError(
                    f"Report(branches=...): the branch {branch.name[:100]!r} has the attempts "
                    f"{branch.attempts!r:.100}: must be different indices, in order, of a history "
                    f"of {last}"
                )
        if self.acceptance is not None and not last:
            raise ValueError("Report(acceptance=...): the history has no attempt to accept")
        if any(entry.kind == ATTEMPT and isinstance(entry.record, int) for entry in self.trail):
            object.__setattr__(self, "trail", tuple(map(self._with_attempt, self.trail)))
        if self.selected is not None and not 1 <= self.selected <= last:
            raise ValueError(f"Report(selected={self.selected!r}): its history has {last} attempts")

    def _with_attempt(self, entry: TrailEntry) -> TrailEntry:
        """Return an entry of a JSON document with the attempt whose index it has."""
        index: object = entry.record
        if entry.kind != ATTEMPT or not isinstance(index, int) or isinstance(index, bool):
            return entry
        if not 1 <= index <= len(self.history):
            raise ValueError(f"the trail names attempt {index} of {len(self.history)}")
        return replace(entry, record=self.history[index - 1])

    @property
    def best(self) -> Attempt | None:
        """The selected attempt, else the one of the highest `Attempt.rank`; None without any."""
        if self.selected is not None:
            return self.history[self.selected - 1]
        return max(self.history, key=Attempt.rank, default=None)

    @property
    def attempts(self) -> int:
        """The number of attempts."""
        return len(self.history)

    @property
    def passed(self) -> bool:
        """Whether the best attempt passed: the held-out tests, if the task has any."""
        if self.task.accept is not None or self.acceptance is not None:
            return self.acceptance is not None and self.acceptance.passed
        return self.best is not None and self.best.passed

    @property
    def score(self) -> float | None:
        """The best attempt's score; None without evidence or without an attempt."""
        return self.best.score if self.best else None

    @property
    def status(self) -> Status | None:
        """The best attempt's status; None if there was no attempt."""
        return self.best.status if self.best else None

    @property
    def verdict(self) -> Verdict | None:
        """The best attempt's verdict; None if there was no attempt."""
        return self.best.verdict if self.best else None

    @property
    def evidence(self) -> Evidence | None:
        """The evidence of the verdict that decides `passed`; None if there was no attempt."""
        if self.acceptance is not None:
            return self.acceptance.evidence
        return self.best.verdict.evidence if self.best else None

    @property
    def trajectory(self) -> tuple[float | None, ...]:
        """The score of every attempt, in order."""
        return tuple(attempt.score for attempt in self.history)

    @property
    def error_count(self) -> int:
        """The number of attempts whose status is neither SUCCESS nor PARTIAL_SUCCESS."""
        no_error = (Status.SUCCESS, Status.PARTIAL_SUCCESS)
        return sum(attempt.status not in no_error for attempt in self.history)

    @property
    def feedback(self) -> Feedback:
        """Feedback for the next attempt: the evidence of the best one.

        If the best attempt's reply had no code, the code and the evidence that it was generated
        from remain, with what was wrong with the reply.
        """
        best = self.best
        if best is None:
            return self.task.feedback or Feedback()
        return feedback_of(best.verdict, [attempt.verdict for attempt in self.history])

    @property
    def artifacts(self) -> Mapping[str, bytes]:
        """The files that the best attempt's run put into its outputs folder, by path."""
        return self.best.execution.artifacts if self.best else {}

    @property
    def displays(self) -> tuple[Display, ...]:
        """The images, tables and values that the best attempt's run displayed, in order."""
        return self.best.execution.displays if self.best else ()

    def unwrap(self) -> Attempt:
        """Return the best attempt if it passed.

        Raises:
            NotPassedError: no attempt passed. The error has this report.
        """
        if self.best is None or not self.passed:
            raise NotPassedError(self)
        return self.best

    @property
    def code(self) -> str:
        """The code that passed, without the task's preamble.

        Raises:
            NotPassedError: no attempt passed. The code of the best one is `best.code`.
        """
        return self.unwrap().code

    def summary(self) -> str:
        """Return result, attempts, branches and usage: some 30 lines of 100 characters at most."""
        return str(self)

    def rows(self) -> "list[Row]":
        """Return one row for each attempt, for example for `pandas.DataFrame(report.rows())`."""
        from planish.data.report_rows import to_rows  # noqa: PLC0415 - when they are shown

        return to_rows(self)

    def to_csv(self) -> str:
        """Return `rows()` as CSV, with column names. No text in it is taken for a formula."""
        from planish.data.report_rows import to_csv  # noqa: PLC0415

        return to_csv(self)

    def to_markdown(self) -> str:
        """Return the attempts as a Markdown table."""
        from planish.data.report_rows import to_markdown  # noqa: PLC0415

        return to_markdown(self)

    def plot(self) -> Any:
        """Return a `matplotlib.figure.Figure` of the scores and tokens of the attempts.

        A notebook shows it; `figure.savefig("run.png")` writes it. Needs the extra `plot`.

        Raises:
            ModuleNotFoundError: matplotlib is not installed.
        """
        from planish.data.report_plot import plot  # noqa: PLC0415 - needs an extra

        return plot(self)

    def __str__(self) -> str:
        from planish.data.report_summary import to_text  # noqa: PLC0415

        return to_text(self)

    def __repr__(self) -> str:
        from planish.data.report_summary import headline  # noqa: PLC0415

        return f"<Report: {headline(self)}>"

    def _repr_html_(self) -> str:
        from planish.data.report_summary import to_html  # noqa: PLC0415

        return to_html(self)

    def __rich_console__(self, console: Any, _options: object) -> Iterator[object]:
        # Without markup: the texts in it may be a program's.
        yield console.render_str(str(self), markup=False, highlight=False, emoji=False)

    @classmethod
    def join(
        cls,
        reports: Sequence["Report"],
        *,
        stop_reason: str,
        usage: Usage,
        branches: Sequence[Branch] = (),
        branch_of_report: Sequence[int] = (),
        selected: int | None = None,
    ) -> Self:
        """Return one report of several, with their attempts in order.

        Args:
            reports: At least one report. The task is that of the first.
            stop_reason: The stop reason of the new report.
            usage: The usage of the new report. It is not summed here, because the caller also
                knows the usage of branches without a report.
            branches: How the branches ended. Their `attempts` are set here.
            branch_of_report: For each report, the index of its branch.
            selected: Index of the report whose best attempt was selected; None (the default) to
                take the attempt of the highest rank.
        """
        history: list[Attempt] = []
        inner_branches: list[Branch] = []
        attempts_of_branch: dict[int, list[int]] = {}
        selected_attempt: int | None = None
        for number, report in enumerate(reports):
            start = len(history)
            if number == selected and report.best is not None:
                selected_attempt = start + report.best.index
            inner_branches += [
                replace(branch, attempts=tuple(start + i for i in branch.attempts))
                for branch in report.branches
            ]
            history += [replace(a, index=start + a.index) for a in report.history]
            if branch_of_report:
                attempts_of_branch.setdefault(branch_of_report[number], []).extend(
                    range(start + 1, len(history) + 1)
                )
        outer_branches = [
            replace(branch, attempts=tuple(attempts_of_branch.get(index, ())))
            for index, branch in enumerate(branches)
        ]
        return cls(
            task=reports[0].task,
            history=tuple(history),
            stop_reason=stop_reason,
            branches=(*outer_branches, *inner_branches),
            usage=usage,
            selected=selected_attempt,
            acceptance=reports[0].acceptance if len(reports) == 1 else None,
        )


def _is_ascending(indices: Sequence[int], last: int) -> bool:
    """Return whether indices are in order, and each is one of 1 to the last."""
    before = 0
    for index in indices:
        if not before < index <= last:
            return False
        before = index
    return True
