"""`planish evaluate`: measure a model on a benchmark, or replay recorded replies."""

import os
from pathlib import Path
from typing import Any

import click

from planish_integrations.cli._interrupt import loading
from planish_integrations.cli._options import EvaluateOptions
from planish_integrations.cli._output import JSON_FILE, require_writable

__all__ = ["command"]

_FOR_TASKS = ("gate", "model", "limit")
_FOR_REPLAY = ("source", "run")


@click.command("evaluate")
@click.argument("tasks", required=False, type=click.Path(path_type=Path))
@click.option(
    "--replay",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Replay DIR/<source>.jsonl.gz over DIR/tasks.jsonl.gz.",
)
@click.option("--source", metavar="S", help="With --replay: only this source.")
@click.option("--run", metavar="R", help="With --replay: only this run.")
@click.option(
    "--attempts",
    metavar="N",
    type=click.IntRange(min=1),
    help="Attempts at most, the first included.  [default: 3; with --replay: all]",
)
@click.option(
    "--concurrency",
    metavar="N",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    help="Tasks at once.  [default: the number of processors]",
)
@click.option(
    "--gate",
    type=click.Choice(["full", "visible"]),
    help="What stops the loop. full: all tests, which the model is not shown. visible: the "
    "visible ones, which it is shown; all tests then judge what was accepted.  [default: full]",
)
@click.option(
    "--model",
    metavar="M",
    help="A model at OPENAI_BASE_URL, with OPENAI_API_KEY; ollama:NAME; or offline: canonical "
    "(gives the solutions), pass (gives nothing).  [default: what the environment has]",
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Only the first N tasks.")
@click.option(
    "--timeout",
    metavar="S",
    type=click.FloatRange(min=0, min_open=True, max=86_400),
    default=6.0,
    show_default=True,
    help="Seconds each program may run.",
)
@JSON_FILE
@click.pass_context
def command(ctx: click.Context, /, tasks: Path | None, replay: Path | None, **given: Any) -> int:
    """Measure a model on TASKS, or replay recorded replies.

    TASKS is HumanEval as published, or a task file of recordings; JSONL, gzipped or not. With
    --replay, recorded replies go through the same loop and sandbox.

    The programs run in the local sandbox (see planish doctor).
    """
    options = EvaluateOptions(**given)
    if (tasks is None) == (replay is None):
        raise click.UsageError("give TASKS or --replay DIR, one of them", ctx)
    for name in _FOR_REPLAY if replay is None else _FOR_TASKS:
        if given[name] is not None:
            need = "needs --replay" if replay is None else "does not go with --replay"
            raise click.UsageError(f"--{name} {need}", ctx)
    require_writable(options.json_file)
    # Loaded here, so that --help is quick.
    if replay is not None:
        with loading():
            from planish_integrations.cli._evaluate_run import (  # noqa: PLC0415
                evaluate_replay,
            )

        return evaluate_replay(replay, options)
    with loading():
        from planish_integrations.cli._evaluate_run import evaluate_tasks  # noqa: PLC0415

    return evaluate_tasks(tasks or Path(), options)
