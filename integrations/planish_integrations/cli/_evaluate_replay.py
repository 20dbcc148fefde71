"""`planish evaluate --replay DIR`."""

from dataclasses import replace
from pathlib import Path

import anyio
import click

from planish_integrations.cli._options import Options
from planish_integrations.cli._output import STDOUT, write_json
from planish_integrations.cli._progress import Progress
from planish_integrations.cli._skipped import say_skips
from planish_integrations.cli._tables import replay_table
from planish_integrations.evaluation import (
    PROGRAM_LIMITS,
    Recordings,
    ReplayedRuns,
    load_recordings,
    replay_all,
)
from planish_integrations.sandboxes.local import LocalSandbox

__all__ = ["evaluate_replay"]


def evaluate_replay(directory: Path, options: Options) -> int:
    """Replay recordings; gives the exit code.

    Raises:
        DatasetError: there are no such recordings.
    """
    recordings = load_recordings(
        directory, source=options.source, run=options.run, attempts=options.attempts
    )
    replayed = anyio.run(_run, recordings, options)
    say_skips(replayed.skipped)
    if options.json_file is not None:
        write_json(options.json_file, replayed.figures)
    if options.json_file != STDOUT:
        click.echo(replay_table(replayed.figures))
    return 1 if replayed.raised else 0


async def _run(recordings: Recordings, options: Options) -> ReplayedRuns:
    with Progress(sum(run.rows for run in recordings.runs), "replies") as progress:
        async with LocalSandbox(concurrency=options.concurrency) as sandbox:
            return await replay_all(
                recordings,
                sandbox,
                concurrency=options.concurrency,
                limits=replace(PROGRAM_LIMITS, seconds=options.timeout),
                on_done=progress.advance,
            )
