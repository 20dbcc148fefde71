"""From arguments to an exit code."""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from planish import __version__
from planish.errors import MisuseError, PlanishError, UnsupportedError
from planish_integrations.cli._commands import Commands
from planish_integrations.cli._failure import FAILED, INTERRUPTED, MISUSED, Failure, Stop

__all__ = ["run"]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="planish")
def _planish() -> None:
    """Code that has been seen to work.

    Exit codes: 0 fine, 1 something failed, 2 wrong usage, 130 interrupted. `planish exec` gives
    those of the program.
    """


def run(arguments: Sequence[str]) -> NoReturn:
    """Run `planish` and exit.

    Raises:
        SystemExit: always, with the exit code.
    """
    failure = Failure(arguments)
    try:
        result: object = _planish.main(list(arguments), prog_name="planish", standalone_mode=False)
    except click.ClickException as error:
        failure.usage(error)
    except (KeyboardInterrupt, click.Abort):
        failure.end("interrupted", "interrupted; nothing was written", INTERRUPTED)
    except Stop as stop:
        failure.end(stop.kind, str(stop), stop.exit_status)
    except BrokenPipeError:
        # The reader has left; whatever is still buffered must not raise at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except UnsupportedError as error:
        failure.end("unsupported", f"error: {error}", MISUSED)
    except MisuseError as error:
        failure.end("usage", f"error: {error}", MISUSED)
    except PlanishError as error:
        failure.end("failed", f"error: {error}", FAILED)
    sys.exit(result if isinstance(result, int) else 0)
