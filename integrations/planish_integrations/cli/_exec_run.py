"""Run the program of `planish exec` until it ends or a signal arrives, and report the result."""

import base64
import hashlib
import json
import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import anyio
import click

from planish.data.program import Completed, Program
from planish.errors import SandboxError
from planish_integrations.cli._exec_files import build_program, require_empty_folder, save_outputs
from planish_integrations.cli._failure import CommandExit
from planish_integrations.cli._options import ExecOptions
from planish_integrations.sandboxes.local import LocalSandbox

if TYPE_CHECKING:
    from planish_integrations.environments import Environments

__all__ = ["run_program"]

_EXIT_TIMEOUT = 124  # as timeout(1)
_EXIT_SIGNAL = 128  # plus the signal's number, as shells do
_KILLED = 9

# Everything that controls a terminal, except tab, newline and carriage return.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def exit_status(completed: Completed) -> int:
    """Return the exit status of the command."""
    if completed.limit == "seconds":
        return _EXIT_TIMEOUT
    if completed.limit is not None or completed.exit_code is None:
        return _EXIT_SIGNAL + (completed.signal or _KILLED)
    return completed.exit_code


def print_streams(completed: Completed) -> int:
    """Write the program's output and the limit that stopped it; return the exit status."""
    _write_stream(completed.stdout, sys.stdout.buffer)
    _write_stream(completed.stderr, sys.stderr.buffer)
    for finding in completed.findings:
        click.echo(f"planish: {_escape_control_characters(finding)}", err=True)
    if completed.limit is not None:
        click.echo(f"planish: stopped at its limit of {completed.limit}", err=True)
    return exit_status(completed)


def _write_stream(data: bytes, stream: BinaryIO) -> None:
    if stream.isatty():
        # A terminal executes control sequences, and this output is untrusted.
        data = _escape_control_characters(data.decode("utf-8", "backslashreplace")).encode()
    stream.write(data)
    stream.flush()


def _escape_control_characters(text: str) -> str:
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def print_json(program: Program, completed: Completed) -> int:
    """Print the result as JSON; return the exit status."""
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
    """Return the data as text and, if it is not UTF-8, also as base64."""
    try:
        return {name: data.decode(), f"{name}_base64": None}
    except UnicodeDecodeError:
        encoded = base64.b64encode(data).decode()
        return {name: data.decode("utf-8", "replace"), f"{name}_base64": encoded}


_SANDBOX_FAILED = 125  # the sandbox itself failed, as with timeout(1) and docker

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_program(options: ExecOptions) -> int:
    """Run the program, print the result and return the exit status.

    Raises:
        click.UsageError: the options do not describe a program.
        CommandExit: a signal ended the command, or the sandbox failed.
        UnsupportedError: this machine cannot run it, or not with these options.
    """
    require_empty_folder(options.outputs)
    program = build_program(options)
    try:
        completed = anyio.run(_run_until_signal, program, options)
    except SandboxError as error:
        raise CommandExit("sandbox", f"error: {error}", _SANDBOX_FAILED) from error
    if options.outputs is not None:
        save_outputs(options.outputs, completed.artifacts)
    if options.as_json:
        return print_json(program, completed)
    return print_streams(completed)


async def _run_until_signal(program: Program, options: ExecOptions) -> Completed:
    """Run the program until it ends or a signal arrives, which ends all its processes."""
    completed: Completed | None = None
    failed: Exception | None = None
    caught: signal.Signals | None = None
    with anyio.open_signal_receiver(*_SIGNALS) as signals:
        async with anyio.create_task_group() as tasks:

            async def wait_for_signal() -> None:
                nonlocal caught
                caught = await anext(signals)
                # A second signal must not interrupt the clean-up.
                signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
                tasks.cancel_scope.cancel()

            tasks.start_soon(wait_for_signal)
            try:
                completed = await _run(program, options)
            except Exception as error:  # noqa: BLE001 - raised outside the group, unwrapped
                failed = error
            tasks.cancel_scope.cancel()
    if failed is not None:
        raise failed
    if completed is None:
        _raise_interrupted(caught or signal.SIGINT)
    return completed


async def _run(program: Program, options: ExecOptions) -> Completed:
    sandbox = LocalSandbox(
        tier=options.tier,
        require=options.require,
        environments=await _environments(options.packages),
        concurrency=1,
        spare=1,
    )
    async with sandbox:
        return await sandbox.run(program)


async def _environments(packages: Sequence[str]) -> "Environments | None":
    """Install the packages and return the environments; None if there are no packages."""
    if not packages:
        return None
    # Imported here, so that programs without packages start faster.
    from planish_integrations.environments import Environments  # noqa: PLC0415

    try:
        environments = Environments(allow=(), always=packages)
    except ValueError as error:
        raise click.UsageError(f"--package: {error}") from error
    await environments.build(
        environments.spec(*packages)
    )  # raises before the program runs, if a package cannot be installed
    return environments


def _raise_interrupted(caught: signal.Signals) -> NoReturn:
    reasons = {signal.SIGINT: "interrupted", signal.SIGHUP: "hung up"}
    reason = reasons.get(caught, "terminated")
    raise CommandExit("interrupted", f"{reason}; the program was stopped", 128 + caught)
