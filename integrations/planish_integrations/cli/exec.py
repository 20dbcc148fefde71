"""`planish exec`: run a program in the local sandbox."""

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
    help="File for the program's standard input; - for this command's own.  [default: empty]",
)
@click.option(
    "--file",
    "files",
    metavar="F",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Copy this file next to the program; may be repeated. No other file is copied.",
)
@click.option(
    "--outputs",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Copy the files that the program writes to its folder `outputs` to DIR, which must be new "
    "or empty.",
)
@click.option(
    "--timeout",
    metavar="S",
    type=float,
    default=30.0,
    show_default=True,
    help="Seconds the program may run.",
)
@click.option(
    "--memory",
    metavar="MB",
    type=int,
    default=2048,
    show_default=True,
    help="MiB of memory for each process, and for all processes together.",
)
@click.option(
    "--network",
    type=click.Choice(["none"]),
    default="none",
    show_default=True,
    help="Network access. Only none exists: no connection, not even to this machine.",
)
@click.option(
    "--package",
    "packages",
    metavar="P",
    multiple=True,
    help="Install this package (a pip requirement: numpy, numpy==2.1.0); may be repeated.",
)
@click.option(
    "--tier",
    type=click.Choice(get_args(Tier)),
    help="The sandbox tier.  [default: the strongest that works on this machine]",
)
@click.option(
    "--require",
    metavar="G",
    multiple=True,
    type=click.Choice(get_args(Guarantee)),
    help="Run only if this is guaranteed (see planish doctor); may be repeated.",
)
@click.option(
    "--language",
    metavar="L",
    help="The program's language.  [default: by file extension: .py, .sh, .js, ...; else python]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, errors included.")
def command(file: Path, args: tuple[str, ...], network: str, **values: Any) -> int:  # noqa: ARG001
    """Run FILE in the sandbox with ARGS. If FILE is -, read the program from standard input.

    Put -- before ARGS that begin with a dash. The program's stdout and stderr are passed on
    unchanged while it runs; on a terminal, control characters are escaped.

    \b
    Exit status:
      that of the program
      124      stopped at its time limit
      125      the sandbox failed; the program's result is unknown
      128 + N  ended by signal N; 137 also if stopped at a limit other than time
      2        usage error, or not possible on this machine; the program did not run
      129      hung up
      130      interrupted
      143      terminated

    The program itself can exit with 2, 124 or 125; --json distinguishes these cases.
    """  # noqa: D301 - \b tells click not to rewrap the next paragraph
    # Imported here, so that --help is fast.
    with loading():
        from planish_integrations.cli._exec_run import run_program  # noqa: PLC0415

    return run_program(ExecOptions(file=file, args=args, **values))
