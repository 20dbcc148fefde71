"""From evidence to a verdict, and so to a report of one attempt."""

from dataclasses import replace

from planish.data.execution import SEPARATIONS, Execution, Separation
from planish.data.report import Attempt, Report
from planish.data.usage import Usage
from planish.data.verdict import Finding, Verdict
from planish.errors import WiringError
from planish.judges import Judge, apply_judge, tests_pass
from planish.runtime.primitive import Primitive
from planish.runtime.signature import is_assignable, signature_of_function

__all__ = ["Validator"]


class Validator(Primitive[Execution, Report]):
    """Judge an execution. What comes out is a report of one attempt, which loops can join.

    Args:
        judge: Who judges: `tests_pass` unless given. Any function of an `Execution` will do
            that gives a verdict, yes or no, or what is wrong. Combine judges with `all_of`,
            `any_of` and `weighted`.
        require: The least separation a pass must rest on: "isolated", "shared_process" or
            "exit_code"; see `Evidence`. A pass that rests on less becomes "unverified", with a
            finding that says why. None (the default) takes any.

    Raises:
        WiringError: the judge is no function of an `Execution`, or there is no such separation.
    """

    operation = "evaluate"

    def __init__(self, judge: Judge = tests_pass, *, require: Separation | None = None) -> None:
        taken = signature_of_function(judge)[0] if callable(judge) else None
        if not is_assignable(Execution, taken):
            raise WiringError(f"Validator({judge!r}): a judge is a function of an Execution")
        if require is not None and require not in SEPARATIONS:
            raise WiringError(
                f"Validator(require={require!r}): there is {', '.join(map(repr, SEPARATIONS))}"
            )
        self.judge = judge
        self.require: Separation | None = require

    async def _run(self, value: Execution) -> Report:
        verdict = await apply_judge(self.judge, value)
        if self.require is not None:
            verdict = _at_least(verdict, self.require)
        return Report(
            task=replace(value.candidate.task, feedback=None),
            history=(Attempt(index=1, verdict=verdict),),
            stop_reason="success" if verdict.passed else "judged",
            usage=_usage(value),
        )


def _at_least(verdict: Verdict, require: Separation) -> Verdict:
    """Turn a pass that rests on weaker separation than required into "unverified"."""
    found = verdict.evidence.separation
    if not verdict.passed or SEPARATIONS.index(found) >= SEPARATIONS.index(require):
        return verdict
    reasons = "; ".join(verdict.execution.weakened_by)
    finding = Finding(
        message=f"the pass rests on separation {found!r}, and {require!r} is required"
        + (f": {reasons}" if reasons else ""),
        fix="see docs/verdicts.md for the kinds of tests and sandboxes that give it",
    )
    return replace(verdict, label="unverified", score=None, findings=(finding, *verdict.findings))


def _usage(execution: Execution) -> Usage:
    used = Usage(sandbox_runs=execution.runs, sandbox_seconds=execution.duration)
    reply = execution.candidate.reply
    return used if reply is None else used + replace(reply.usage, model_calls=1)
