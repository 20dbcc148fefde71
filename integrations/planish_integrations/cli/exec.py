"""`planish exec`: run a program in the sandbox."""

from pathlib import Path
from typing import Any, get_args

import click

from planish.data.sandbox import Guarantee
from planish_integrations.cli._interrupt import loading
from planish_integrations.cli._options import ExecOptions, Tier

__all__ = ["command"]

_FILE = click.Path(allow_dash=True, path_type=Path)


@click.command("exec")
@click.argument("file", type=_FILE)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--stdin",
    metavar="F",
    type=_FILE,
    help="What the program reads on standard input; - for this command's own.  [default: nothing]",
)
@click.option(
    "--file",
    "files",
    metavar="F",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Lay this file beside the program; may be repeated. Nothing else of its folder is sent.",
)
@click.option(
    "--outputs",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Bring what the program leaves in its folder `outputs` back to DIR, which must be new or "
    "empty.",
)
@click.option(
    "--timeout",
    metavar="S",
    type=float,
    default=30.0,
    show_default=True,
    help="Seconds it may run.",
)
@click.option(
    "--memory",
    metavar="MB",
    type=int,
    default=2048,
    show_default=True,
    help="MiB of memory: of each process, and of all together.",
)
@click.option(
    "--network",
    type=click.Choice(["none"]),
    default="none",
    show_default=True,
    help="What it may reach. There is only none: no connection, not even to this machine.",
)
@click.option(
    "--package",
    "packages",
    metavar="P",
    multiple=True,
    help="A package it may import, as pip takes it (numpy, numpy==2.1.0); may be repeated.",
)
@click.option(
    "--tier",
    type=click.Choice(get_args(Tier)),
    help="What isolates it.  [default: the strongest that works here]",
)
@click.option(
    "--require",
    metavar="G",
    multiple=True,
    type=click.Choice(get_args(Guarantee)),
    help="Do not run it unless this is guaranteed (see planish doctor); may be repeated.",
)
@click.option(
    "--language",
    metavar="L",
    help="What runs it.  [default: what the name ends in: .py, .sh, .js, ...; else python]",
)
@click.option("--json", "as_json", is_flag=True, help="Print how it ended as JSON, errors too.")
def command(file: Path, args: tuple[str, ...], network: str, **given: Any) -> int:  # noqa: ARG001
    """Run FILE in the sandbox, with ARGS; - reads the program from standard input.

    What it wrote to stdout and stderr is passed on as it is when it has ended; on a terminal,
    with control characters made visible.

    \b
    Exit status:
      that of the program
      124      it was stopped at its time limit
      125      the sandbox failed; nothing is known of the program
      128 + N  signal N ended it; 137 also for a limit other than time
      2        wrong usage, or not possible here; the program did not run
      130      interrupted; 143 terminated

    An exit status of 2, 124 or 125 can also be the program's own: --json tells them apart.
    """  # noqa: D301 - \b is click's word for "do not wrap"
    # Loaded here, so that --help is quick.
    with loading():
        from planish_integrations.cli._exec_run import run_program  # noqa: PLC0415

    return run_program(ExecOptions(file=file, args=args, **given))
