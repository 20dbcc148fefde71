"""A candidate, judged as planish judges it."""

from dataclasses import dataclass

from tests.forging.snippets import SEEN
from tests.forging.subject import Subject

from planish import Candidate, CodeExecution, Report, Task, Validator
from planish.abc import Sandbox
from planish.data import ResourceLimits

__all__ = ["Outcome", "judge"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    Attributes:
        label: The verdict.
        separation: What it rests on.
        entered: Code of the candidate's ran beside the records.
        why: What the verdict rests on, for whoever reads a failure.
        passed: How many tests have passed.
    """

    label: str
    separation: str
    entered: bool
    why: str
    passed: int

    @property
    def forged(self) -> bool:
        """A wrong candidate has passed, and nothing in the verdict tells."""
        return self.label == "passed" and self.separation == "isolated"


async def judge(
    sandbox: Sandbox, subject: Subject, kind: str, code: str, *, seconds: float = 5.0
) -> Outcome:
    """Judge a candidate.

    Args:
        sandbox: Where.
        subject: What the tests ask for.
        kind: One of the subject's kinds of tests.
        code: The candidate.
        seconds: Its time limit.
    """
    limits = ResourceLimits(seconds=seconds, memory_mb=512, disk_mb=64)
    attempt = CodeExecution(sandbox, limits=limits) >> Validator()
    task = Task("As the tests have it.", tests=subject.tests[kind], entry_point=subject.entry)
    report: Report = await attempt.run(Candidate(task=task, code=code))
    assert report.best is not None
    verdict = report.best.verdict
    execution = verdict.execution
    failure = execution.failure
    tests = [test.status for test in execution.tests]
    return Outcome(
        label=verdict.label,
        separation=str(verdict.evidence.separation),
        entered=SEEN in execution.stdout + execution.stderr,
        why=f"{execution.status} {tests} {failure and (failure.name, failure.message)}",
        passed=tests.count("passed"),
    )
