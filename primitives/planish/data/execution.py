"""`Execution`: what happened when a candidate was run with its tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from planish.data.candidate import Candidate
from planish.data.program import LimitName, check_returned_paths
from planish.data.record import Base64, Record, freeze
from planish.data.sandbox import Display, Guarantee
from planish.data.status import NEUTRAL_STATUSES, Place, Status, TestStatus

__all__ = ["SEPARATIONS", "Execution", "Failure", "Separation", "TestResult"]

Separation = Literal["none", "exit_code", "shared_process", "isolated"]

SEPARATIONS: tuple[Separation, ...] = ("none", "exit_code", "shared_process", "isolated")
"""All values of `Separation`, weakest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult(Record):
    """How one test ended.

    Attributes:
        name: The test's name, or its source in one line.
        status: "passed"; "failed": the value was wrong; "error": an exception was raised;
            "not_run": the test was not reached, so it has not passed; "skipped": the test's
            author skips it, decided before the candidate was loaded; "no_evidence": it passed,
            but used nothing of the candidate. The last two do not count towards the score.
        expected: The expected value as source text, if known.
        actual: The actual value as source text, if known.
        message: The message of the failed assertion or of the exception.
        line: Line of the test in the test code, from 1.
        duration: Wall-clock seconds.
        exception: Class name of the exception that ended the test; "" without one.
        bases: Names of that class's base classes, nearest first.
        place: Where the exception was raised; None if unknown.
        solution_line: Line of the candidate's code at which it was raised, from 1, or at which
            the candidate was when its time was over; None if unknown.
        source: The statement of the tests that failed, or the call of a case; "" if unknown.
    """

    # pytest collects classes named Test...; this one is no test.
    __test__ = False

    name: str
    status: TestStatus
    expected: str | None = None
    actual: str | None = None
    message: str = ""
    line: int | None = None
    duration: float | None = None
    exception: str = ""
    bases: tuple[str, ...] = ()
    place: Place | None = None
    solution_line: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure(Record):
    """The first failure of an execution, with its traceback.

    Attributes:
        name: The exception's class name; "Timeout", "ResourceLimit", "Killed", "EarlyExit",
            "Tampering" or "PreambleError" if there was no exception of the code.
        message: The exception's message, or a description of the failure.
        traceback: The traceback, with the line numbers of the candidate's code.
        line: Line in the candidate's code, from 1, if known.
        offset: Column of a syntax error, from 1.
        text: Source of that line.
        bases: Names of the exception's base classes, nearest first.
        loading: Whether it ended the loading of the code, before any statement of the tests ran.
    """

    name: str
    message: str
    traceback: str = ""
    line: int | None = None
    offset: int | None = None
    text: str = ""
    bases: tuple[str, ...] = ()
    loading: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution(Record):
    """The evidence of one run of a candidate. Its texts are cut to bounded lengths.

    Attributes:
        candidate: The candidate that was run.
        status: How the run ended.
        tests: The results of all expected tests, in order, including those that did not run;
            then a failed test for each output that breaks the task's contract.
        failure: The first failure; None if there was none.
        stdout: Standard output, including that before a failure.
        stderr: Standard error, including that before a failure.
        exit_code: The program's exit code; None if it did not end by itself.
        signal: Number of the signal that ended the program, or None.
        limit: The limit that the program was stopped at, or None.
        duration: Wall-clock seconds in the sandbox; 0.0 if it was not run.
        runs: Number of programs that were run for it; 0 if none was needed.
        repeats: Number of the earlier attempt that ran the same programs and whose evidence this
            is; None if this candidate was run.
        sandbox: The sandbox's name; None if it was not run.
        isolation: The isolation between program and host, as in `Completed.isolation`; that of
            the last program if there were several.
        guarantees: The guarantees that held for every program that was run for it, sorted.
        artifacts: The files of the outputs folder, by path.
        displays: What the program displayed, in order.
        findings: Notes of the sandbox, for example a package that it refused, or an output that
            it left out.
        separation: The separation between the candidate and the decision: see `Evidence`.
        weakened_by: Reasons why the separation is less than "isolated", one sentence each.
        packages: Packages outside the standard library that candidate or tests imported, sorted.
        key: Digest of everything that was run: programs, sandbox and limits; "" if nothing was.
        lacks: The system packages that the candidate names and that the sandbox did not install.
    """

    candidate: Candidate
    status: Status
    tests: tuple[TestResult, ...] = ()
    failure: Failure | None = None
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    signal: int | None = None
    limit: LimitName | None = None
    duration: float = 0.0
    runs: int = 0
    repeats: int | None = None
    sandbox: str | None = None
    isolation: str | None = None
    guarantees: tuple[Guarantee, ...] = ()
    artifacts: Mapping[str, Base64] = field(default_factory=dict[str, bytes])
    displays: tuple[Display, ...] = ()
    findings: tuple[str, ...] = ()
    separation: Separation = "none"
    weakened_by: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    key: str = ""
    lacks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, "artifacts")
        check_returned_paths(self, "artifacts")

    @property
    def attempt(self) -> int:
        """Number of the attempt of its loop that it belongs to, from 1."""
        return self.candidate.attempt

    @property
    def score(self) -> float | None:
        """The share of passed tests, from 0 to 1, of all tests that count; None if none counts."""
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
