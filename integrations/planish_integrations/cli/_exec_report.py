"""How a program ended: for people, for other programs, and as an exit status."""

import base64
import hashlib
import json
import re
import sys
from dataclasses import asdict
from typing import Any, BinaryIO

import click

from planish.data.program import Completed, Program

__all__ = ["exit_status", "print_json", "print_streams"]

_TIMED_OUT = 124  # as timeout(1) has it
_SIGNALLED = 128  # and the signal's number, as shells have it
_KILLED = 9

# All that moves a terminal's cursor, colours it, or makes it answer; not tab, newline, return.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def exit_status(completed: Completed) -> int:
    """What the command ends with."""
    if completed.limit == "seconds":
        return _TIMED_OUT
    if completed.limit is not None or completed.exit_code is None:
        return _SIGNALLED + (completed.signal or _KILLED)
    return completed.exit_code


def print_streams(completed: Completed) -> int:
    """Pass on what it wrote, and say what it was killed for; gives the exit status."""
    _pass_on(completed.stdout, sys.stdout.buffer)
    _pass_on(completed.stderr, sys.stderr.buffer)
    for finding in completed.findings:
        click.echo(f"planish: {_visible(finding)}", err=True)
    if completed.limit is not None:
        click.echo(f"planish: stopped at its limit of {completed.limit}", err=True)
    return exit_status(completed)


def _pass_on(data: bytes, stream: BinaryIO) -> None:
    if stream.isatty():
        # A terminal obeys what is written to it; nobody has read this.
        data = _visible(data.decode("utf-8", "backslashreplace")).encode()
    stream.write(data)
    stream.flush()


def _visible(text: str) -> str:
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def print_json(program: Program, completed: Completed) -> int:
    """Print all there is to know of it as JSON; gives the exit status."""
    status = exit_status(completed)
    value: dict[str, Any] = {
        "error": None,
        "exit_status": status,
        "exit_code": completed.exit_code,
        "signal": completed.signal,
        "limit": completed.limit,
        **_stream("stdout", completed.stdout),
        **_stream("stderr", completed.stderr),
        "seconds": round(completed.duration, 6),
        "limits": asdict(program.limits),
        "tier": completed.isolation,
        "guarantees": list(completed.guarantees),
        "findings": list(completed.findings),
        "artifacts": [
            {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for path, data in sorted(completed.artifacts.items())
        ],
    }
    click.echo(json.dumps(value, indent=2))
    return status


def _stream(name: str, data: bytes) -> dict[str, str | None]:
    """As text; and where it is none, also as it was."""
    try:
        return {name: data.decode(), f"{name}_base64": None}
    except UnicodeDecodeError:
        encoded = base64.b64encode(data).decode()
        return {name: data.decode("utf-8", "replace"), f"{name}_base64": encoded}
