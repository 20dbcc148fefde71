"""Make a `Completed` of what a supervisor has reported."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from planish.data.program import Completed, Program, limit_name
from planish.data.sandbox import Guarantee
from planish.errors import SandboxError
from planish.guest.protocol import frames

from ._capture import ProgramOutput
from ._messages import Frames

__all__ = ["SandboxFacts", "completed_from", "left_out", "raise_failure"]


@dataclass(frozen=True, slots=True)
class SandboxFacts:
    """What a sandbox says of itself in each result.

    Attributes:
        isolation: `Completed.isolation`.
        guarantees: `Completed.guarantees`, in any order.
        sandbox_id: `Completed.sandbox_id`.
        findings: Put before those of the run.
    """

    isolation: str
    guarantees: Collection[Guarantee] = ()
    sandbox_id: str | None = None
    findings: Sequence[str] = ()


def completed_from(
    answer: Frames,
    program: Program,
    facts: SandboxFacts,
    *,
    output: ProgramOutput | None = None,
    results: bytes | None = None,
) -> Completed:
    """Return how a program ended, by its supervisor's report.

    Args:
        answer: The report; it must hold an ENDED frame.
        program: The program.
        facts: Of the sandbox.
        output: What was read of its streams; None: as the report says.
        results: What it has reported; None: as the report says.
    """
    status, limit, seconds, cpu = answer[frames.ENDED][0].decode().split()
    code = int(status)
    stdout = b"".join(answer[frames.STDOUT]) if output is None else output.stdout
    stderr = b"".join(answer[frames.STDERR]) if output is None else output.stderr
    return Completed(
        exit_code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        limit="output_bytes" if output and output.flooded else limit_name(limit),
        stdout=stdout,
        stderr=stderr,
        duration=float(seconds),
        cpu_seconds=float(cpu),
        files=dict(answer.pairs(frames.FILE)),
        results=next(iter(answer[frames.RESULTS]), None) if results is None else results,
        artifacts=dict(answer.pairs(frames.OUTPUT)),
        findings=(
            *facts.findings,
            *(left_out(path, why, program.outputs) for path, why in answer.pairs(frames.LEFT_OUT)),
        ),
        isolation=facts.isolation,
        guarantees=tuple(sorted(facts.guarantees)),
        sandbox_id=facts.sandbox_id,
    )


def raise_failure(answer: Frames, sandbox: str) -> None:
    """Raise the failure that the supervisor has reported, if it has.

    Args:
        answer: The report.
        sandbox: The name of the sandbox's class, for the message.

    Raises:
        SandboxError: the supervisor could not do its work.
    """
    if answer[frames.FAILED]:
        why = answer[frames.FAILED][0].decode(errors="replace")
        raise SandboxError(f"{sandbox}: {why}")


def left_out(path: str, why: bytes, outputs: str | None) -> str:
    """Return the finding that something was left out of the outputs.

    Args:
        path: In the folder for outputs; empty for the folder itself.
        why: As the supervisor says it.
        outputs: `Program.outputs`.
    """
    reason = why.decode(errors="replace")
    if path:
        return f"outputs: {path!r} was left out: {reason}"
    return f"outputs: {outputs!r} is incomplete: {reason}"
