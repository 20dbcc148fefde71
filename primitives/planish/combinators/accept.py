"""Run a pipeline on a task's visible tests, and its best attempt on the held-out ones."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from planish.context.ledger import Ledger
from planish.context.scope import changed, current, enter, leave
from planish.data.candidate import Candidate
from planish.data.report import Report
from planish.data.task import Task
from planish.data.usage import Usage
from planish.errors import PlanishError, WiringError
from planish.runtime.diagram import Links
from planish.runtime.primitive import Primitive, as_primitive
from planish.runtime.signature import format_type, is_assignable
from planish.runtime.wiring import require_outcome

__all__ = ["Accept"]


class Accept(Primitive[Task, Report]):
    """Run a pipeline without the task's held-out tests, then judge its best attempt by them.

    The pipeline gets a task without `Task.accept`: generator, sandbox, judges, feedback and stop
    rules cannot see the held-out tests. They run once, after the pipeline has ended, on the best
    attempt, whether it passed the visible tests or not. The report's `passed` is their verdict,
    which is in `Report.acceptance`; attempts, scores and feedback are those of the visible tests.
    A task without held-out tests runs as if the pipeline stood alone.

    If the run is cut short, the report has no `acceptance`, and has not passed.

    Args:
        step: The pipeline: `Retry(...)`, for example.
        check: Executes and judges a candidate: `CodeExecution(sandbox) >> Validator()`.

    Raises:
        WiringError: one of them has other types, or the pipeline has an `Accept` in it. A
            combinator that compares outcomes, such as `Retry` or `Race`, refuses an `Accept`
            within it: its result would flow back.
    """

    runs_held_out_tests = True

    def __init__(self, step: Primitive[Task, Report], check: Primitive[Candidate, Report]) -> None:
        self.step: Primitive[Task, Report] = as_primitive(step, "Accept:")
        self.check: Primitive[Candidate, Report] = as_primitive(check, "Accept:")
        require_outcome("Accept", self.step)
        require_outcome("Accept", self.check)
        input_type = self.check.signature[0]
        if not is_assignable(Candidate, input_type):
            raise WiringError(
                f"Accept judges a Candidate with {self.check!r}, which takes "
                f"{format_type(input_type)}: give it CodeExecution(sandbox) >> Validator()"
            )
        self._signature = self.step.signature

    def _links(self) -> Links:
        return Links("frame")

    async def _run(self, value: Task) -> Report:
        if value.accept is None:
            return await self.step.run(value)
        with _sealed_ledger(value):
            report = replace(await self.step.run(replace(value, accept=None)), task=value)
        scope = current()
        if scope.ledger is not None:
            scope.ledger.record(report)  # the check may be cut short
        best = report.best
        if best is None:
            return report
        held_out = replace(value, tests=value.accept, accept=None, feedback=None)
        checked = await self.check.run(replace(best.candidate, task=held_out))
        used = sum((attempt.usage for attempt in checked.history), Usage())
        history = [
            replace(attempt, usage=attempt.usage + used) if attempt is best else attempt
            for attempt in report.history
        ]
        return replace(
            report,
            history=tuple(history),
            acceptance=checked.verdict,
            usage=report.usage + used,
        )


@contextmanager
def _sealed_ledger(task: Task) -> Generator[None]:
    """Let what the pipeline reached leave the block only as attempts at the task itself.

    Within, a report passes by the visible tests. If the pipeline is cut short, the enclosing
    ledger and the error get its attempts in a report that has not been accepted.
    """
    outer = current()
    ledger = Ledger(outer.ledger)
    token = enter(changed(outer, ledger=ledger))
    try:
        yield
    except BaseException as error:
        partial = ledger.partial_report("error")
        if partial is not None and outer.ledger is not None:
            outer.ledger.record(replace(partial, task=task))
        if isinstance(error, PlanishError) and error.report is not None:
            error.report = replace(error.report, task=task)
        raise
    finally:
        leave(token)
        ledger.close()
