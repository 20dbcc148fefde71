"""`Feedback`: the evidence of one attempt, as input of the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self, cast

from planish.arguments import require_text
from planish.data.evidence_text import cut, fenced, indented, one_line
from planish.data.record import InMemory, Record, freeze
from planish.data.status import FailureKind, Place, Status
from planish.errors import TaskError

__all__ = ["EarlierCode", "Feedback", "Issue", "PreviousAttempt"]

_TEXT = 6_000  # characters of the user's own text in a prompt
_PART = 2_000  # of a message, a traceback, an output
_VALUE = 1_000  # of an expected or actual value, of a diff
_NAME = 200  # of a test's name
_TRIED = 6  # earlier attempts that are listed
_ISSUES = 12
_TOTAL = 24_000
_EARLIER = 66_000
_LEAST = 2_000  # of issues, and of code, that are shown in part
_AROUND = 200  # characters of fences and line ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue(Record):
    """A defect, with its fix if known. Its fields are those of a `Finding`.

    Attributes:
        issue: What is wrong.
        fix: What to do about it; "" if unknown.
        test: Name of the failing test, if any.
        expected: The test's expected value, as source text.
        actual: The test's actual value, as source text.
        kind: What the failure is about; None if it is not about one.
        place: Where it was raised; None if unknown.
        line: Line in the candidate's code, from 1, if known.
        exception: Class name of the exception; "" without one.
        bases: Names of its base classes, nearest first.
        signature: Exception and message without addresses and numbers.
        call: The call that failed, as a line that can be pasted; "" if unknown.
        diff: How two texts differ; "" if they are not texts.
    """

    issue: str
    fix: str = ""
    test: str | None = None
    expected: str | None = None
    actual: str | None = None
    kind: FailureKind | None = None
    place: Place | None = None
    line: int | None = None
    exception: str = ""
    bases: tuple[str, ...] = ()
    signature: str = ""
    call: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousAttempt(Record):
    """Summary of an earlier attempt, to recognise and not to repeat its code.

    Attributes:
        attempt: Number of the attempt, from 1.
        digest: `Candidate.digest` of its code.
        status, score: How it ended.
        summary: What was wrong with it, in one line.
        judge_raised: Whether a judge raised an exception instead of judging it.
        execution: Its `Execution`, not to run the same again; not in JSON, `repr` and `==`.
    """

    attempt: int
    digest: str
    status: Status
    score: float | None
    summary: str = ""
    judge_raised: bool = False
    execution: Annotated[Any, InMemory()] = field(default=None, repr=False, compare=False)

    @property
    def code(self) -> str:
        """The attempt's code; "" if the attempt was read from JSON."""
        return "" if self.execution is None else str(self.execution.candidate.code)

    def render(self) -> str:
        """Return the attempt in one line: its number, how it ended, and what was wrong."""
        score = "" if self.score is None else f", {self.score:.0%}"
        why = f": {' '.join(self.summary.split())}" if self.summary else ""
        return f"attempt {self.attempt} ({self.status.value}{score}){why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierCode(Record):
    """The code of an earlier attempt, for a prompt that shows more than the last one.

    Attributes:
        attempt: Number of the attempt, from 1.
        code: Its code.
        summary: How it ended, in one line.
    """

    attempt: int
    code: str
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Record):
    """The evidence of one attempt, for the request of the next attempt.

    Attributes:
        text: The user's own text; rendered first.
        attempt: Number of the last attempt, from 1; 0 if not known.
        status: How the attempt that is described ended.
        score: That attempt's score.
        issues: Its defects, most useful first.
        error: Name and message of the exception.
        traceback: Last part of the traceback, if it says more than the issues.
        stdout: First and last lines of standard output.
        previous_code: The code of that attempt; "" to generate code from scratch.
        previous_files: Its other files, by path.
        previous_attempts: All attempts of this loop so far, oldest first. Left out of `repr`.
        source: Where the feedback comes from: "execution", "review" or "human".
        described: Number of the attempt that the evidence is about; 0 for the last. It is another
            where the last reply had no code, or an earlier attempt was better.
        repeats: Number of the attempt that the last one repeats; None if it is new code.
        earlier: Code of attempts before that; none by default. See `planish.feedback.window`.
        older: Attempts that are listed in one line each; none by default.
        temperature: Sampling temperature of the next request; None for the generator's own.

    Raises:
        TaskError: a text or an issue is something else.
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
    described: int = 0
    repeats: int | None = None
    earlier: tuple[EarlierCode, ...] = ()
    older: tuple[PreviousAttempt, ...] = ()
    temperature: float | None = None

    def __post_init__(self) -> None:
        for name in ("text", "error", "traceback", "stdout", "previous_code", "source"):
            if not isinstance(value := getattr(self, name), str):
                require_text("Feedback", name, value, error=TaskError)
        if not all(isinstance(cast("object", issue), Issue) for issue in self.issues):
            raise TaskError(f"Feedback(issues={self.issues!r:.200}): each must be an Issue")
        freeze(self, "previous_files")

    @property
    def explore(self) -> bool:
        """Whether the next attempt is to take another approach: no code of earlier ones is shown.

        False before the first code, and where `previous_code` or `earlier` has some.
        """
        if self.previous_code or self.earlier:
            return False
        return any(one.digest for one in self.previous_attempts)

    def with_words(self, text: str, source: str = "execution") -> Self:
        """Return this feedback with a text added to its own, which says whose words it is.

        Args:
            text: The text.
            source: Where it comes from: "human" and "review" are named before the text.
        """
        labelled = _LABELS.get(source, "") + text
        joined = f"{self.text}\n\n{labelled}" if self.text else labelled
        return replace(self, text=joined)

    def render(self, limit: int = _TOTAL) -> str:
        """Return the feedback as text for a prompt, without `previous_code`.

        Each fact is in it once, the most useful first: the user's own text, the issues, and then
        traceback and output as far as they say more. Long texts are cut, with a note.

        Args:
            limit: Most characters of the evidence; 24,000 by default. The code of earlier
                attempts, which a policy chooses, comes on top: at most 66,000.
        """
        before = [*self._render_text(), *self._render_ending()]
        after = self._render_tried()
        if self.traceback:
            after.append(f"Traceback (last part):\n{fenced(self.traceback, _PART, last=True)}")
        if self.stdout:
            after.append(f"It printed:\n{fenced(self.stdout, _PART)}")
        issues = [_render_issue(issue) for issue in self.issues[:_ISSUES]]
        # Parts are left out whole: half of one would have half a fence, or begin in mid-line.
        first = len(issues[0]) + 2 if issues else 0
        while after and len("\n\n".join([*before, *after])) + first > limit:
            after.pop()
        left = limit - len("\n\n".join([*before, *after]))
        parts = [*before, _joined(issues, left), *after]
        evidence = cut("\n\n".join(filter(None, parts)), limit)
        return "\n\n".join(filter(None, (evidence, self._render_earlier())))

    def _render_text(self) -> list[str]:
        if not self.text:
            return []
        label = "" if self.text.startswith(tuple(_LABELS.values())) else self._label()
        return [label + cut(self.text, _TEXT)]

    def _render_ending(self) -> list[str]:
        """Return how the attempt ended, and the error as far as no issue has it."""
        parts = [self._ending()] if self.status is not None else []
        if self.error and not any(_covers(issue, self.error) for issue in self.issues):
            parts.append(f"Error: {indented(self.error, _PART)}")
        return parts

    def _label(self) -> str:
        return _LABELS.get(self.source, "")

    def _ending(self) -> str:
        score = "" if self.score is None else f", {self.score:.0%} of the tests passed"
        assert self.status is not None  # noqa: S101 - the caller has checked
        number = self.described or self.attempt
        ended = f"Attempt {number} ended with {self.status.value}{score}."
        if self.described and self.described != self.attempt:
            return f"The code is that of attempt {number}. {ended}"
        return ended

    def _render_tried(self) -> list[str]:
        """Return what was tried before, where a repeated reply or a window asks for it."""
        tried = self.previous_attempts if self.repeats is not None else self.older
        distinct = {one.digest: one for one in reversed(tried)}  # the first of equal ones
        last = [*distinct.values()][:_TRIED][::-1]
        lines = [f"- {one_line(one.render(), _NAME)}" for one in last]
        return ["Tried so far, and not to be repeated:\n" + "\n".join(lines)] if lines else []

    def _render_earlier(self) -> str:
        parts: list[str] = []
        left = _EARLIER
        for one in self.earlier:
            title = f"Code of attempt {one.attempt} {one_line(one.summary, _NAME)}".rstrip()
            code = fenced(one.code, max(left - len(title) - _AROUND, 0))
            parts.append(f"{title}\n{code}")
            left -= len(parts[-1])
            if left < _LEAST:
                break
        return "\n\n".join(parts)


_LABELS = {"human": "A person writes:\n", "review": "A reviewer writes:\n"}


def _covers(issue: Issue, error: str) -> bool:
    """Return whether an issue says what the error says."""
    name, _, message = error.partition(": ")
    if issue.exception == name:
        return True
    return (
        error in issue.issue
        or (issue.actual is not None and name == "AssertionError")
        or (bool(message) and message in issue.issue)
    )


def _joined(issues: Sequence[str], limit: int) -> str:
    """Return as many issues as fit into a number of characters; the first one in any case."""
    left = limit - _AROUND
    fitting: list[str] = []
    for issue in issues:
        if fitting and len(issue) > left:
            break
        fitting.append(issue)
        left -= len(issue) + 1
    more = [f"- and {len(issues) - len(fitting)} more"] if len(fitting) < len(issues) else []
    return "\n".join([*fitting, *more])


def _render_issue(issue: Issue) -> str:
    named = f"{one_line(issue.test, _NAME)}: " if issue.test else ""
    lines = [f"- {named}{indented(issue.issue, _PART)}"]
    if issue.call:
        lines.append(f"  fails: {indented(issue.call, _VALUE)}")
    if issue.diff:
        lines.append("  difference (- expected, + actual):")
        lines.append(f"    {indented(issue.diff, _PART)}")
    else:
        if issue.expected is not None:
            lines.append(f"  expected: {indented(issue.expected, _VALUE)}")
        if issue.actual is not None:
            lines.append(f"  actual:   {indented(issue.actual, _VALUE)}")
    if issue.fix:
        lines.append(f"  fix: {indented(issue.fix, _PART)}")
    return "\n".join(lines)
