"""One program in one sandbox: sent, run as a process of its own, and its answer read.

It runs by E2B's commands, not by its code interpreter: a process of its own has an exit status,
bytes for output and limits, starts at once where a context takes half a second, and cannot be
held up by what became of the run before it.
"""

import base64
import hashlib
import json
import zlib
from typing import Any

import anyio

from planish.data.isolation import Guarantee
from planish.data.program import Completed, Program
from planish.errors import PlanishError, SandboxLostError, UnsupportedError

from ._box import Box, patiently
from ._job import Job, pack
from ._sdk import Command
from ._settings import Settings

__all__ = ["perform"]

_TO_START = 20.0  # seconds for a command to start
_GRACE = 20.0  # seconds after its time limit for a program's answer to arrive

_ALWAYS: tuple[Guarantee, ...] = (
    "cpu",
    "disk",
    "environment",
    "files",
    "ipc",
    "memory",
    "memory_total",
    "output",
    "processes",
    "writes",
)


async def perform(
    box: Box, program: Program, command: tuple[str, ...], settings: Settings
) -> Completed:
    """Run a program in a sandbox.

    Raises:
        SandboxLostError: its answer did not come, or not whole.
        UnsupportedError: the template has no interpreter for it.
        SandboxError: E2B failed.
    """
    job = pack(program, command, settings.env)
    patience = settings.plan.patience
    await patiently(patience, lambda: box.call(box.sdk.files.write, job.path, job.data))
    told: dict[str, Any] | None = None
    with anyio.move_on_after(program.limits.seconds + _GRACE):
        said = await patiently(patience, lambda: _run(box, job))
        told = await _answer(box, job, said)
    if told is None:
        raise SandboxLostError(
            f"E2B sandbox {box.id} did not answer {_GRACE:g} s after the program's time was up"
        )
    if "missing" in told:
        wanted = command[0] if command else "python3"
        raise UnsupportedError(
            f"the template has no command {wanted!r} for {program.language!r} "
            f"({told['missing']}): take another template, or E2BSandbox(languages=...)"
        )
    return _completed(told, box, settings)


async def _run(box: Box, job: Job) -> str:
    pieces: list[str] = []

    async def run() -> None:
        # Shielded, for a moment: cancelled while it starts, the SDK leaves an exception behind
        # that the event loop complains of. timeout=0: the time is kept here and in the sandbox.
        running: Command | None = None
        with anyio.CancelScope(shield=True):
            running = await box.sdk.commands.run(
                job.command,
                background=True,
                on_stdout=pieces.append,
                timeout=0,
                request_timeout=_TO_START,
            )
        if running is not None:
            await running.wait()

    try:
        await box.call(run)
    except PlanishError as error:
        if isinstance(error, SandboxLostError) or job.word not in "".join(pieces):
            raise
    return "".join(pieces)


async def _answer(box: Box, job: Job, said: str) -> dict[str, Any]:
    """The answer, whole, or nothing."""
    # From the right: as root, a program can write there before, but does not know the word.
    _, found, line = said.rpartition(f"{job.word} ")
    kind, _, rest = line.rstrip("\n").partition(" ")
    if not found or not line.endswith("\n"):
        state = "is still there" if await box.lives() else "is gone"
        raise SandboxLostError(f"E2B sandbox {box.id} ended its answer early; the sandbox {state}")
    if kind == "inline":
        packed = base64.b64decode(rest)
    else:
        path = f"{job.path}.out"
        packed = bytes(await box.call(box.sdk.files.read, path, format="bytes"))
        await box.call(box.sdk.files.remove, path)
        if hashlib.sha256(packed).hexdigest() != rest:
            raise SandboxLostError(f"the answer of E2B sandbox {box.id} is not the one it sent")
    told: dict[str, Any] = json.loads(zlib.decompress(packed))
    return told


def _completed(told: dict[str, Any], box: Box, settings: Settings) -> Completed:
    held: list[Guarantee] = list(_ALWAYS)
    if not settings.internet:
        held.append("network")
    if told["privileges"]:
        held.append("privileges")
    if not settings.reuse:
        held.append("cleanup")
    return Completed(
        exit_code=told["exit_code"],
        signal=told["signal"],
        limit=told["limit"],
        stdout=base64.b64decode(told["stdout"]),
        stderr=base64.b64decode(told["stderr"]),
        duration=told["duration"],
        files=_decoded(told["files"]),
        results=None if told["results"] is None else base64.b64decode(told["results"]),
        artifacts=_decoded(told["artifacts"]),
        findings=tuple(told["findings"]),
        isolation="microvm",
        guarantees=tuple(sorted(held)),
        sandbox_id=box.id,
    )


def _decoded(files: dict[str, str]) -> dict[str, bytes]:
    return {name: base64.b64decode(data) for name, data in files.items()}
