"""`Attempt` and `Branch`: the parts of a report, with what each of them used, where and when."""

from dataclasses import dataclass, field
from typing import Any, Literal

from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.record import Record
from planish.data.status import Status
from planish.data.usage import Usage
from planish.data.verdict import Evidence, Verdict

__all__ = ["FIRST", "Attempt", "Branch", "BranchOutcome", "rank"]

FIRST = "first"
"""The cause of an attempt that no other came before."""

BranchOutcome = Literal["won", "lost", "cancelled", "failed"]


def rank(outcome: Any) -> tuple[bool, bool, float, Evidence]:
    """Return the sort key of an attempt, a report or another outcome; the highest is the best.

    The key is: whether it passed; whether its code ran without a fault and only lacks evidence;
    its score, -1 if it has none; the evidence of a pass, so that code which took part in its own
    verdict does not come before code that did not.
    """
    score = outcome.score
    verdict = getattr(outcome, "verdict", None)
    # Code that does not parse has no score either, and must not stand before code that ran.
    only_unverified = (
        isinstance(verdict, Verdict)
        and score is None
        and verdict.label == "unverified"
        and verdict.execution.status is Status.SUCCESS
    )
    passed = bool(outcome.passed)
    evidence = verdict.evidence if passed and isinstance(verdict, Verdict) else Evidence()
    return passed, only_unverified, -1.0 if score is None else float(score), evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt(Record):
    """One attempt: its verdict, which holds the execution, the candidate and the task.

    Attributes:
        index: Its index in the report's history, from 1.
        verdict: The verdict on its execution.
        usage: What was used for it: since the attempt before it, or since the start. What comes
            before or after attempts and belongs to none, such as a plan or a review, is counted
            with the next one, or with the last. That of branches which were cancelled or failed
            without an attempt is in `Branch.usage` alone.
        path: The segments of the path of the step that judged it, outermost first, for example
            ("Retry#2", "Race[0]", "Sequential[2]"); empty outside a combinator. Events and spans
            have the same paths.
        round: Number of the innermost loop's attempt that it was made in, from 1.
        cause: Why it was made: "first"; "feedback" (a loop's later attempt); "escalation"
            (`Escalate` went on to another step); "fallback" (a later step of a `Fallback`);
            "sample" (one of several of a `BestOf` or a `Race(n=)`); "race" (a branch of a `Race`);
            "repair" (a `Repair` ran the same code again).
            The innermost combinator decides. A step of your own may give another one.
        started: When it began, in seconds since the Unix epoch; None if unknown. Not compared.
        seconds: Wall seconds from its begin to its verdict. Not compared.

    Raises:
        ValueError: index or round is less than 1.
    """

    index: int
    verdict: Verdict
    usage: Usage = field(default_factory=Usage)
    path: tuple[str, ...] = ()
    round: int = 1
    cause: str = FIRST
    started: float | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        for name, number in (("index", self.index), ("round", self.round)):
            if number < 1:
                raise ValueError(f"Attempt({name}={number!r}): must be at least 1")

    @property
    def execution(self) -> Execution:
        """The execution of the candidate."""
        return self.verdict.execution

    @property
    def candidate(self) -> Candidate:
        """The candidate."""
        return self.verdict.execution.candidate

    @property
    def code(self) -> str:
        """The code, without the task's preamble."""
        return self.candidate.code

    @property
    def status(self) -> Status:
        """How the execution ended."""
        return self.execution.status

    @property
    def passed(self) -> bool:
        """Whether the verdict is a pass."""
        return self.verdict.passed

    @property
    def score(self) -> float | None:
        """The verdict's score."""
        return self.verdict.score

    def rank(self) -> tuple[bool, bool, float, Evidence, int]:
        """Return the key that orders attempts: passed, then as `rank`, then the earlier one."""
        return (*rank(self), -self.index)


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch(Record):
    """How one branch of a race, a fan-out of candidates or a chain of fallbacks ended.

    Attributes:
        name: The name that the branch was given (`named`), else its `repr`, cut to 200
            characters; of several runs of one step, its name or "candidate", with the number
            from 0.
        outcome: "won"; "lost": it ended, and another branch was chosen; "cancelled": it was
            stopped because another branch had won; "failed": it raised an exception.
        attempts: Its attempts, as indices of the report's history, from 1.
        error: The exception that it raised, as text; None if it raised none.
        usage: What it used, its attempts included.
        path: The segments of its path, outermost first: ("Retry#2", "Race[0]"). The paths of its
            attempts begin with them. Empty if it never started.
        started: When it began, in seconds since the Unix epoch; None if it did not. Not compared.
        seconds: Wall seconds from its begin to its end. Not compared.
    """

    name: str
    outcome: BranchOutcome
    attempts: tuple[int, ...] = ()
    error: str | None = None
    usage: Usage = field(default_factory=Usage)
    path: tuple[str, ...] = ()
    started: float | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)
