"""What a judge makes of an execution, and what that rests on."""

import math
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, Literal

from planish.data.execution import SEPARATIONS, Execution, Separation
from planish.data.record import Record
from planish.errors import WiringError

__all__ = ["ORIGINS", "Evidence", "EvidenceOrigin", "Finding", "Label", "Severity", "Verdict"]

EvidenceOrigin = Literal["none", "review", "generated", "user"]

ORIGINS: tuple[EvidenceOrigin, ...] = ("none", "review", "generated", "user")
"""The origins, weakest first."""


@total_ordering
@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Record):
    """What a verdict rests on. Two of them compare by separation, then by origin.

    `docs/verdicts.md` says which kind of tests on which sandbox gives which words.

    Attributes:
        origin: Who wrote what was checked: "user" (the task's tests), "generated" (tests that a
            model wrote), "review" (the opinion of a judge), "none".
        separation: How far the candidate's code was kept from what decided. "isolated": another
            process decided, which no byte of the candidate reached, on values that were
            compared there. "shared_process": the tests ran, but the candidate's code, or an
            object of its making, could take part in the decision. "exit_code": only the way in
            which the program ended was looked at. "none": nothing was run.

    Example:
        >>> Evidence(origin="user", separation="isolated") > Evidence(origin="user")
        True
    """

    origin: EvidenceOrigin = "none"
    separation: Separation = "none"

    def __lt__(self, other: "Evidence") -> bool:
        return self._rank() < other._rank()

    def _rank(self) -> tuple[int, int]:
        return SEPARATIONS.index(self.separation), ORIGINS.index(self.origin)

    def __str__(self) -> str:
        return f"{self.origin}, {self.separation}"


Label = Literal["passed", "failed", "unverified"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Record):
    """One thing a judge noticed.

    Attributes:
        message: What is wrong.
        severity: How bad it is; a "warning" does not fail anything by itself.
        fix: What to do about it, where the judge knows.
        test: The test it is about, where there is one.
        expected: The value that test wanted, as source text.
        actual: The value it got.
    """

    message: str
    severity: Severity = "error"
    fix: str = ""
    test: str | None = None
    expected: str | None = None
    actual: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Record):
    """A judgement, with all it rests on.

    Attributes:
        execution: What was judged; it holds the candidate, which holds the task.
        label: "passed", "failed", or "unverified": no evidence either way, never a pass.
        score: From 0 to 1; None where there is no evidence.
        findings: What the judge noticed, most important first.
        judge: Who judged.
        evidence: What it rests on: whose tests or opinion, and how far the candidate was kept
            from the decision.

    Raises:
        WiringError: the score is not a finite number from 0 to 1.
    """

    execution: Execution
    label: Label
    score: float | None = None
    findings: tuple[Finding, ...] = ()
    judge: str = "tests"
    evidence: Evidence = field(default_factory=Evidence)

    def __post_init__(self) -> None:
        score: Any = self.score
        if score is None:
            return
        number = isinstance(score, int | float) and not isinstance(score, bool)
        if not number or not math.isfinite(score) or not 0 <= score <= 1:
            raise WiringError(
                f"Verdict(score={score!r}) of the judge {self.judge!r}: a score is a finite "
                "number from 0 to 1, or None"
            )

    @property
    def passed(self) -> bool:
        """The label is "passed"."""
        return self.label == "passed"
