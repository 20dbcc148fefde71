"""`planish evaluate`: measure a model on a benchmark, or replay recorded replies."""

import os
from math import isnan
from pathlib import Path
from typing import Any

import click

from planish_integrations.cli._interrupt import loading
from planish_integrations.cli._options import EvaluateOptions
from planish_integrations.cli._output import JSON_FILE, require_writable

__all__ = ["command"]

_FOR_TASKS = ("gate", "model", "limit")
_FOR_REPLAY = ("source", "run")


def _require_number(_: click.Context, __: click.Parameter, value: float) -> float:
    """Return the value. NaN is refused, which is in every range of click's."""
    if isnan(value):
        raise click.BadParameter("nan is no number")
    return value


@click.command("evaluate")
@click.argument("tasks", required=False, type=click.Path(path_type=Path))
@click.option(
    "--replay",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Replay the recorded replies DIR/<source>.jsonl.gz to the tasks DIR/tasks.jsonl.gz.",
)
@click.option("--source", metavar="S", help="With --replay: only the recordings DIR/S.jsonl.gz.")
@click.option("--run", metavar="R", help="With --replay: only the run of this name.")
@click.option(
    "--attempts",
    metavar="N",
    type=click.IntRange(min=1),
    help="The most attempts for each task.  [default: 3; with --replay: all recorded]",
)
@click.option(
    "--concurrency",
    metavar="N",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    help="Tasks at once.  [default: the number of CPUs]",
)
@click.option(
    "--gate",
    type=click.Choice(["full", "visible"]),
    help="The tests that stop the loop. full: all tests, hidden from the model. visible: the "
    "visible tests, which the model sees; all tests then judge what the loop accepted.  "
    "[default: visible if every task has visible tests, else full]",
)
@click.option(
    "--model",
    metavar="M",
    help="PROVIDER:NAME, such as openai:gpt-6.1-terra or ollama:qwen3:8b, with the provider's key "
    "in the environment; or offline: canonical (the benchmark's solutions), pass (empty "
    "functions).  [default: PLANISH_MODEL, else the first provider with a key, else a local "
    "Ollama]",
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Only the first N tasks.")
@click.option(
    "--timeout",
    metavar="S",
    type=click.FloatRange(min=0, min_open=True, max=86_400),
    default=6.0,
    show_default=True,
    callback=_require_number,
    help="Seconds each program may run.",
)
@JSON_FILE
@click.pass_context
def command(ctx: click.Context, /, tasks: Path | None, replay: Path | None, **values: Any) -> int:
    """Measure a model on TASKS, or replay recorded replies.

    TASKS is a JSONL file, gzipped or not: HumanEval, EvalPlus, MBPP, APPS, CodeContests or
    LiveCodeBench as published, or a task file of recordings. With --replay, recorded replies run
    in the same loop and sandbox. Ctrl-C ends the command; the figures of what had ended are
    printed and written.

    Programs run in the local sandbox (see planish doctor).

    \b
    Exit status: 0 if every task was measured, solved or not; 1 if a model or sandbox failed
    for a task; 2 on a usage error; 130 if interrupted.
    """  # noqa: D301 - \b tells click not to rewrap the next paragraph
    options = EvaluateOptions(**values)
    if (tasks is None) == (replay is None):
        raise click.UsageError("give either TASKS or --replay DIR", ctx)
    for name in _FOR_REPLAY if replay is None else _FOR_TASKS:
        if values[name] is not None:
            need = "requires --replay" if replay is None else "cannot be used with --replay"
            raise click.UsageError(f"--{name} {need}", ctx)
    require_writable(options.json_file)
    # Imported here, so that --help is fast.
    if replay is not None:
        with loading():
            from planish_integrations.cli._evaluate_run import (  # noqa: PLC0415
                evaluate_replay,
            )

        return evaluate_replay(replay, options)
    with loading():
        from planish_integrations.cli._evaluate_run import evaluate_tasks  # noqa: PLC0415

    return evaluate_tasks(tasks or Path(), options)
