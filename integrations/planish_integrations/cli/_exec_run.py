"""Run the program of `planish exec` until it ends or a signal arrives, and report the result."""

import base64
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import anyio
import click

from planish.abc import OnOutput
from planish.data.program import Completed, Program
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.cli._exec_files import build_program, require_empty_folder, save_outputs
from planish_integrations.cli._failure import CommandExit
from planish_integrations.cli._live_output import LiveOutput, escape_control_characters
from planish_integrations.cli._options import ExecOptions
from planish_integrations.cli._signals import InterruptedBySignal, run_until_signal
from planish_integrations.sandboxes.local import LANGUAGES, LocalSandbox

if TYPE_CHECKING:
    from planish_integrations.environments import Environments

__all__ = ["run_program"]

_EXIT_TIMEOUT = 124  # as timeout(1)
_EXIT_SIGNAL = 128  # plus the signal's number, as shells do
_KILLED = 9
_OPTIONS = {"seconds": "--timeout", "memory_mb": "--memory"}  # that set limits


def exit_status(completed: Completed) -> int:
    """Return the exit status of the command."""
    if completed.limit == "seconds":
        return _EXIT_TIMEOUT
    if completed.limit is not None or completed.exit_code is None:
        return _EXIT_SIGNAL + (completed.signal or _KILLED)
    return completed.exit_code


def print_end(program: Program, completed: Completed) -> int:
    """Print the findings and the limit that stopped the program; return the exit status."""
    for finding in completed.findings:
        click.echo(f"planish: {escape_control_characters(finding)}", err=True)
    if completed.limit is not None:
        limit, option = completed.limit, _OPTIONS.get(completed.limit)
        advice = f", {getattr(program.limits, limit):g}: raise it with {option}" if option else ""
        click.echo(f"planish: stopped at its limit of {limit}{advice}", err=True)
    return exit_status(completed)


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


def _stream(name: str, data: bytes | bytearray) -> dict[str, str | None]:
    """Return the data as text and, if it is not UTF-8, also as base64."""
    try:
        return {name: data.decode(), f"{name}_base64": None}
    except UnicodeDecodeError:
        encoded = base64.b64encode(data).decode()
        return {name: data.decode("utf-8", "replace"), f"{name}_base64": encoded}


_SANDBOX_FAILED = 125  # the sandbox itself failed, as with timeout(1) and docker


def run_program(options: ExecOptions) -> int:
    """Run the program, print the result and return the exit status.

    Raises:
        click.UsageError: the options do not describe a program.
        CommandExit: a signal ended the command, or the sandbox failed.
        UnsupportedError: this machine cannot run it, or not with these options.
    """
    require_empty_folder(options.outputs)
    program = build_program(options)
    _require_language(program.language)
    collected = {"stdout": bytearray(), "stderr": bytearray()}
    writer = None if options.as_json else LiveOutput()

    def on_output(stream: Literal["stdout", "stderr"], data: bytes) -> None:
        if writer is None:
            collected[stream] += data
        else:
            writer.add(stream, data)

    run = partial(_run, program, options, on_output)
    try:
        completed = anyio.run(_run_until_signal, run, writer)
    except SandboxError as error:
        raise CommandExit("sandbox", f"error: {error}", _SANDBOX_FAILED) from error
    except InterruptedBySignal as error:
        values = {k: v for name, data in collected.items() for k, v in _stream(name, data).items()}
        raise CommandExit("interrupted", str(error), _EXIT_SIGNAL + error.number, values) from None
    if options.outputs is not None:
        save_outputs(options.outputs, completed.artifacts)
    if options.as_json:
        return print_json(program, completed)
    return print_end(program, completed)


def _require_language(language: str) -> None:
    """Check that a language can be run.

    Raises:
        UnsupportedError: it cannot; the message says what a command line can change.
    """
    try:
        LocalSandbox().require_language(language)
    except UnsupportedError:
        known = sorted({"python", *LANGUAGES})
        text = f"--language {language}: there are {', '.join(known)}"
        if language in LANGUAGES:
            command = LANGUAGES[language][0]
            text = f"{language} needs the command {command!r}: install it, or put it on PATH"
        elif near := get_close_matches(language.lower(), known, n=1):
            text += f"; did you mean {near[0]}?"
        raise UnsupportedError(text) from None


async def _run_until_signal(
    run: Callable[[], Awaitable[Completed]], writer: LiveOutput | None
) -> Completed:
    """Call `run`, and write output meanwhile, until it ends or a signal arrives.

    A signal ends all processes of the program. What it had written is written nevertheless.

    Raises:
        InterruptedBySignal: a signal arrived.
        OSError: the output cannot be written; the program was ended.
    """
    if writer is None:
        return await run_until_signal(run)

    async def run_and_write() -> Completed:
        completed: list[Completed] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(writer.write)
            completed.append(await run())
            writer.end()
        return completed[0]

    try:
        return await run_until_signal(run_and_write)
    except (InterruptedBySignal, SandboxError):
        await writer.write_rest()
        raise


async def _run(program: Program, options: ExecOptions, on_output: OnOutput) -> Completed:
    sandbox = LocalSandbox(
        tier=options.tier,
        require=options.require,
        environments=await _environments(options.packages),
        concurrency=1,
        spare=1,
    )
    async with sandbox:
        return await sandbox.run_live(program, on_output)


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
