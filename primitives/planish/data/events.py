"""What happens during a run, as typed values: for progress displays, services and logs."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.record import Record
from planish.data.report import BranchOutcome, Report

__all__ = [
    "Action",
    "AttemptStarted",
    "BranchEnded",
    "CandidateJudged",
    "CodeExecuted",
    "CodeGenerated",
    "Event",
    "LoopStopped",
    "RunEnded",
    "RunStarted",
    "TokensReceived",
]

Action = Literal["generate", "regenerate", "execute", "analyze", "terminate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event(Record):
    """What all events say.

    Attributes:
        path: The attempts and branches around it, outermost first: "Retry#2/Race[0]".
        attempt: The innermost loop's attempt, from 1; 0 outside a loop.
    """

    kind: ClassVar[str]

    path: str = ""
    attempt: int = 0

    @property
    def action(self) -> Action | None:
        """The agent action this is, where it is one."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(_Event):
    """A pipeline was started.

    Attributes:
        pipeline: As it prints.
    """

    kind: ClassVar[str] = "run_started"
    pipeline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(_Event):
    """It ended.

    Attributes:
        error: The exception's name, when it raised or was cancelled; None otherwise.
    """

    kind: ClassVar[str] = "run_ended"
    pipeline: str
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStarted(_Event):
    """A loop starts an attempt; `attempt` says which.

    Attributes:
        maximum: The most attempts there can be; None where only other rules stop the loop.
    """

    kind: ClassVar[str] = "attempt_started"
    maximum: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensReceived(_Event):
    """A model wrote a piece of text."""

    kind: ClassVar[str] = "tokens_received"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeGenerated(_Event):
    """A generator proposed code."""

    kind: ClassVar[str] = "code_generated"
    candidate: Candidate

    @property
    def action(self) -> Action:
        """Generate, or regenerate from feedback."""
        return "generate" if self.candidate.task.feedback is None else "regenerate"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeExecuted(_Event):
    """Code was run, or found not worth running."""

    kind: ClassVar[str] = "code_executed"
    execution: Execution

    @property
    def action(self) -> Action:
        """Execute."""
        return "execute"


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateJudged(_Event):
    """An execution was judged: a report of one attempt."""

    kind: ClassVar[str] = "candidate_judged"
    report: Report

    @property
    def action(self) -> Action:
        """Analyze."""
        return "analyze"


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchEnded(_Event):
    """One branch of a race, fan-out or chain of fallbacks ended.

    Attributes:
        name: The branch as it prints.
        outcome: How it ended.
    """

    kind: ClassVar[str] = "branch_ended"
    name: str
    outcome: BranchOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopStopped(_Event):
    """A loop stopped.

    Attributes:
        reason: The stop reason.
        passed: Whether what it gives has passed.
        score: Its score.
    """

    kind: ClassVar[str] = "loop_stopped"
    reason: str
    passed: bool
    score: float | None

    @property
    def action(self) -> Action:
        """Terminate."""
        return "terminate"


Event = (
    RunStarted
    | AttemptStarted
    | TokensReceived
    | CodeGenerated
    | CodeExecuted
    | CandidateJudged
    | BranchEnded
    | LoopStopped
    | RunEnded
)
