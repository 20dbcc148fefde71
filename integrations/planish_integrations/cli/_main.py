"""The table of commands, and the exit status of each way a command can end."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
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


_STDERR = 2


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command in the list of commands.

    Attributes:
        module: The module that defines it as `command`.
        summary: What it does, in one line.
    """

    module: str
    summary: str


COMMANDS: Mapping[str, CommandEntry] = {
    "exec": CommandEntry(
        "planish_integrations.cli.exec",
        "Run a program in the local sandbox.",
    ),
    "doctor": CommandEntry(
        "planish_integrations.cli.doctor",
        "Show which sandbox tiers work, and how to enable the others.",
    ),
    "evaluate": CommandEntry(
        "planish_integrations.cli.evaluate",
        "Measure a model on a benchmark, or replay recorded replies.",
    ),
}
"""Every command by its name, in the order of the list. All that `planish --help` imports."""


class Commands(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the table's order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command; None if there is none with this name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        with loading():
            module = import_module(entry.module)
        return cast("click.Command", module.command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of an argument; where there is none, suggest one with a similar name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            similar = get_close_matches(args[0], COMMANDS, n=1)
            if not similar:
                raise
            hint = f"No such command {args[0]!r}. Did you mean {similar[0]!r}?"
            raise click.UsageError(hint, ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="planish")
def _planish() -> None:
    """Generate code with language models, run it in a sandbox, and measure the results.

    \b
    Exit status: 0 success, 1 failure, 2 usage error or not possible on this machine,
    130 interrupted. `planish exec` returns the exit status of the program.
    """  # noqa: D301 - \b tells click not to rewrap the next paragraph


def _open_standard_files() -> None:
    """Open those of the descriptors 0, 1 and 2 that the caller has closed, as the null device.

    What is opened later would take their places, and receive what is meant for them.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:  # Python has found it closed
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def run(arguments: Sequence[str]) -> NoReturn:
    """Run `planish` and exit.

    Raises:
        SystemExit: always, with the exit status.
    """
    _open_standard_files()
    reporter = ErrorReporter(arguments)
    try:
        result: object = _planish.main(list(arguments), prog_name="planish", standalone_mode=False)
    except click.ClickException as error:
        reporter.usage(error)
    except (KeyboardInterrupt, click.Abort):
        reporter.end("interrupted", "interrupted; nothing was written", EXIT_INTERRUPTED)
    except CommandExit as error:
        reporter.end(error.kind, str(error), error.exit_status, error.values)
    except OSError as error:
        # Buffered output must not raise once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # its reader has closed the pipe
            with suppress(OSError):
                click.echo(f"planish: error: {error}", err=True)
        sys.exit(EXIT_FAILED)
    except UnsupportedError as error:
        reporter.end("unsupported", f"error: {error}", EXIT_USAGE)
    except MisuseError as error:
        reporter.end("usage", f"error: {error}", EXIT_USAGE)
    except PlanishError as error:
        reporter.end("failed", f"error: {error}", EXIT_FAILED)
    sys.exit(result if isinstance(result, int) else 0)
