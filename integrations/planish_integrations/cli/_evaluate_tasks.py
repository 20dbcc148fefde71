"""`planish evaluate TASKS`."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import click

from planish import CodeExecution, Model, ResourceLimits, TaskError
from planish_integrations.cli._models import model_named
from planish_integrations.cli._options import Options
from planish_integrations.cli._output import STDOUT, write_json
from planish_integrations.cli._progress import Progress
from planish_integrations.cli._skipped import say_skips
from planish_integrations.cli._tables import evaluation_table
from planish_integrations.evaluation import (
    DatasetError,
    Evaluation,
    Problem,
    Result,
    Skip,
    evaluate,
    hidden_check,
    load_problems,
    loop_for,
    skips_as_json,
    tests_run,
)
from planish_integrations.models.transport import HttpModel
from planish_integrations.sandboxes.local import LocalSandbox

__all__ = ["evaluate_tasks"]

_ATTEMPTS = 3


def evaluate_tasks(path: Path, options: Options) -> int:
    """Measure a model on a file of tasks; gives the exit code.

    Raises:
        click.UsageError: there is no model.
        DatasetError: the file holds no task that can be used.
        MisuseError: the model refuses the key or the request.
    """
    loaded = load_problems(path)
    problems, skips = _usable(loaded.problems[: options.limit], options)
    skips = [*loaded.skipped, *skips]
    if not problems:
        raise DatasetError(f"{path}: no task can be used: {skips[0].reason}")
    name, evaluation = anyio.run(_run, problems, options)
    about = {
        "tasks_file": path.name,
        "model": name,
        "gate": options.gate or "full",
        "max_attempts": options.attempts or _ATTEMPTS,
        "benchmarks": tests_run(problems),
    }
    figures = about | evaluation.as_json() | {"skipped": skips_as_json(skips)}
    say_skips(skips)
    if options.json_file is not None:
        write_json(options.json_file, figures)
    if options.json_file != STDOUT:
        click.echo(evaluation_table(figures))
    return 1 if figures["errors"] else 0


def _usable(
    problems: Sequence[Problem], options: Options
) -> tuple[tuple[Problem, ...], list[Skip]]:
    """The problems that can be used, and why the others cannot."""
    usable: list[Problem] = []
    skips: list[Skip] = []
    for problem in problems:
        reason = _trouble(problem, options)
        if reason is None:
            usable.append(problem)
        else:
            skips.append(Skip(reason, task_id=problem.task_id))
    return tuple(usable), skips


def _trouble(problem: Problem, options: Options) -> str | None:
    if options.model == "canonical" and problem.canonical is None:
        return "it has no canonical solution"
    if options.gate == "visible" and not problem.visible_tests:
        return "it has no visible tests"
    try:
        problem.task()
        if options.gate == "visible":
            problem.visible_task()
    except TaskError as error:
        return str(error)
    return None


async def _run(problems: Sequence[Problem], options: Options) -> tuple[str, Evaluation]:
    attempts = options.attempts or _ATTEMPTS
    async with AsyncExitStack() as stack:
        model: Model = await model_named(options.model, problems, attempts=attempts)
        if isinstance(model, HttpModel):
            await stack.enter_async_context(model)
        sandbox = await stack.enter_async_context(LocalSandbox())
        execution = CodeExecution(sandbox, limits=ResourceLimits(seconds=options.timeout))
        return model.name, await _measure(model, problems, options, attempts, execution)


async def _measure(
    model: Model,
    problems: Sequence[Problem],
    options: Options,
    attempts: int,
    execution: CodeExecution,
) -> Evaluation:
    visible = options.gate == "visible"
    by_key = {problem.key: problem for problem in problems}
    with Progress(len(problems), "tasks") as progress:
        solved = 0

        def show(result: Result) -> None:
            nonlocal solved
            solved += result.passed
            progress.advance(note=f"{solved} solved")

        return await evaluate(
            loop_for(model, execution, attempts=attempts, hidden=not visible),
            [p.visible_task() if visible else p.task() for p in problems],
            concurrency=options.concurrency,
            check=hidden_check(by_key, execution) if visible else None,
            on_done=show,
        )
