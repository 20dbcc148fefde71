"""What a judge makes of an execution."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from planish.data._record import Record
from planish.data.evidence import Evidence
from planish.data.execution import Execution
from planish.errors import WiringError

__all__ = ["Finding", "Label", "Severity", "Verdict"]

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
