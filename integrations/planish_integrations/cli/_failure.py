"""How a command says that it failed: a line on standard error, or JSON where that was asked for."""

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
EXIT_INTERRUPTED = 130  # 128 + SIGINT, what shells and make expect

ErrorKind = Literal["failed", "interrupted", "sandbox", "unsupported", "usage"]
"""Whose trouble it is: the command's, a signal's, the sandbox's, the machine's, the caller's."""

# What a command prints with --json when it has nothing but an error: the same keys as always.
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
"""By command: every key of its JSON but "error" and "exit_status", with the value of nothing."""


class CommandExit(Exception):  # noqa: N818 - not all of these are errors
    """Ends the command, with a message and an exit status of its own."""

    def __init__(self, kind: ErrorKind, message: str, exit_status: int) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.exit_status = exit_status


class ErrorReporter:
    """Ends a command that failed, in the way its arguments ask for.

    Args:
        arguments: All of the command line. They are looked at as they are, since those that
            cannot be understood fail too.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        own = list(arguments)
        if "--" in own:
            own = own[: own.index("--")]
        command = next((word for word in own if not word.startswith("-")), "")
        self._empty = EMPTY.get(command) if "--json" in own else None

    def usage(self, error: click.ClickException) -> NoReturn:
        """End with what click found wrong."""
        if self._empty is None:
            error.show()
            sys.exit(error.exit_code)
        self.end("usage", error.format_message(), error.exit_code)

    def end(self, kind: ErrorKind, message: str, exit_status: int) -> NoReturn:
        """End with a message."""
        if self._empty is None:
            click.echo(f"planish: {message}", err=True)
        else:
            error = {"kind": kind, "message": message.removeprefix("error: ")}
            value = {"error": error, "exit_status": exit_status, **self._empty}
            click.echo(json.dumps(value, indent=2))
        sys.exit(exit_status)
