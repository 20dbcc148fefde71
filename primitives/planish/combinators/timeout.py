"""Cancel a step after a time."""

from typing import cast

from planish.arguments import require_number
from planish.context.ledger import ledger_scope
from planish.context.partial_reports import empty_report, returns_report
from planish.context.path import path_scope
from planish.context.replay import run_until
from planish.context.time import current_clock
from planish.errors import DeadlineError
from planish.runtime.naming import name_in_path
from planish.runtime.primitive import In, Out, Primitive, as_primitive

__all__ = ["Timeout"]


class Timeout(Primitive[In, Out]):
    """Run a step, and cancel it after a number of seconds.

    If the step returns reports, a report of all that was reached is returned then, with the
    `stop_reason` "timeout". Otherwise `DeadlineError` is raised.

    Args:
        step: The step to run.
        seconds: Wall seconds, or those of `planish.effects.use_clock`; more than 0.

    Raises:
        ValueError: seconds is not a number of more than 0.
        DeadlineError: at run time, the time is over and there is no report to return. The
            error's `report` has what was reached, if anything was.
    """

    delegates = True

    def __init__(self, step: Primitive[In, Out], *, seconds: float) -> None:
        require_number("Timeout", "seconds", seconds, above=0)
        self.step: Primitive[In, Out] = as_primitive(step, "Timeout:")
        self.seconds = seconds
        self._signature = self.step.signature

    async def _run(self, value: In) -> Out:
        with ledger_scope() as ledger:
            with path_scope(name_in_path(self, "Timeout")):
                results = await run_until(
                    "Timeout",
                    lambda: self.step.run(value),
                    self.seconds,
                    current_clock(),
                    ledger,
                )
            if results:
                return results[0]
            report = ledger.partial_report("timeout")
            if returns_report(self.signature):
                report = report or empty_report(value, "timeout", ledger.usage)
                if report is not None:
                    return cast("Out", report)
            error = DeadlineError(f"{self.step!r} took longer than {self.seconds:g} s")
            error.report = report
            raise error
