"""Judge an execution, with a report as the result."""

from dataclasses import replace
from typing import cast

from planish.context.scope import current
from planish.data.attempt import Attempt
from planish.data.execution import SEPARATIONS, Execution, Separation
from planish.data.report import Report
from planish.data.usage import Usage
from planish.data.verdict import Finding, Verdict
from planish.errors import WiringError
from planish.judges import Judge, apply_judge, tests_pass
from planish.judges._judging import load_findings
from planish.runtime.primitive import Primitive
from planish.runtime.signature import is_assignable, signature_of_function
from planish.runtime.wiring import WrongInputError

__all__ = ["Validator"]


class Validator(Primitive[Execution, Report]):
    """Judge an execution and return a report of one attempt, which combinators can join.

    Args:
        judge: A function from an `Execution` to a verdict, to True or False, or to what is wrong;
            `planish.judges.tests_pass` by default. Combine judges with `all_of`, `any_of` and
            `weighted`.
        require: The least separation a pass must rest on: "isolated", "shared_process" or
            "exit_code"; see `Evidence`. A pass with less becomes "unverified", with a finding
            that has the reason. None (the default) accepts any.

    Raises:
        WiringError: the judge is not a function of an `Execution`, or there is no such
            separation. At run time, the input is not an `Execution`.
    """

    operation = "evaluate"

    def __init__(self, judge: Judge = tests_pass, *, require: Separation | None = None) -> None:
        input_type = signature_of_function(judge)[0] if callable(judge) else None
        if not is_assignable(Execution, input_type):
            raise WiringError(f"Validator({judge!r}): a judge is a function of an Execution")
        if require is not None and require not in SEPARATIONS:
            options = ", ".join(map(repr, SEPARATIONS))
            raise WiringError(f"Validator(require={require!r}): must be one of {options}")
        load_findings()
        self.judge = judge
        self.require: Separation | None = require

    async def _run(self, value: Execution) -> Report:
        if not isinstance(cast("object", value), Execution):
            raise WrongInputError(self, value, "an Execution")
        verdict = await apply_judge(self.judge, value)
        ledger = current().ledger
        if self.require is not None:
            verdict = _require_separation(verdict, self.require)
        return Report(
            task=replace(value.candidate.task, feedback=None),
            history=(_attempt(verdict),),
            stop_reason="success" if verdict.passed else "judged",
            usage=Usage() if ledger is None else ledger.usage,
        )


def _attempt(verdict: Verdict) -> Attempt:
    ledger = current().ledger
    return Attempt(index=1, verdict=verdict) if ledger is None else ledger.attempt(verdict)


def _require_separation(verdict: Verdict, require: Separation) -> Verdict:
    """Return "unverified" for a pass that rests on less separation than required."""
    separation = verdict.evidence.separation
    if not verdict.passed or SEPARATIONS.index(separation) >= SEPARATIONS.index(require):
        return verdict
    reasons = "; ".join(verdict.execution.weakened_by)
    finding = Finding(
        message=f"the pass rests on separation {separation!r}, and {require!r} is required"
        + (f": {reasons}" if reasons else ""),
        fix="see docs/verdicts.md for the kinds of tests and sandboxes that provide it",
    )
    return replace(verdict, label="unverified", score=None, findings=(finding, *verdict.findings))
