"""Follow one program from its start to its supervisor's report."""

import signal
import sys
import time

import anyio

from planish.abc import OnOutput
from planish.data.program import Completed, Program
from planish.errors import SandboxError
from planish.guest.protocol import clock, frames
from planish_integrations.sandboxes.host import (
    Frames,
    ProgramOutput,
    SandboxFacts,
    completed_from,
    raise_failure,
    send_all,
)

from ._supervisor import PATIENCE, Supervisor

__all__ = ["Conversation"]

_TO_START = 60.0  # seconds for an interpreter to start, on a machine that has other work
_OVERDUE = 2.0  # seconds after the last moment it may have, for its end to be reported
_RESUME = 1.0  # seconds after which a supervisor that the program has stopped goes on


class Conversation:
    """Listens to a program and to its supervisor, and tells how the program ended."""

    def __init__(
        self, supervisor: Supervisor, program: Program, on_output: OnOutput | None = None
    ) -> None:
        self._supervisor = supervisor
        self._channels = supervisor.channels
        self._program = program
        most, pipes = program.limits.output_bytes, self._channels
        self._output = ProgramOutput(
            pipes.stdout, pipes.stderr, most, on_output, stop=supervisor.stop
        )
        self._answer = Frames()
        self._over = False
        self._duration: float = 0.0  # as seen from here

    async def wait(self) -> None:
        """Wait until the supervisor has sent its last frame, or its time to do so is over.

        Raises:
            BaseException: what `on_output` has raised; the program has ended.
        """
        try:
            await self._output.record_while(self._follow)
        finally:  # also if this call is cancelled: a listener gets what was written before
            self._output.take_rest()
        self._output.raise_error()

    async def _follow(self) -> None:
        with anyio.move_on_after(_TO_START):
            await send_all(self._channels.control.fileno(), self._supervisor.request)
            await self._receive(frames.STARTED)
        if self._answer[frames.STARTED]:
            started = time.monotonic()
            with anyio.move_on_after(clock.WALL * self._program.limits.seconds + _OVERDUE):
                while not (self._over or self._answer[frames.ENDED]):
                    with anyio.move_on_after(_RESUME):
                        await self._receive(frames.ENDED)
                    self._supervisor.resume()
            self._duration = time.monotonic() - started
            self._supervisor.stop()
            with anyio.move_on_after(PATIENCE):
                await self._receive(frames.ENDED)
        if self._answer[frames.ENDED]:
            await self._receive(None)  # the files; and then it removes the directory

    async def _receive(self, kind: bytes | None) -> None:
        """Read until a frame of this kind has arrived, or the supervisor has closed the socket."""
        while not (self._over or (kind and self._answer[kind])):
            try:
                data = self._channels.control.recv(65536)
            except BlockingIOError:
                await anyio.wait_readable(self._channels.control)
            except ConnectionError:
                self._over = True
            else:
                self._over = not data
                self._answer.feed(data)

    def completed(self) -> Completed:
        """Return how the program ended.

        Raises:
            SandboxError: the supervisor could not do its work.
        """
        answer = self._answer
        raise_failure(answer, "UnsafeLocalSandbox")
        if not answer[frames.STARTED]:
            output = self._output.stderr[-2000:].decode(errors="replace").strip()
            raise SandboxError(
                f"UnsafeLocalSandbox: the interpreter {sys.executable} failed: {output}"
            )
        if not answer[frames.ENDED]:
            return self._unwatched()
        return completed_from(
            answer,
            self._program,
            SandboxFacts("none"),
            output=self._output,
            results=self._supervisor.results,
        )

    def _unwatched(self) -> Completed:
        """Return how a program ended whose supervisor was killed: that counts as its own doing."""
        finding = (
            "the process that watches the program was killed, by the program or for lack of "
            f"memory, and the program with it. {self._supervisor.left}"
        )
        return Completed(
            exit_code=None,
            signal=int(signal.SIGKILL),
            stdout=self._output.stdout,
            stderr=self._output.stderr,
            duration=self._duration,
            results=self._supervisor.results,
            findings=(finding.strip(),),
            isolation="none",
        )
