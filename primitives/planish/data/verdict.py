"""What a judge makes of an execution."""

from dataclasses import dataclass
from typing import Literal

from planish.data._record import Record
from planish.data.execution import Execution

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
        evidence: What it rests on: "user tests", "generated tests", "opinion", "none".
    """

    execution: Execution
    label: Label
    score: float | None = None
    findings: tuple[Finding, ...] = ()
    judge: str = "tests"
    evidence: str = "none"

    @property
    def passed(self) -> bool:
        """The label is "passed"."""
        return self.label == "passed"
