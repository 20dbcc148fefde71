"""From evidence to a verdict, and so to a report of one attempt."""

from dataclasses import replace

from planish.base import Primitive
from planish.data.execution import Execution
from planish.data.report import Attempt, Report
from planish.data.usage import Usage
from planish.errors import WiringError
from planish.judges import Judge, judged, tests_pass
from planish.wiring import doors_of_function, fits

__all__ = ["Validator"]


class Validator(Primitive[Execution, Report]):
    """Judge an execution. What comes out is a report of one attempt, which loops can join.

    Args:
        judge: Who judges: `tests_pass` unless given. Any function of an `Execution` will do
            that gives a verdict, yes or no, or what is wrong. Combine judges with `all_of`,
            `any_of` and `weighted`.

    Raises:
        WiringError: the judge is no function of an `Execution`.
    """

    operation = "evaluate"

    def __init__(self, judge: Judge = tests_pass) -> None:
        taken = doors_of_function(judge)[0] if callable(judge) else None
        if not fits(Execution, taken):
            raise WiringError(f"Validator({judge!r}): a judge is a function of an Execution")
        self.judge = judge

    async def _run(self, value: Execution) -> Report:
        verdict = await judged(self.judge, value)
        return Report(
            task=replace(value.candidate.task, feedback=None),
            history=(Attempt(index=1, verdict=verdict),),
            stop_reason="success" if verdict.passed else "judged",
            usage=_usage(value),
        )

    def __repr__(self) -> str:
        if self.judge is tests_pass:
            return "Validator()"
        return f"Validator({getattr(self.judge, '__name__', repr(self.judge))})"


def _usage(execution: Execution) -> Usage:
    used = Usage(sandbox_runs=execution.runs, sandbox_seconds=execution.duration)
    reply = execution.candidate.reply
    return used if reply is None else used + replace(reply.usage, model_calls=1)
