"""`Feedback`: the evidence of one attempt, as input of the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from planish.data.record import InMemory, Record, freeze
from planish.data.status import Status

__all__ = ["Feedback", "Issue", "PreviousAttempt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue(Record):
    """A defect, with its fix if known.

    Attributes:
        issue: What is wrong.
        fix: What to do about it; "" if unknown.
        test: Name of the failing test, if any.
        expected: The test's expected value, as source text.
        actual: The test's actual value, as source text.
    """

    issue: str
    fix: str = ""
    test: str | None = None
    expected: str | None = None
    actual: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousAttempt(Record):
    """Summary of an earlier attempt, to recognise and not to repeat its code.

    Attributes:
        attempt: Number of the attempt, from 1.
        digest: `Candidate.digest` of its code.
        status: How it ended.
        score: Its score.
        summary: What was wrong with it, in one line.
        execution: Its `Execution`, so that the same programs need not run again. It is left out
            of JSON, `repr` and `==`.
    """

    attempt: int
    digest: str
    status: Status
    score: float | None
    summary: str = ""
    execution: Annotated[Any, InMemory()] = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Record):
    """The evidence of one attempt, for the request of the next attempt.

    Attributes:
        text: The user's own text; rendered first.
        attempt: Number of the attempt that it describes, from 1; 0 if not known.
        status: How that attempt ended.
        score: The attempt's score.
        issues: Its defects, most important first.
        error: Name and message of the exception.
        traceback: Last part of the traceback.
        stdout: Last part of standard output.
        previous_code: The code of that attempt; "" to generate code from scratch.
        previous_files: Its other files, by path.
        previous_attempts: All attempts of this loop so far, oldest first. Left out of `repr`:
            each attempt of a report has all before it.
        source: Where the feedback comes from: "execution", "review" or "human".
    """

    text: str = ""
    attempt: int = 0
    status: Status | None = None
    score: float | None = None
    issues: tuple[Issue, ...] = ()
    error: str = ""
    traceback: str = ""
    stdout: str = ""
    previous_code: str = ""
    previous_files: Mapping[str, str] = field(default_factory=dict[str, str])
    previous_attempts: tuple[PreviousAttempt, ...] = field(default=(), repr=False)
    source: str = "execution"

    def __post_init__(self) -> None:
        freeze(self, "previous_files")

    def render(self) -> str:
        """Return the feedback as text for a prompt, without `previous_code`."""
        parts: list[str] = []
        if self.text:
            parts.append(self.text)
        if self.status is not None:
            score = "" if self.score is None else f", {self.score:.0%} of the tests passed"
            parts.append(f"Attempt {self.attempt} ended with {self.status.value}{score}.")
        if self.error:
            parts.append(f"Error: {self.error}")
        if self.issues:
            parts.append("\n".join(_render_issue(issue) for issue in self.issues))
        if self.traceback:
            parts.append(f"Traceback (last part):\n{self.traceback}")
        if self.stdout:
            parts.append(f"It printed:\n{self.stdout}")
        return "\n\n".join(parts)


def _render_issue(issue: Issue) -> str:
    lines = [f"- {issue.test}: {issue.issue}" if issue.test else f"- {issue.issue}"]
    if issue.expected is not None:
        lines.append(f"  expected: {issue.expected}")
    if issue.actual is not None:
        lines.append(f"  actual:   {issue.actual}")
    if issue.fix:
        lines.append(f"  fix: {issue.fix}")
    return "\n".join(lines)
