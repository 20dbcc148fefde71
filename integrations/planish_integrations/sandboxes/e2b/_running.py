"""One program in one sandbox: sent, run as a process of its own, and its answer read.

It runs by E2B's commands, not by its code interpreter: a process of its own has an exit status,
bytes for output and limits, starts at once where a context takes half a second, and cannot be
held up by what became of the run before it.
"""

import base64
import errno
import hashlib
import json
import os
import signal
import time
import zlib
from dataclasses import dataclass

import anyio

from planish.data.program import Completed, Program
from planish.data.sandbox import Guarantee
from planish.errors import PlanishError, SandboxError, SandboxLostError, UnsupportedError
from planish.guest.protocol import clock, frames
from planish_integrations.sandboxes.host import TOO_LONG, Frames, SandboxFacts, completed_from

from ._answer import Answer
from ._errors import BusyError
from ._handle import SandboxHandle, retry_while_busy
from ._job import Job, pack
from ._sdk import Command, exit_code
from ._settings import Settings

__all__ = ["Ending", "perform"]

_TO_START = 20.0  # seconds for a command to start
_SILENCE = 20.0  # seconds without a sign of life after which the supervisor counts as stopped
_LOOK = 0.2  # seconds between two looks for signs of life
_REPORT = 15.0  # seconds of a sandbox's life that are kept for the program's report

_OF_THE_MACHINE: tuple[Guarantee, ...] = ("environment", "files", "ipc", "writes")
_ALWAYS: tuple[Guarantee, ...] = (
    "cpu",
    "disk",
    "environment",
    "files",
    "ipc",
    "memory",
    "output",
    "processes",
    "writes",
)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended.

    Attributes:
        completed: The same, as a sandbox returns it.
        whole: Its supervisor reported that. Otherwise the supervisor was killed or stopped, in a
            sandbox that still answers.
    """

    completed: Completed
    whole: bool


async def perform(
    handle: SandboxHandle,
    program: Program,
    command: tuple[str, ...],
    settings: Settings,
    answer: Answer,
) -> Ending:
    """Run a program in a sandbox.

    Args:
        handle: The sandbox.
        program: What to run.
        command: What runs its language.
        settings: The sandbox's.
        answer: What its supervisor prints; it tells whether the program had started.

    Raises:
        SandboxLostError: the sandbox is gone, or its answer was cut off.
        UnsupportedError: the template has no interpreter for it.
        SandboxError: E2B failed.
    """
    seconds, patience = program.limits.seconds, settings.plan.patience
    wall = min(clock.WALL * seconds, max(seconds, handle.left - _REPORT))
    job = pack(program, command, settings.env, answer.word, wall)
    await retry_while_busy(
        patience, lambda: handle.call(handle.sdk.files.write, job.path, job.data)
    )
    await _listen(handle, job, answer, wall, patience)
    report = await _result(handle, answer)
    if report is None:
        return Ending(await _unanswered(handle, program, answer, settings), whole=False)
    if report[frames.FAILED]:
        raise SandboxError(f"E2BSandbox: {report[frames.FAILED][0].decode(errors='replace')}")
    if report[frames.MISSING]:
        why = report[frames.MISSING][0].decode(errors="replace")
        if os.strerror(errno.E2BIG) in why:
            raise UnsupportedError(TOO_LONG)
        raise UnsupportedError(
            f"the template cannot run {program.language!r}: {why}; take another template, or "
            "name another command in E2BSandbox(languages=...)"
        )
    return Ending(_completed(report, program, handle, settings), whole=True)


async def _listen(
    handle: SandboxHandle, job: Job, answer: Answer, wall: float, patience: float
) -> None:
    """Run the supervisor until it ends, or is silent for too long.

    Raises:
        SandboxError: E2B failed; the supervisor may not have started.
    """
    failed: list[PlanishError] = []
    to_start = patience + _TO_START
    begin = time.monotonic()
    async with anyio.create_task_group() as tasks:

        async def run() -> None:
            try:
                await retry_while_busy(patience, lambda: _run(handle, job, answer))
            except PlanishError as error:
                failed.append(error)
            tasks.cancel_scope.cancel()

        tasks.start_soon(run)
        silent = 0.0
        while silent < _SILENCE and time.monotonic() < begin + to_start + wall + _SILENCE:
            await anyio.sleep(_LOOK)  # no event: the SDK may call from another thread
            since = answer.heard if answer.started else begin + to_start
            silent = time.monotonic() - since
        tasks.cancel_scope.cancel()
    if failed and answer.result is None:
        raise failed[0]


async def _run(handle: SandboxHandle, job: Job, answer: Answer) -> None:
    async def run() -> None:
        # Shielded, for a moment: cancelled while it starts, the SDK leaves an exception behind
        # that the event loop complains of. timeout=0: the time is kept here and in the sandbox.
        running: Command | None = None
        with anyio.CancelScope(shield=True):
            running = await handle.sdk.commands.run(
                job.command,
                background=True,
                on_stdout=answer.take,
                timeout=0,
                request_timeout=_TO_START,
            )
        if running is not None:
            answer.exit_code = await exit_code(running)

    try:
        await handle.call(run)
    except BusyError as error:
        if answer.started:  # to call again would be to run it again
            raise SandboxLostError(
                f"the answer of E2B sandbox {handle.id} broke off: {error}"
            ) from None
        raise


async def _result(handle: SandboxHandle, answer: Answer) -> Frames | None:
    """Return the supervisor's result, or None where it gave none that is whole."""
    if answer.result is None:
        return None
    kind, _, rest = answer.result.partition(" ")
    if kind == "inline":
        packed = base64.b64decode(rest)
    else:
        path, _, digest = rest.partition(" ")
        packed = bytes(await handle.call(handle.sdk.files.read, path, format="bytes"))
        await handle.call(handle.sdk.files.remove, path)
        if hashlib.sha256(packed).hexdigest() != digest:
            return None
    report = Frames()
    report.feed(zlib.decompress(packed))
    return report


async def _unanswered(
    handle: SandboxHandle, program: Program, answer: Answer, settings: Settings
) -> Completed:
    """Return the ending of a program whose supervisor did not report it.

    As long as the sandbox answers, only the program can have ended or stopped its supervisor.

    Raises:
        SandboxLostError: the sandbox does not answer.
        SandboxError: the program had not started.
    """
    if not await handle.is_alive():
        raise SandboxLostError(f"E2B sandbox {handle.id} is gone: it does not answer any more")
    if not answer.started:
        raise SandboxError(
            f"E2B sandbox {handle.id} did not start a program (exit code {answer.exit_code}): has "
            "its template python3, in version 3.9 or later, and room on its disk?"
        )
    stopped = answer.exit_code is None
    did = "stopped" if stopped else "ended"
    promised = _OF_THE_MACHINE if settings.internet else (*_OF_THE_MACHINE, "network")
    return Completed(
        exit_code=None,
        signal=signal.SIGKILL,  # the sandbox is killed, with all that is left in it
        limit="seconds" if stopped else None,
        duration=time.monotonic() - answer.began,
        results=b"" if program.results else None,
        findings=(f"the program {did} its supervisor: what it printed and wrote is lost",),
        isolation="microvm",
        guarantees=tuple(sorted(promised)),
        sandbox_id=handle.id,
    )


def _completed(
    report: Frames, program: Program, handle: SandboxHandle, settings: Settings
) -> Completed:
    promised: list[Guarantee] = list(_ALWAYS)
    if not settings.internet:
        promised.append("network")
    if json.loads(report[frames.FACTS][0])["powerless"]:
        promised.append("privileges")
    if not settings.reuse:
        promised.append("cleanup")
    return completed_from(report, program, SandboxFacts("microvm", promised, sandbox_id=handle.id))
