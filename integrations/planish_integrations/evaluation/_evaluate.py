"""`evaluate`: run a pipeline on many tasks and collect the results."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import anyio

from planish import Map, PlanishError, Primitive, Report, Task, step
from planish.combinators.map import ItemResult
from planish.data import Usage
from planish.errors import AuthenticationError, InfrastructureError, MisuseError, TaskError
from planish_integrations.evaluation._result import Evaluation, Result

__all__ = ["Check", "evaluate"]

_MAX_INFRASTRUCTURE_ERRORS = (
    3  # without one success: the other tasks would only wait for their time-outs
)

Check = Callable[[Report], Awaitable[Report]]
"""Judges the code that a run accepted by tests that the run did not use."""


async def evaluate(
    pipeline: Primitive[Task, Report],
    tasks: Iterable[Task],
    *,
    concurrency: int,
    check: Check | None = None,
    on_done: Callable[[Result], None] | None = None,
    stop: anyio.CancelScope | None = None,
) -> Evaluation:
    """Run a pipeline on many tasks.

    A task whose model or sandbox fails is run once more, after the others. If that fails as well,
    its result has an error and is left out of the percentages, because it says nothing of the
    pipeline.

    Args:
        pipeline: Any pipeline from a task to a report.
        tasks: The tasks.
        concurrency: Tasks at once.
        check: Judges accepted code again, by hidden tests; None (the default) for no such tests.
        on_done: Called with each result when it is complete.
        stop: A new scope. If it is cancelled, tasks that run are cancelled too, and the results
            so far are returned. None (the default) for no such scope.

    Raises:
        AuthenticationError: the key is refused, as it would be for every task.
        MisuseError: a usage error, and no task has succeeded so far.
        InfrastructureError: an infrastructure error for three tasks, and none has succeeded so far.
        Exception: a defect in the pipeline.
    """

    async def one(task: Task) -> Result:
        report = await pipeline.run(task)
        hidden = await check(report) if check is not None and report.passed else None
        return Result(
            task=task, report=report, hidden_report=hidden, has_hidden_tests=check is not None
        )

    results: dict[int, Result] = {}
    abort = _AbortRule()

    async def run(numbered: Iterable[tuple[int, Task]], *, again: bool) -> None:
        """Run tasks; without `again`, those that an infrastructure error ends are not done yet."""
        numbers: dict[int, int] = {}
        pending = _count_off(numbered, numbers)
        async with Map(step(one), concurrency=concurrency).stream(pending) as stream:
            async for done in stream:
                if abort.should_abort(done.error):
                    return
                index = numbers[done.index]
                lost = results[index].usage if again else Usage()
                result = results[index] = _result(done, lost, checked=check is not None)
                if on_done is not None and (again or result.was_judged):
                    on_done(result)

    with anyio.CancelScope() if stop is None else stop:
        await run(enumerate(tasks), again=False)
        unjudged = [(i, r.task) for i, r in sorted(results.items()) if not r.was_judged]
        if unjudged and abort.error is None:
            await run(unjudged, again=True)
    if abort.error is not None:
        raise abort.error
    return Evaluation(tuple(results[index] for index in sorted(results)))


def _count_off(numbered: Iterable[tuple[int, Task]], numbers: dict[int, int]) -> Iterator[Task]:
    """Yield the tasks, and store the number of each by its place."""
    for place, (number, task) in enumerate(numbered):
        numbers[place] = number
        yield task


@dataclass(slots=True)
class _AbortRule:
    """Decides after each task whether to abort the evaluation."""

    succeeded: bool = False
    infrastructure_errors: int = 0
    error: Exception | None = None

    def should_abort(self, error: Exception | None) -> bool:
        self.succeeded = self.succeeded or error is None
        self.infrastructure_errors += isinstance(error, InfrastructureError)
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
                return not self.succeeded
            case InfrastructureError():
                return (
                    not self.succeeded and self.infrastructure_errors >= _MAX_INFRASTRUCTURE_ERRORS
                )
            case _:
                return not isinstance(error, PlanishError)


def _result(done: ItemResult[Task, Result], lost: Usage, *, checked: bool) -> Result:
    if done.value is not None:
        return replace(done.value, lost_usage=lost)
    error = done.error
    report = error.report if isinstance(error, PlanishError) else None
    text = f"{type(error).__name__}: {error}"
    return Result(
        task=done.item,
        report=report,
        has_hidden_tests=checked,
        error=text,
        was_judged=not isinstance(error, InfrastructureError),
        lost_usage=lost,
    )
