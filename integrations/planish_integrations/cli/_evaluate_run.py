"""Run `planish evaluate`: measure a model on tasks, or replay recordings, and print the figures."""

import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import anyio
import click

from planish import CodeExecution, __version__
from planish.abc import Model
from planish.data import ResourceLimits
from planish.errors import TaskError
from planish_integrations.cli._failure import EXIT_FAILED, CommandExit
from planish_integrations.cli._live_output import escape_control_characters
from planish_integrations.cli._options import EvaluateOptions
from planish_integrations.cli._output import STDOUT, evaluation_table, replay_table, write_json
from planish_integrations.cli._progress import Progress
from planish_integrations.cli._signals import run_with_stop
from planish_integrations.evaluation import (
    PROGRAM_LIMITS,
    DatasetError,
    Evaluation,
    Problem,
    Recordings,
    ReplayedRuns,
    Result,
    Skip,
    benchmark_loop,
    evaluate,
    hidden_check,
    load_problems,
    load_recordings,
    offline_model,
    replay_all,
    skips_as_json,
    test_counts,
)
from planish_integrations.models.registry import PROVIDERS, model, model_from_env
from planish_integrations.models.transport import HttpModel
from planish_integrations.sandboxes.local import LocalSandbox

__all__ = ["evaluate_replay", "evaluate_tasks"]

_OFFLINE_MODELS = ("canonical", "pass")
"""Models that need no network."""


async def _load_model(name: str | None, problems: Sequence[Problem], *, attempts: int) -> Model:
    """Return the model to measure.

    Args:
        name: The value of `--model`; None for the model that the environment selects.
        problems: The problems that an offline model answers.
        attempts: How often an offline model answers each.

    Raises:
        click.UsageError: there is no such model, no key for it, or an address in the environment
            is no URL; the message says what a command line can change.
        AuthenticationError: the key has characters that no HTTP header can have.
    """
    if name in _OFFLINE_MODELS:
        return offline_model(name, problems, attempts=attempts)
    wanted = os.environ.get("PLANISH_MODEL", "").strip() if name is None else name
    variable = _unset_variable(wanted)
    if variable is not None:
        raise click.UsageError(f"the model {wanted}: set the environment variable {variable}")
    try:
        found = await model_from_env() if name is None else model(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if found is None:
        raise click.UsageError(
            "no model: set PLANISH_MODEL or the key of a provider, such as OPENAI_API_KEY, start "
            f"Ollama, or use --model ({' and '.join(_OFFLINE_MODELS)} need no network)"
        )
    return found


def _unset_variable(name: str) -> str | None:
    """Return the environment variable that a model needs and that is not set; None otherwise."""
    provider = PROVIDERS.get(name.partition(":")[0])
    if provider is None:
        return None
    url = provider.url(os.environ)
    if not url:
        return provider.url_variable
    # A server of the user's may require no key.
    is_own = url == provider.base_url or not provider.base_url
    if not is_own or provider.keyless or provider.has_key(os.environ):
        return None
    return next(iter(provider.key_variables), None)


_ATTEMPTS = 3
_ERROR_CHARS = 500


def evaluate_tasks(path: Path, options: EvaluateOptions) -> int:
    """Measure a model on a file of tasks; return the exit status.

    Raises:
        click.UsageError: there is no model.
        DatasetError: the file contains no task that can be used.
        MisuseError: the model's provider rejects the key or the request.
    """
    loaded = load_problems(path)
    digest = sha256(path.read_bytes()).hexdigest()  # before the run: the file may change meanwhile
    limited = loaded.problems[: options.limit]
    options = replace(options, gate=options.gate or _default_gate(limited))
    problems, skips = _usable(limited, options)
    skips = [*loaded.skips, *skips]
    if not problems:
        raise DatasetError(f"{path}: no task can be used: {skips[0].reason}")
    run = partial(_run_tasks, problems, options)
    (name, evaluation), caught = anyio.run(run_with_stop, run)
    attempts = options.attempts or _ATTEMPTS
    settings = {
        "planish": __version__,
        "tasks_file": path.name,
        "tasks_sha256": digest,
        "model": name,
        "gate": options.gate,
        "max_attempts": attempts,
        "benchmarks": test_counts(problems),
    }
    _print_first_error(evaluation.results)
    figures = settings | evaluation.as_json(attempts) | {"skipped": skips_as_json(skips)}
    _write(figures, skips, evaluation_table, options, caught)
    if caught is not None:
        done = f"the figures are of the {len(evaluation.results)} of {len(problems)} tasks"
        raise _interrupted(caught, f"{done} that had ended")
    return 1 if figures["errors"] else 0


def _default_gate(problems: Sequence[Problem]) -> Literal["full", "visible"]:
    """Return "visible" if every problem has visible tests, else "full"."""
    return "visible" if all(problem.visible_tests for problem in problems) else "full"


def _write(
    figures: Mapping[str, Any],
    skips: Iterable[Skip],
    table: Callable[[Mapping[str, Any]], str],
    options: EvaluateOptions,
    caught: signal.Signals | None,
) -> None:
    """Print the skips and the table, and write the JSON file, or else raise `CommandExit`."""
    _print_skips(skips)
    path = options.json_file
    try:
        if path is not None:
            write_json(path, {**figures, "interrupted": True} if caught else figures)
    except OSError as error:
        if path == STDOUT:
            raise
        click.echo(table(figures))
        why = error.strerror or error
        raise CommandExit("failed", f"error: --json {path}: {why}", EXIT_FAILED) from error
    if path != STDOUT:
        click.echo(table(figures))


def _interrupted(caught: signal.Signals, rest: str) -> CommandExit:
    """Return what ends a command that a signal stopped, after its figures were written."""
    return CommandExit("interrupted", f"interrupted; {rest}", 128 + caught)


def _usable(
    problems: Sequence[Problem], options: EvaluateOptions
) -> tuple[tuple[Problem, ...], list[Skip]]:
    """Return the problems that can be used, and why the others cannot."""
    usable: list[Problem] = []
    skips: list[Skip] = []
    for problem in problems:
        reason = _unusable_reason(problem, options)
        if reason is None:
            usable.append(problem)
        else:
            skips.append(Skip(reason, task_id=problem.task_id))
    return tuple(usable), skips


def _unusable_reason(problem: Problem, options: EvaluateOptions) -> str | None:
    if options.model == "canonical" and problem.canonical_solution is None:
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


async def _run_tasks(
    problems: Sequence[Problem], options: EvaluateOptions, stop: anyio.CancelScope
) -> tuple[str, Evaluation]:
    attempts = options.attempts or _ATTEMPTS
    async with AsyncExitStack() as stack:
        model: Model = await _load_model(options.model, problems, attempts=attempts)
        plural = "" if len(problems) == 1 else "s"
        click.echo(
            f"planish: {len(problems):,} task{plural}, model {model.name} of {model.provider}, at "
            f"most {attempts} attempts each, {options.concurrency} at once, in the local sandbox",
            err=True,
        )
        if isinstance(model, HttpModel):
            await stack.enter_async_context(model)
        sandbox = await stack.enter_async_context(LocalSandbox())
        execution = CodeExecution(sandbox, limits=ResourceLimits(seconds=options.timeout))
        return model.name, await _measure(model, problems, options, execution, stop)


async def _measure(
    model: Model,
    problems: Sequence[Problem],
    options: EvaluateOptions,
    execution: CodeExecution,
    stop: anyio.CancelScope,
) -> Evaluation:
    attempts = options.attempts or _ATTEMPTS
    visible = options.gate == "visible"
    by_key = {problem.key: problem for problem in problems}
    with Progress(len(problems), "tasks") as progress:
        solved = 0

        def update_progress(result: Result) -> None:
            nonlocal solved
            solved += result.passed
            progress.advance(note=f"{solved} solved")

        return await evaluate(
            benchmark_loop(model, execution, attempts=attempts, hide_tests=not visible),
            [p.visible_task() if visible else p.task() for p in problems],
            concurrency=options.concurrency,
            check=hidden_check(by_key, execution) if visible else None,
            on_done=update_progress,
            stop=stop,
        )


def evaluate_replay(directory: Path, options: EvaluateOptions) -> int:
    """Replay recordings; return the exit status.

    Raises:
        DatasetError: there are no such recordings.
    """
    recordings = load_recordings(
        directory, source=options.source, run=options.run, attempts=options.attempts
    )
    run = partial(_replay_recordings, recordings, options)
    replayed, caught = anyio.run(run_with_stop, run)
    _write(replayed.figures, replayed.skips, replay_table, options, caught)
    if caught is not None:
        raise _interrupted(caught, "the figures are of the series that had ended")
    return 1 if replayed.error_count else 0


async def _replay_recordings(
    recordings: Recordings, options: EvaluateOptions, stop: anyio.CancelScope
) -> ReplayedRuns:
    rows = sum(run.rows for run in recordings.runs)
    click.echo(f"planish: {rows:,} recorded replies, in the local sandbox", err=True)
    with Progress(rows, "replies") as progress:
        async with LocalSandbox(concurrency=options.concurrency) as sandbox:
            return await replay_all(
                recordings,
                sandbox,
                concurrency=options.concurrency,
                limits=replace(PROGRAM_LIMITS, seconds=options.timeout),
                on_done=progress.advance,
                stop=stop,
            )


def _print_skips(skips: Iterable[Skip]) -> None:
    """Print each reason in a line, with the number of rows it left out and the first of them."""
    for one in skips_as_json(skips):
        where = f"line {one['line']}" if one["line"] else one["task_id"]
        click.echo(f"planish: {one['rows']} skipped, first {where}: {one['reason']}", err=True)


def _print_first_error(results: Sequence[Result]) -> None:
    """Print how many tasks ended in an error, and the error of the first of them."""
    failed = [one for one in results if one.error is not None]
    if failed:
        error = escape_control_characters(str(failed[0].error)[:_ERROR_CHARS])
        count = f"{len(failed)} of {len(results)} tasks ended in an error"
        click.echo(f"planish: {count}, first {failed[0].task.id}: {error}", err=True)
