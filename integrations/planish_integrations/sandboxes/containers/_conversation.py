"""Send a program to the supervisor of a container, and receive what it answers."""

import errno
import json
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio
from anyio.abc import Process

from planish.data.program import Completed, Program
from planish.errors import SandboxLostError, UnsupportedError
from planish.guest.protocol import Launch, clock, frames
from planish_integrations.sandboxes.host import (
    TOO_LONG,
    Frames,
    SandboxFacts,
    base_request,
    completed_from,
    raise_failure,
    safe_main,
)

from ._engine import Engine
from ._guarantees import guarantees

__all__ = ["Conversation", "SilencedError"]

_STARTING = 60.0  # seconds for a container to start, on a machine that has other work
_OVERDUE = 10.0  # seconds after its time limit, for its end and its files to be reported
_OUTPUT_WAIT = 2.0  # seconds for the engine's message about a failure
_LAST_FRAMES = (frames.DONE, frames.MISSING, frames.FAILED)  # one of these ends an answer
_MOST_OUTPUT = 65_536  # bytes kept of what the engine writes to stderr
_ENV = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/planish/tmp",
    "TMPDIR": "/planish/tmp",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
}


class SilencedError(SandboxLostError):
    """The supervisor ended, or fell silent, after the program had started.

    Attributes:
        completed: How the program ended, where it is the program that did this.
    """

    def __init__(self, message: str, completed: Completed) -> None:
        super().__init__(message)
        self.completed = completed


@dataclass(slots=True)
class Conversation:
    """Send a program to the supervisor of a container, and receive the frames about its run."""

    engine: Engine
    name: str
    program: Program
    command: Sequence[str]
    answer: Frames = field(default_factory=Frames)
    output: bytearray = field(default_factory=bytearray)
    output_ended: anyio.Event = field(default_factory=anyio.Event)

    async def run(self, process: Process) -> None:
        """Send the program, and wait until the supervisor has sent its last frame.

        Raises:
            SandboxError: the container did not start.
            SilencedError: it vanished, or fell silent, while the program ran.
            UnsupportedError: the image lacks the interpreter that runs the program, or its
                arguments are too long.
        """
        starting = anyio.CancelScope(deadline=anyio.current_time() + _STARTING)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._send_request, process)
            tasks.start_soon(self._read_output, process)
            with starting:
                await self._follow(process, starting)
            if not self._is_complete():
                with anyio.move_on_after(_OUTPUT_WAIT):
                    await self.output_ended.wait()  # the engine writes the reason to stderr
            tasks.cancel_scope.cancel()
        if self.answer[frames.MISSING]:
            why = self.answer[frames.MISSING][0].decode("utf-8", "replace")
            if os.strerror(errno.E2BIG) in why:
                raise UnsupportedError(TOO_LONG)
            raise UnsupportedError(
                f"the image cannot run {self.program.language!r}: {why}; take an image "
                "that has it, or name another command in ContainerSandbox(languages=...)"
            )
        if not self.answer[frames.FACTS]:
            late = starting.cancelled_caught
            output = f"nothing within {_STARTING:g} s".encode() if late else bytes(self.output)
            raise self.engine.failed("start", output)
        if not self._is_complete():
            ending = bytes(self.output).decode("utf-8", "replace").strip()[-500:]
            message = f"the container {self.name} vanished while it ran: {ending}"
            raise SilencedError(message, self._silenced(stopped=starting.cancelled_caught))

    def _is_complete(self) -> bool:
        return any(self.answer[kind] for kind in _LAST_FRAMES)

    def _silenced(self, *, stopped: bool) -> Completed:
        did = "stopped" if stopped else "ended"
        return Completed(
            exit_code=None,
            signal=signal.SIGKILL,  # the container is killed, with all that is left in it
            limit="seconds" if stopped else None,
            stdout=b"".join(self.answer[frames.STDOUT]),
            stderr=b"".join(self.answer[frames.STDERR]),
            results=b"" if self.program.results else None,
            findings=(f"the program {did} its supervisor: what it wrote is lost",),
            isolation="container",
            sandbox_id=self.name,
        )

    def completed(self) -> Completed:
        """Return how the program ended.

        Raises:
            SandboxError: the supervisor could not do its work.
        """
        raise_failure(self.answer, "ContainerSandbox")
        facts = json.loads(self.answer[frames.FACTS][0])
        promised = guarantees(facts, self.program.limits)
        return completed_from(
            self.answer, self.program, SandboxFacts("container", promised, sandbox_id=self.name)
        )

    def _request(self) -> bytes:
        program = self.program
        request: Launch = {
            **base_request(program),
            "argv": [*self.command, safe_main(program), *program.args],
            "env": _ENV | dict(program.env),
            "elsewhere": 0,  # the engine limits the number of processes
        }
        return frames.encode(request)

    async def _send_request(self, process: Process) -> None:
        # Left open: its end tells the supervisor that the host is gone.
        if process.stdin is not None:
            try:
                await process.stdin.send(self._request())
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # it is gone; that is noticed where it is read

    async def _read_output(self, process: Process) -> None:
        if process.stderr is not None:
            async for piece in process.stderr:
                self.output += piece[: _MOST_OUTPUT - len(self.output)]
        self.output_ended.set()

    async def _follow(self, process: Process, scope: anyio.CancelScope) -> None:
        if process.stdout is None:
            return
        started = False
        async for piece in process.stdout:
            self.answer.feed(piece)
            if self.answer[frames.FACTS] and not started:
                started = True
                longest = clock.WALL * self.program.limits.seconds + _OVERDUE
                scope.deadline = anyio.current_time() + longest
            if self._is_complete():
                return
