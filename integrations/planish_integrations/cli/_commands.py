"""The commands there are. This table is all that `planish --help` loads."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import cast

import click

from planish_integrations.cli._loading import loading

__all__ = ["COMMANDS", "Commands", "Listed"]


@dataclass(frozen=True, slots=True)
class Listed:
    """A command as it is listed.

    Attributes:
        module: Where it is: its variable `command`.
        summary: What it does, in a line.
    """

    module: str
    summary: str


COMMANDS: Mapping[str, Listed] = {
    "exec": Listed(
        "planish_integrations.cli.exec",
        "Run a program in the sandbox.",
    ),
    "doctor": Listed(
        "planish_integrations.cli.doctor",
        "Tell which isolation works here, and what is missing for the rest.",
    ),
    "evaluate": Listed(
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
