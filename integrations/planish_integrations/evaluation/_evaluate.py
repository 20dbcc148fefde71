"""Measure a pipeline: many tasks through it, and what became of them."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from planish import Map, PlanishError, Primitive, Report, Task, step
from planish.combinators.map import ItemResult
from planish.errors import AuthenticationError, InfrastructureError, MisuseError, TaskError
from planish_integrations.evaluation._result import Evaluation, Result

__all__ = ["Check", "evaluate"]

_MAX_INFRASTRUCTURE_ERRORS = (
    3  # tasks; where nobody listens, the others need not wait for their time-outs
)

Check = Callable[[Report], Awaitable[Report]]
"""Judges the code a run accepted by tests the run did not know."""


async def evaluate(
    pipeline: Primitive[Task, Report],
    tasks: Iterable[Task],
    *,
    concurrency: int,
    check: Check | None = None,
    on_done: Callable[[Result], None] | None = None,
) -> Evaluation:
    """Run a pipeline on many tasks.

    A task whose model or sandbox is broken is a result with an error; the others go on.

    Args:
        pipeline: Any pipeline from a task to a report.
        tasks: What to run it on.
        concurrency: Tasks at once.
        check: Judges what was accepted once more, by hidden tests; None for no such tests.
        on_done: Called with each result as it is there.

    Raises:
        AuthenticationError: the key is refused: no task will do better.
        MisuseError: the caller is wrong, and no task has worked so far.
        InfrastructureError: the world is broken for three tasks, and none has worked so far.
        Exception: a defect in the pipeline.
    """

    async def one(task: Task) -> Result:
        report = await pipeline.run(task)
        hidden = await check(report) if check is not None and report.passed else None
        return Result(
            task=task, report=report, hidden_report=hidden, has_hidden_tests=check is not None
        )

    results: dict[int, Result] = {}
    hope = _AbortRule()
    async with Map(step(one), concurrency=concurrency).stream(tasks) as stream:
        async for done in stream:
            if hope.should_abort(done.error):
                break
            results[done.index] = _result(done, checked=check is not None)
            if on_done is not None:
                on_done(results[done.index])
    if hope.error is not None:
        raise hope.error
    return Evaluation(tuple(results[index] for index in sorted(results)))


@dataclass(slots=True)
class _AbortRule:
    """Whether it makes sense to go on, after what was raised so far."""

    worked: bool = False
    broken: int = 0
    error: Exception | None = None

    def should_abort(self, error: Exception | None) -> bool:
        self.worked = self.worked or error is None
        self.broken += isinstance(error, InfrastructureError)
        if error is not None and self._is_fatal(error):
            self.error = error
        return self.error is not None

    def _is_fatal(self, error: Exception) -> bool:
        match error:
            case TaskError():
                return False
            case AuthenticationError():
                return True
            case MisuseError():
                return not self.worked
            case InfrastructureError():
                return not self.worked and self.broken >= _MAX_INFRASTRUCTURE_ERRORS
            case _:
                return not isinstance(error, PlanishError)


def _result(done: ItemResult[Task, Result], *, checked: bool) -> Result:
    if done.value is not None:
        return done.value
    error = done.error
    report = error.report if isinstance(error, PlanishError) else None
    text = f"{type(error).__name__}: {error}"
    return Result(task=done.item, report=report, has_hidden_tests=checked, error=text)
