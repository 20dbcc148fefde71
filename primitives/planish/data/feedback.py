"""What one attempt teaches the next."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from planish.data.record import InMemory, Record
from planish.data.status import Status

__all__ = ["Feedback", "Issue", "PreviousAttempt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue(Record):
    """One thing that is wrong, and how to mend it where that is known.

    Attributes:
        issue: What is wrong.
        fix: What to do about it; "" where nobody knows.
        test: The failing test's name, where it is about one.
        expected: The value the test wanted, as source text.
        actual: The value it got.
    """

    issue: str
    fix: str = ""
    test: str | None = None
    expected: str | None = None
    actual: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousAttempt(Record):
    """An earlier attempt, in short: enough to know the same code again, and not to repeat it.

    Attributes:
        attempt: Which one, from 1.
        digest: `Candidate.digest` of its code.
        status: How it ended.
        score: Its score.
        summary: What was wrong with it, in a line.
        execution: The `Execution` itself, so that the very same programs need not run again. It
            stays in this process: JSON, `repr` and `==` leave it out.
    """

    attempt: int
    digest: str
    status: Status
    score: float | None
    summary: str = ""
    execution: Annotated[Any, InMemory()] = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Record):
    """The evidence of one attempt, for the next one's request.

    Attributes:
        text: Words of the user's own; stands first.
        attempt: The attempt it is about, from 1.
        status: How that attempt ended.
        score: Its score.
        issues: What is wrong, most important first.
        error: Name and message of the exception.
        traceback: Its last part.
        stdout: What the program printed, cut.
        previous_code: The code of that attempt; "" to start afresh.
        previous_attempts: All attempts of this loop so far, oldest first.
        source: Who says so: "execution", "review", "human".
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
    previous_attempts: tuple[PreviousAttempt, ...] = ()
    source: str = "execution"

    def render(self) -> str:
        """The feedback as text for a prompt, `previous_code` left out."""
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
