"""Report a command's failure: a line on standard error, or JSON if `--json` was passed."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NoReturn

import click

__all__ = [
    "EXIT_FAILED",
    "EXIT_INTERRUPTED",
    "EXIT_USAGE",
    "CommandExit",
    "ErrorKind",
    "ErrorReporter",
]

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells and make expect

ErrorKind = Literal["failed", "interrupted", "sandbox", "unsupported", "usage"]
"""What failed: the command, the sandbox or usage; or that a signal or this machine prevents it."""

# The values with --json when there is only an error; the keys are always the same.
EMPTY: Mapping[str, Mapping[str, Any]] = {
    "exec": {
        "exit_code": None,
        "signal": None,
        "limit": None,
        "stdout": "",
        "stdout_base64": None,
        "stderr": "",
        "stderr_base64": None,
        "seconds": None,
        "limits": None,
        "tier": None,
        "guarantees": [],
        "findings": [],
        "artifacts": [],
    },
    "doctor": {"works": None, "tiers": []},
}
"""By command: every key of its JSON but "error" and "exit_status", with an empty value."""


class CommandExit(Exception):  # noqa: N818 - not all of these are errors
    """Ends the command with a message and an exit status.

    Attributes:
        kind: What failed.
        exit_status: The command's exit status.
        values: Values for keys of its JSON; the others are empty.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        exit_status: int,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.exit_status = exit_status
        self.values: Mapping[str, Any] = values or {}


class ErrorReporter:
    """Ends a command that failed, with text or JSON as its arguments require.

    Args:
        arguments: All of the command line, unparsed, since parsing it may be what failed.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        words = list(arguments)
        if "--" in words:
            words = words[: words.index("--")]
        command = next((word for word in words if not word.startswith("-")), "")
        self._empty = EMPTY.get(command) if "--json" in words else None

    def usage(self, error: click.ClickException) -> NoReturn:
        """End the command with the error that click found."""
        if self._empty is None:
            error.show()
            sys.exit(error.exit_code)
        self.end("usage", error.format_message(), error.exit_code)

    def end(
        self,
        kind: ErrorKind,
        message: str,
        exit_status: int,
        values: Mapping[str, Any] | None = None,
    ) -> NoReturn:
        """End the command with a message, and with values for its JSON."""
        if self._empty is None:
            click.echo(f"planish: {message}", err=True)
        else:
            error = {"kind": kind, "message": message.removeprefix("error: ")}
            value = {"error": error, "exit_status": exit_status, **self._empty, **(values or {})}
            click.echo(json.dumps(value, indent=2))
        sys.exit(exit_status)
