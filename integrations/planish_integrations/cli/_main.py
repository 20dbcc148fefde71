"""From arguments to an exit code."""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from planish import MisuseError, PlanishError, __version__
from planish_integrations.cli._commands import Commands

__all__ = ["FAILED", "INTERRUPTED", "MISUSED", "main"]

FAILED = 1
MISUSED = 2
INTERRUPTED = 130  # 128 + SIGINT, what shells and make expect


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="planish")
def _planish() -> None:
    """Code that has been seen to work.

    Exit codes: 0 fine, 1 something failed, 2 wrong usage, 130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `planish` and exit.

    Args:
        arguments: What follows the command's name; those of this process unless given.

    Raises:
        SystemExit: always, with the exit code.
    """
    try:
        result: object = _planish.main(arguments, prog_name="planish", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted; nothing was written")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader has left; whatever is still buffered must not raise at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except PlanishError as error:
        _say(f"error: {error}")
        sys.exit(MISUSED if isinstance(error, MisuseError) else FAILED)
    sys.exit(result if isinstance(result, int) else 0)


def _say(text: str) -> None:
    click.echo(f"planish: {text}", err=True)
