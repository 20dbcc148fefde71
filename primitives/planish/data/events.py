"""Types of the events of a run, for progress displays, services and logs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from planish.data.attempt import BranchOutcome
from planish.data.candidate import Candidate
from planish.data.event import Action, Event
from planish.data.execution import Execution
from planish.data.message import Reply, Request
from planish.data.report import Report

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
    "SandboxChanged",
    "SandboxRunEnded",
    "SandboxRunStarted",
    "SandboxState",
    "TokensReceived",
]

SandboxState = Literal["created", "reused", "released", "killed", "lost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """A pipeline was started.

    Attributes:
        pipeline: The `repr` of the pipeline.
    """

    kind: ClassVar[str] = "run_started"
    pipeline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Event):
    """A pipeline ended.

    Attributes:
        pipeline: The `repr` of the pipeline.
        error: Class name of the exception if it raised or was cancelled; None otherwise.
    """

    kind: ClassVar[str] = "run_ended"
    pipeline: str
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStarted(Event):
    """A loop starts the attempt with the number `attempt`.

    Attributes:
        maximum: Maximum number of attempts; None if only other rules stop the loop.
    """

    kind: ClassVar[str] = "attempt_started"
    maximum: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensReceived(Event):
    """A model wrote a piece of text.

    Attributes:
        text: The piece.
    """

    kind: ClassVar[str] = "tokens_received"
    text: str

    def fields(self) -> Mapping[str, str | float | bool | None]:
        """Return nothing: what a model writes is in no log."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeGenerated(Event):
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

    def fields(self) -> Mapping[str, str | float | bool | None]:
        """Return the digest of the code and what is wrong with the reply."""
        return {"digest": self.candidate.digest, "problem": self.candidate.problem}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeExecuted(Event):
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

    def fields(self) -> Mapping[str, str | float | bool | None]:
        """Return status and duration in seconds."""
        return {"status": self.execution.status.value, "duration": self.execution.duration}


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateJudged(Event):
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

    def fields(self) -> Mapping[str, str | float | bool | None]:
        """Return verdict, score and status."""
        verdict, status = self.report.verdict, self.report.status
        return {
            "verdict": None if verdict is None else verdict.label,
            "score": self.report.score,
            "status": None if status is None else status.value,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchEnded(Event):
    """One branch of a race, fan-out or chain of fallbacks ended.

    Attributes:
        name: The `repr` of the branch.
        outcome: How it ended.
    """

    kind: ClassVar[str] = "branch_ended"
    name: str
    outcome: BranchOutcome

    def fields(self) -> Mapping[str, str | float | bool | None]:
        """Return the name of the branch and how it ended."""
        return {"branch": self.name, "outcome": self.outcome}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopStopped(Event):
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
class ModelCallStarted(Event):
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
class ModelCallEnded(Event):
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
class SandboxRunStarted(Event):
    """A sandbox is about to run a program, or a step of a session.

    Attributes:
        sandbox: The sandbox's name.
    """

    kind: ClassVar[str] = "sandbox_run_started"
    sandbox: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxRunEnded(Event):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxChanged(Event):
    """A sandbox that outlives a run, such as a microVM, was created, used again, or ended.

    Attributes:
        sandbox: The sandbox's name.
        sandbox_id: The provider's id of it.
        state: "created"; "reused", taken from those that wait for a program; "released", put back
            among them; "killed"; "lost", found to be gone, or not confirmed to be killed.
        duration: Wall seconds that creating or killing it took; None for what takes no time.
    """

    kind: ClassVar[str] = "sandbox_changed"
    sandbox: str
    sandbox_id: str
    state: SandboxState
    duration: float | None = None
