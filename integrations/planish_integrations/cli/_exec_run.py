"""Run the program of `planish exec`, and let Ctrl-C really end it."""

import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import anyio
import click

from planish.data.program import Completed, Program
from planish.errors import SandboxError
from planish_integrations.cli._exec_options import ExecOptions
from planish_integrations.cli._exec_outputs import fail_unless_new, save_outputs
from planish_integrations.cli._exec_program import program_of
from planish_integrations.cli._exec_report import print_json, print_streams
from planish_integrations.cli._failure import Stop
from planish_integrations.sandboxes.local import LocalSandbox

if TYPE_CHECKING:
    from planish_integrations.environments import Environments

__all__ = ["run_program"]

_LOST = 125  # the sandbox itself failed, as timeout(1) and docker have it

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_program(options: ExecOptions) -> int:
    """Run it and print what there is to print; gives the exit status.

    Raises:
        click.UsageError: the options make no program.
        Stop: a signal has ended this, or the sandbox failed.
        UnsupportedError: it cannot be run here, or not so.
    """
    fail_unless_new(options.outputs)
    program = program_of(options)
    try:
        completed = anyio.run(_until_ended, program, options)
    except SandboxError as error:
        raise Stop("sandbox", f"error: {error}", _LOST) from error
    if options.outputs is not None:
        save_outputs(options.outputs, completed.artifacts)
    if options.as_json:
        return print_json(program, completed)
    return print_streams(completed)


async def _until_ended(program: Program, options: ExecOptions) -> Completed:
    """To its end, or to the first signal: then nothing of it is left when this is left."""
    completed: Completed | None = None
    failed: Exception | None = None
    caught: signal.Signals | None = None
    with anyio.open_signal_receiver(*_ENDING) as signals:
        async with anyio.create_task_group() as tasks:

            async def wait_for_signal() -> None:
                nonlocal caught
                caught = await anext(signals)
                # The end has begun; pressing again must not end that.
                signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
                tasks.cancel_scope.cancel()

            tasks.start_soon(wait_for_signal)
            try:
                completed = await _run(program, options)
            except Exception as error:  # noqa: BLE001 - taken out of the group as it is
                failed = error
            tasks.cancel_scope.cancel()
    if failed is not None:
        raise failed
    if completed is None:
        _stopped_by(caught or signal.SIGINT)
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
    """What it may import, installed; nothing else is."""
    if not packages:
        return None
    # Loaded here, so that programs that need none start sooner.
    from planish_integrations.environments import Environments  # noqa: PLC0415

    try:
        environments = Environments(allow=(), always=packages)
    except ValueError as error:
        raise click.UsageError(f"--package: {error}") from error
    await environments.build(environments.spec(*packages))  # or say why not, and run nothing
    return environments


def _stopped_by(caught: signal.Signals) -> NoReturn:
    words = {signal.SIGINT: "interrupted", signal.SIGHUP: "hung up"}
    how = words.get(caught, "terminated")
    raise Stop("interrupted", f"{how}; the program was stopped", 128 + caught)
