"""`Verdict` of a judge on an execution, with its `Finding`s and its `Evidence`."""

from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, Literal

from planish.data.execution import SEPARATIONS, Execution, Separation
from planish.data.record import Record
from planish.data.status import FailureKind, Place, Status
from planish.errors import WiringError

__all__ = ["ORIGINS", "Evidence", "EvidenceOrigin", "Finding", "Label", "Severity", "Verdict"]

EvidenceOrigin = Literal["none", "review", "generated", "user"]

ORIGINS: tuple[EvidenceOrigin, ...] = ("none", "review", "generated", "user")
"""All values of `EvidenceOrigin`, weakest first."""


@total_ordering
@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Record):
    """The strength of a verdict's evidence. Ordered by separation, then by origin.

    See `docs/verdicts.md` for the evidence of each kind of tests on each sandbox.

    Attributes:
        origin: Source of the evidence: "user" (the task's tests), "generated" (tests that a
            model wrote), "review" (the opinion of a judge) or "none".
        separation: Separation between the candidate's code and the decision. "isolated": another
            process, which no byte of the candidate reached, compared the values and decided.
            "shared_process": the tests ran, but the candidate's code, or an object made by it,
            could influence the decision. "exit_code": only how the program ended was checked.
            "none": nothing was run.

    Example:
        >>> Evidence(origin="user", separation="isolated") > Evidence(origin="user")
        True
    """

    origin: EvidenceOrigin = "none"
    separation: Separation = "none"

    def __lt__(self, other: "Evidence") -> bool:
        return self._rank() < other._rank()

    def _rank(self) -> tuple[int, int]:
        # A word of a newer document, which is not in the list, is the weakest.
        separation = SEPARATIONS.index(self.separation) if self.separation in SEPARATIONS else -1
        return separation, ORIGINS.index(self.origin) if self.origin in ORIGINS else -1

    def __str__(self) -> str:
        return f"{self.origin}, {self.separation}"


TESTS = "tests"
"""The name of the judge that decides by the task's tests alone: `planish.judges.tests_pass`."""

COULD_NOT_JUDGE = "could not judge"
"""How the message of a finding begins that says that a judge raised an exception."""

_NOT_RUN = frozenset({Status.SYNTAX_ERROR, Status.TEST_ERROR, Status.INFRA_ERROR})

Label = Literal["passed", "failed", "unverified"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Record):
    """A defect or a remark that a judge found.

    Attributes:
        message: What is wrong.
        severity: "error" fails the verdict of a judge that returns findings; "warning" and
            "info" do not.
        fix: What to do about it; "" if unknown.
        test: Name of the test that shows it, if any.
        expected: The test's expected value, as source text.
        actual: The test's actual value, as source text.
        kind: What the failure is about; None if it is not about one.
        place: Where it was raised; None if unknown.
        line: Line in the candidate's code, from 1, if known.
        exception: Class name of the exception; "" without one.
        bases: Names of that class's base classes, nearest first.
        signature: Exception and message without addresses and numbers: equal for one error at
            different places.
        call: The call that failed, as a line that can be pasted; "" if unknown.
        diff: How two texts differ, line by line; "" if they are not texts.
    """

    message: str
    severity: Severity = "error"
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
class Verdict(Record):
    """A judge's decision about an execution.

    Attributes:
        execution: The execution that was judged; it holds the candidate, which holds the task.
        label: "passed", "failed", or "unverified" if there is no evidence, which is not a pass.
        score: From 0 to 1; None if there is no evidence.
        findings: The judge's findings, most important first.
        judge: Name of the judge.
        evidence: The strength of the evidence: whose tests or opinion, and how separate the
            candidate was from the decision.

    Raises:
        WiringError: the score is not a finite number from 0 to 1; or the judge "tests" passes an
            execution with a test that has not passed.
    """

    execution: Execution
    label: Label
    score: float | None = None
    findings: tuple[Finding, ...] = ()
    judge: str = TESTS
    evidence: Evidence = field(default_factory=Evidence)

    def __post_init__(self) -> None:
        if self.judge == TESTS and self.label == "passed":
            for test in self.execution.tests:
                if test.status in ("failed", "error", "not_run"):
                    raise WiringError(
                        f"Verdict(label='passed') of the tests, but the test {test.name!r} "
                        f"ended with {test.status!r}: a judge of your own needs a name, "
                        "Verdict(judge='...')"
                    )
        score: Any = self.score
        if score is None:
            return
        number = isinstance(score, int | float) and not isinstance(score, bool)
        if not number or not 0 <= score <= 1:  # not of NaN either
            raise WiringError(
                f"Verdict(score={score!r}) of the judge {self.judge!r}: a score is a finite "
                "number from 0 to 1, or None"
            )

    def _check_read(self) -> None:
        """Refuse a pass of what was not run: no judge that `Validator` runs can give one."""
        execution = self.execution
        if not self.passed:
            return
        problem = execution.candidate.problem
        if problem is not None or execution.status in _NOT_RUN:
            reason = problem or execution.status.value
            raise ValueError(f"the verdict passes a candidate that was not run: {reason}")

    @property
    def passed(self) -> bool:
        """Whether the label is "passed"."""
        return self.label == "passed"
