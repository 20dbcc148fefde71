"""Measure a pipeline: many tasks through it, and what became of them."""

from collections.abc import Awaitable, Callable, Iterable

from planish import (
    AuthenticationError,
    Done,
    Map,
    MisuseError,
    PlanishError,
    Primitive,
    Report,
    Task,
    TaskError,
    step,
)
from planish_integrations.evaluation._result import Evaluation, Result

__all__ = ["Check", "evaluate"]

Check = Callable[[Report], Awaitable[Report]]
"""Judges the code a run accepted by tests the run did not know."""


async def evaluate(
    pipeline: Primitive[Task, Report],
    tasks: Iterable[Task],
    *,
    concurrency: int,
    check: Check | None = None,
    on_done: Callable[[Result], None] = lambda result: None,
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
        MisuseError: the caller is wrong, and not one task has worked so far.
        Exception: a defect in the pipeline.
    """

    async def one(task: Task) -> Result:
        report = await pipeline.run(task)
        hidden = await check(report) if check is not None and report.passed else None
        return Result(task=task, report=report, hidden=hidden, checked=check is not None)

    results: dict[int, Result] = {}
    fatal: Exception | None = None
    worked = False
    async with Map(step(one), concurrency=concurrency).stream(tasks) as stream:
        async for done in stream:
            if _is_fatal(done.error, worked=worked):
                fatal = done.error
                break
            worked = worked or done.ok
            results[done.index] = _result(done, checked=check is not None)
            on_done(results[done.index])
    if fatal is not None:
        raise fatal
    return Evaluation(tuple(results[index] for index in sorted(results)))


def _is_fatal(error: Exception | None, *, worked: bool) -> bool:
    if error is None or isinstance(error, TaskError):
        return False
    if isinstance(error, MisuseError):
        return isinstance(error, AuthenticationError) or not worked
    return not isinstance(error, PlanishError)


def _result(done: Done[Task, Result], *, checked: bool) -> Result:
    if done.value is not None:
        return done.value
    error = done.error
    report = error.report if isinstance(error, PlanishError) else None
    text = f"{type(error).__name__}: {error}"
    return Result(task=done.item, report=report, checked=checked, error=text)
