"""The results of an evaluation: of one task, and of all."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from statistics import fmean
from typing import Any

from planish import Report, Task
from planish.data import Usage

__all__ = ["Evaluation", "Result"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of one task.

    Attributes:
        task: The task.
        report: The run's report; if the run raised an error, the part that exists.
        hidden_report: The accepted code's report on tests that the loop did not use; None if there
            are none or nothing was accepted.
        has_hidden_tests: Whether there are such tests.
        error: The error that was raised instead of a report.
        was_judged: False if an infrastructure error ended the task: that says nothing of the
            pipeline, so the percentages leave the task out.
        lost_usage: What a run used that an infrastructure error ended and that was repeated.
    """

    task: Task
    report: Report | None = None
    hidden_report: Report | None = None
    has_hidden_tests: bool = False
    error: str | None = None
    was_judged: bool = True
    lost_usage: Usage = field(default_factory=Usage)

    @property
    def accepted(self) -> bool:
        """Whether the loop ended with a passing attempt."""
        return self.error is None and self.report is not None and self.report.passed

    @property
    def passed(self) -> bool:
        """Whether the loop accepted the code and the hidden tests, if any, pass."""
        holds = self.hidden_report is not None and self.hidden_report.passed
        return self.accepted and (holds or not self.has_hidden_tests)

    @property
    def attempts(self) -> int:
        """How many attempts were made."""
        return 0 if self.report is None else self.report.attempts

    @property
    def solved_at(self) -> int | None:
        """The number of the attempt that solved the task, from 1; None if none did."""
        if self.report is None or not self.passed:
            return None
        return next(a.index for a in self.report.history if a.passed)

    @property
    def status(self) -> str:
        """The status of the best attempt; "error" if an error was raised."""
        report = self.hidden_report or self.report
        if self.error is not None or report is None or report.status is None:
            return "error"
        return report.status.value

    @property
    def usage(self) -> Usage:
        """The usage of all runs of the task, without checking the accepted code."""
        used = Usage() if self.report is None else self.report.usage
        return used + self.lost_usage

    def _failure(self) -> str | None:
        """Return what is wrong with the best code, as the last judgement found."""
        if self.passed:
            return None
        report = self.hidden_report if self.accepted else self.report
        rows = [] if report is None else report.rows()
        return next((str(row["problem"]) for row in rows if row["best"] and row["problem"]), None)

    def as_json(self) -> dict[str, Any]:
        """Return a row of the results."""
        report = self.report
        row: dict[str, Any] = {
            "id": self.task.id,
            "passed": self.passed,
            "attempts": self.attempts,
            "stop_reason": None if report is None else report.stop_reason,
            "status": self.status,
            "scores": [] if report is None else list(report.trajectory),
            "usage": asdict(self.usage),
        }
        if report is not None and report.best is not None:
            row["code"] = report.best.code
        if (failure := self._failure()) is not None:
            row["failure"] = failure
        if self.has_hidden_tests:
            row["accepted"] = self.accepted
        if self.error is not None:
            row["error"] = self.error
            row["judged"] = self.was_judged
        return row


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of all tasks.

    Attributes:
        results: One for each task, in the tasks' order.
    """

    results: tuple[Result, ...]

    @property
    def solved(self) -> int:
        """How many tasks were solved: every test ran and passed."""
        return sum(result.passed for result in self.results)

    @property
    def solved_within_k(self) -> tuple[int, ...]:
        """How many tasks were solved within 1, 2, ... attempts, up to the most made."""
        at = Counter(result.solved_at for result in self.results)
        most = max((result.attempts for result in self.results), default=0)
        return tuple(accumulate(at[k] for k in range(1, most + 1)))

    @property
    def usage(self) -> Usage:
        """The usage of all tasks."""
        return sum((result.usage for result in self.results), Usage())

    def as_json(self, attempts: int = 0) -> dict[str, Any]:
        """Return all figures, and a row for each task.

        Args:
            attempts: How many attempts each task had at most, so that "solved_within_k" and
                "success_at" go so far where no task needed all; 0 (the default) to end them at
                the most that were made.
        """
        total = sum(result.was_judged for result in self.results)
        within = [*self.solved_within_k]
        within += [self.solved] * (attempts - len(within))
        any_passed = sum(_some_passed(r) for r in self.results if r.was_judged)
        figures: dict[str, Any] = {
            "tasks": len(self.results),
            "judged": total,
            "solved": self.solved,
            "errors": sum(result.error is not None for result in self.results),
            "solved_within_k": within,
            "success_at": {str(k): _percent(n, total) for k, n in enumerate(within, 1)},
            "sr_all": _percent(self.solved, total),
            "sr_any": _percent(any_passed, total),
            "attempts_histogram": _histogram(str(r.attempts) for r in self.results),
            "mean_attempts": {
                "solved": _mean(r.attempts for r in self.results if r.passed),
                "unsolved": _mean(r.attempts for r in self.results if not r.passed),
            },
            "by_status": _histogram(r.status for r in self.results),
            "by_stop_reason": _histogram(r.report.stop_reason for r in self.results if r.report),
            "model_calls": self.usage.model_calls,
            "usage": asdict(self.usage),
        }
        if any(result.has_hidden_tests for result in self.results):
            figures["visible"] = self._visible()
        figures["results"] = [result.as_json() for result in self.results]
        return figures

    def _visible(self) -> dict[str, int]:
        accepted = sum(result.accepted for result in self.results)
        return {
            "accepted": accepted,
            "accepted_but_hidden_fail": accepted - self.solved,
            "accepted_and_hidden_pass": self.solved,
        }


def _some_passed(result: Result) -> bool:
    report = result.hidden_report or result.report
    return report is not None and (report.score or 0.0) > 0


def _percent(count: int, total: int) -> float:
    return round(100 * count / total, 1) if total else 0.0


def _mean(values: Iterable[int]) -> float | None:
    numbers = list(values)
    return round(fmean(numbers), 2) if numbers else None


def _histogram(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
