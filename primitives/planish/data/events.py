"""Types of the events of a run, for progress displays, services and logs."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.message import Reply, Request
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
    "ModelCallEnded",
    "ModelCallStarted",
    "RunEnded",
    "RunStarted",
    "SandboxRunEnded",
    "SandboxRunStarted",
    "TokensReceived",
]

Action = Literal["generate", "regenerate", "execute", "analyze", "terminate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event(Record):
    """Base class of all events.

    Attributes:
        path: The segments of the path of the step, outermost first, for example
            ("Retry#2", "Race[0]"); see `planish.effects.current_path`.
        attempt: Attempt of the innermost loop, from 1; 0 outside a loop.
    """

    kind: ClassVar[str]

    path: tuple[str, ...] = ()
    attempt: int = 0

    @property
    def action(self) -> Action | None:
        """The agent action that the event stands for; None if it stands for none."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(_Event):
    """A pipeline was started.

    Attributes:
        pipeline: The `repr` of the pipeline.
    """

    kind: ClassVar[str] = "run_started"
    pipeline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(_Event):
    """A pipeline ended.

    Attributes:
        pipeline: The `repr` of the pipeline.
        error: Class name of the exception if it raised or was cancelled; None otherwise.
    """

    kind: ClassVar[str] = "run_ended"
    pipeline: str
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStarted(_Event):
    """A loop starts the attempt with the number `attempt`.

    Attributes:
        maximum: Maximum number of attempts; None if only other rules stop the loop.
    """

    kind: ClassVar[str] = "attempt_started"
    maximum: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensReceived(_Event):
    """A model wrote a piece of text.

    Attributes:
        text: The piece.
    """

    kind: ClassVar[str] = "tokens_received"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeGenerated(_Event):
    """A generator proposed code.

    Attributes:
        candidate: The code and its task.
    """

    kind: ClassVar[str] = "code_generated"
    candidate: Candidate

    @property
    def action(self) -> Action:
        """The action: "generate", or "regenerate" if the task has feedback."""
        return "generate" if self.candidate.task.feedback is None else "regenerate"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeExecuted(_Event):
    """A candidate was run, or could not be run.

    Attributes:
        execution: The evidence of the run.
    """

    kind: ClassVar[str] = "code_executed"
    execution: Execution

    @property
    def action(self) -> Action:
        """The action: "execute"."""
        return "execute"


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateJudged(_Event):
    """An execution was judged.

    Attributes:
        report: The report of the one attempt.
    """

    kind: ClassVar[str] = "candidate_judged"
    report: Report

    @property
    def action(self) -> Action:
        """The action: "analyze"."""
        return "analyze"


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchEnded(_Event):
    """One branch of a race, fan-out or chain of fallbacks ended.

    Attributes:
        name: The `repr` of the branch.
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
        passed: Whether the loop's result passed.
        score: Score of the loop's result.
    """

    kind: ClassVar[str] = "loop_stopped"
    reason: str
    passed: bool
    score: float | None

    @property
    def action(self) -> Action:
        """The action: "terminate"."""
        return "terminate"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallStarted(_Event):
    """A model is about to be sent a request.

    Attributes:
        model: The model's name.
        provider: Its provider's name.
        request: The request.
    """

    kind: ClassVar[str] = "model_call_started"
    model: str
    provider: str
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCallEnded(_Event):
    """A call of a model ended.

    Attributes:
        model: The model's name.
        provider: Its provider's name.
        reply: The reply; None if the call failed or was cancelled.
        error: Class name of the exception if it raised or was cancelled; None otherwise.
    """

    kind: ClassVar[str] = "model_call_ended"
    model: str
    provider: str
    reply: Reply | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxRunStarted(_Event):
    """A sandbox is about to run a program, or a step of a session.

    Attributes:
        sandbox: The sandbox's name.
    """

    kind: ClassVar[str] = "sandbox_run_started"
    sandbox: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxRunEnded(_Event):
    """A run in a sandbox ended.

    Attributes:
        sandbox: The sandbox's name.
        sandbox_id: The provider's id of the sandbox, if it has one.
        seconds: Wall seconds of the run; None if the sandbox failed or the run was cancelled.
        exit_code: The exit code; None if a signal ended the program.
        limit: The limit that the program was killed for; None for none.
        error: Class name of the exception if it raised or was cancelled; None otherwise.
    """

    kind: ClassVar[str] = "sandbox_run_ended"
    sandbox: str
    sandbox_id: str | None = None
    seconds: float | None = None
    exit_code: int | None = None
    limit: str | None = None
    error: str | None = None


Event = (
    RunStarted
    | AttemptStarted
    | TokensReceived
    | CodeGenerated
    | CodeExecuted
    | CandidateJudged
    | BranchEnded
    | LoopStopped
    | ModelCallStarted
    | ModelCallEnded
    | SandboxRunStarted
    | SandboxRunEnded
    | RunEnded
)
"""Any event of a run."""
