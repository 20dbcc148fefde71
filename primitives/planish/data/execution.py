"""What happened when a candidate was run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from planish.data.candidate import Candidate
from planish.data.record import BYTES_AS_BASE64, Record, freeze
from planish.data.sandbox import Display, Guarantee
from planish.data.status import NEUTRAL_STATUSES, Status, TestStatus

__all__ = ["SEPARATIONS", "Execution", "Failure", "Separation", "TestResult"]

Separation = Literal["none", "exit_code", "shared_process", "isolated"]

SEPARATIONS: tuple[Separation, ...] = ("none", "exit_code", "shared_process", "isolated")
"""The separations, weakest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult(Record):
    """How one test ended.

    Attributes:
        name: What the test is called, or its source in one line.
        status: "failed": the value was wrong; "error": something was raised on the way;
            "not_run": it was never reached, and so has not passed; "skipped": its author skips
            it, which was decided before the candidate was loaded; "no_evidence": it passed, but
            used nothing of the candidate's. The last two count neither way.
        expected: The value it wanted, as source text, where that is known.
        actual: The value it got.
        message: What the failed assertion or the exception says.
        line: Its line in the tests, from 1.
        duration: Wall seconds.
    """

    # pytest collects classes called Test...; this one holds results.
    __test__ = False

    name: str
    status: TestStatus
    expected: str | None = None
    actual: str | None = None
    message: str = ""
    line: int | None = None
    duration: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure(Record):
    """The first thing that went wrong, whole.

    Attributes:
        name: The exception's class name; "Timeout", "ResourceLimit", "Killed", "EarlyExit" or
            "Tampering" where there was none.
        message: What it says.
        traceback: Its traceback, the candidate's own lines numbered as in its code.
        line: The line in the candidate's code, from 1, where that is known.
        offset: The column, from 1, of a syntax error.
        text: That line's source.
    """

    name: str
    message: str
    traceback: str = ""
    line: int | None = None
    offset: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution(Record):
    """The evidence of one run. Texts are bounded: see `planish.verification.bounded`.

    Attributes:
        candidate: What was run.
        status: How it ended, in one word.
        tests: Every expected test, in order, also those that did not run.
        failure: The first thing that went wrong; None when nothing did.
        stdout: What it printed, also before a failure.
        stderr: The same for standard error.
        exit_code: Of the program, where it ended by itself.
        signal: The signal that ended it.
        limit: The limit it was stopped at.
        duration: Wall seconds in the sandbox; 0.0 when it was not run.
        runs: How many programs were run for it; 0 when none was needed.
        repeats: The earlier attempt that ran the very same programs, whose evidence this is;
            None when it was run.
        sandbox: The sandbox's name; None when it was not run.
        isolation: What stood between the program and the host, in one word; of several
            programs, the last one's.
        guarantees: What held for every program that was run for it, sorted.
        artifacts: The files it left in its outputs folder.
        displays: What it showed, in order.
        findings: What the sandbox noticed: a package it refused, an output it left out.
        separation: How far the candidate was kept from what decided: see `Evidence`.
        weakened_by: Why the separation is less than "isolated", a sentence each.
        packages: Packages beyond the standard library that candidate or tests imported, sorted.
        key: Digest of all that was run: programs, sandbox and limits; "" when nothing was.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = BYTES_AS_BASE64

    candidate: Candidate
    status: Status
    tests: tuple[TestResult, ...] = ()
    failure: Failure | None = None
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    signal: int | None = None
    limit: str | None = None
    duration: float = 0.0
    runs: int = 0
    repeats: int | None = None
    sandbox: str | None = None
    isolation: str | None = None
    guarantees: tuple[Guarantee, ...] = ()
    artifacts: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    displays: tuple[Display, ...] = ()
    findings: tuple[str, ...] = ()
    separation: Separation = "none"
    weakened_by: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    key: str = ""

    def __post_init__(self) -> None:
        freeze(self, "artifacts")

    @property
    def score(self) -> float | None:
        """Passed tests over all tests that count; None where there are none."""
        if self.repeats is not None and not self.tests:
            return self._repeated_score()
        counted = [test for test in self.tests if test.status not in NEUTRAL_STATUSES]
        if not counted:
            return None
        return sum(test.status == "passed" for test in counted) / len(counted)

    def _repeated_score(self) -> float | None:
        feedback = self.candidate.task.feedback
        earlier = feedback.previous_attempts if feedback else ()
        return next((t.score for t in earlier if t.attempt == self.repeats), None)
