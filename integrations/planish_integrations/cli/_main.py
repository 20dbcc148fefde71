"""The commands there are. This table is all that `planish --help` loads."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import NoReturn, cast

import click

from planish import __version__
from planish.errors import MisuseError, PlanishError, UnsupportedError
from planish_integrations.cli._failure import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    CommandExit,
    ErrorReporter,
)
from planish_integrations.cli._interrupt import loading

__all__ = ["COMMANDS", "CommandEntry", "Commands", "run"]


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command as it is listed.

    Attributes:
        module: Where it is: its variable `command`.
        summary: What it does, in a line.
    """

    module: str
    summary: str


COMMANDS: Mapping[str, CommandEntry] = {
    "exec": CommandEntry(
        "planish_integrations.cli.exec",
        "Run a program in the sandbox.",
    ),
    "doctor": CommandEntry(
        "planish_integrations.cli.doctor",
        "Tell which isolation works here, and what is missing for the rest.",
    ),
    "evaluate": CommandEntry(
        "planish_integrations.cli.evaluate",
        "Measure a model on a benchmark, or replay recorded replies.",
    ),
}
"""Every command by its name, in the order in which they are listed."""


class Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the table's order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """A command, imported; None when there is none of this name."""
        listed = COMMANDS.get(cmd_name)
        if listed is None:
            return None
        with loading():
            module = import_module(listed.module)
        return cast("click.Command", module.command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The table, as text."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.summary) for name, listed in COMMANDS.items()])


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
    failure = ErrorReporter(arguments)
    try:
        result: object = _planish.main(list(arguments), prog_name="planish", standalone_mode=False)
    except click.ClickException as error:
        failure.usage(error)
    except (KeyboardInterrupt, click.Abort):
        failure.end("interrupted", "interrupted; nothing was written", EXIT_INTERRUPTED)
    except CommandExit as stop:
        failure.end(stop.kind, str(stop), stop.exit_status)
    except BrokenPipeError:
        # The reader has left; whatever is still buffered must not raise at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
    except UnsupportedError as error:
        failure.end("unsupported", f"error: {error}", EXIT_USAGE)
    except MisuseError as error:
        failure.end("usage", f"error: {error}", EXIT_USAGE)
    except PlanishError as error:
        failure.end("failed", f"error: {error}", EXIT_FAILED)
    sys.exit(result if isinstance(result, int) else 0)
