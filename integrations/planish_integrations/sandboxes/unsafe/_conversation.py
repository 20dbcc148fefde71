"""What passes between the host and one program while it runs."""

import os
import signal
import sys
import time
from contextlib import suppress

import anyio

from planish.data.program import Completed, Program, limit_name
from planish.errors import SandboxError
from planish.guest.protocol import unsafe_clock as clock
from planish.guest.protocol import unsafe_frames as frames

from ._capture import Capture
from ._frames import Frames
from ._warden import PATIENCE, Warden

__all__ = ["Conversation"]

_TO_START = 60.0  # seconds for an interpreter to start, on a machine that has other work
_OVERDUE = 2.0  # seconds after the last moment it may have, for its end to be reported
_NUDGE = 1.0  # seconds after which a warden that the program has stopped goes on


class Conversation:
    """Listens to a program and to its warden, and tells how it ended."""

    def __init__(self, warden: Warden, program: Program) -> None:
        self._warden = warden
        self._channels = warden.channels
        self._seconds = program.limits.seconds
        self._outputs = program.outputs
        self._stdout = Capture(self._channels.stdout, program.limits.output_bytes)
        self._stderr = Capture(self._channels.stderr, program.limits.output_bytes)
        self._heard = Frames()
        self._over = False
        self._duration: float = 0.0  # as seen from here

    async def hold(self) -> None:
        """Until the warden has said all, or should have."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._record, self._stdout)
            tasks.start_soon(self._record, self._stderr)
            await self._follow()
            tasks.cancel_scope.cancel()
        for stream in (self._stdout, self._stderr):
            stream.take_rest()  # who could write is dead: what the pipe holds is all there is

    async def _follow(self) -> None:
        with anyio.move_on_after(_TO_START):
            await _write(self._channels.control.fileno(), self._warden.request)
            await self._hear(frames.STARTED)
        if self._heard[frames.STARTED]:
            started = time.monotonic()
            with anyio.move_on_after(clock.WALL * self._seconds + _OVERDUE):
                while not (self._over or self._heard[frames.ENDED]):
                    with anyio.move_on_after(_NUDGE):
                        await self._hear(frames.ENDED)
                    self._warden.nudge()
            self._duration = time.monotonic() - started
            self._warden.stop()
            with anyio.move_on_after(PATIENCE):
                await self._hear(frames.ENDED)
        if self._heard[frames.ENDED]:
            await self._hear(None)  # the files; and then it removes the directory

    async def _hear(self, kind: bytes | None) -> None:
        """Until such a frame has come, or nothing will any more."""
        while not (self._over or (kind and self._heard[kind])):
            try:
                data = self._channels.control.recv(65536)
            except BlockingIOError:
                await anyio.wait_readable(self._channels.control)
            except ConnectionError:
                self._over = True
            else:
                self._over = not data
                self._heard.feed(data)

    async def _record(self, stream: Capture) -> None:
        await stream.record()
        if stream.over:
            self._warden.stop()

    def completed(self) -> Completed:
        """How the program ended.

        Raises:
            SandboxError: the warden could not do its work.
            SandboxLostError: the warden vanished.
        """
        heard = self._heard
        if heard[frames.FAILED]:
            why = heard[frames.FAILED][0].decode(errors="replace")
            raise SandboxError(f"UnsafeLocalSandbox: {why}")
        if not heard[frames.STARTED]:
            said = self._stderr.data[-2000:].decode(errors="replace").strip()
            raise SandboxError(
                f"UnsafeLocalSandbox: the interpreter {sys.executable} failed: {said}"
            )
        if not heard[frames.ENDED]:
            return self._unwatched()
        return self._completed(*heard[frames.ENDED][0].decode().split())

    def _unwatched(self) -> Completed:
        """How it ended whose warden was killed: that is the program's own doing, here."""
        finding = (
            "the process that watches the program was killed, by the program or for lack of "
            f"memory, and the program with it. {self._warden.left}"
        )
        return Completed(
            exit_code=None,
            signal=int(signal.SIGKILL),
            stdout=bytes(self._stdout.data),
            stderr=bytes(self._stderr.data),
            duration=self._duration,
            results=self._warden.results,
            findings=(finding.strip(),),
            isolation="none",
        )

    def _completed(self, status: str, limit: str, seconds: str, cpu: str) -> Completed:
        code = int(status)
        flooded = self._stdout.over or self._stderr.over
        return Completed(
            exit_code=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            limit="output_bytes" if flooded else limit_name(limit),
            stdout=bytes(self._stdout.data),
            stderr=bytes(self._stderr.data),
            duration=float(seconds),
            cpu_seconds=float(cpu),
            files=self._files(frames.FILE),
            results=self._warden.results,
            artifacts=self._files(frames.OUTPUT),
            findings=tuple(
                f"the outputs: {path!r} was left out: it is no regular file, or too large"
                if path
                else f"the outputs: the folder {self._outputs!r} is no longer there"
                for path in self._files(frames.LEFT_OUT)
            ),
            isolation="none",
        )

    def _files(self, kind: bytes) -> dict[str, bytes]:
        frames = (frame.partition(b"\0") for frame in self._heard[kind])
        return {os.fsdecode(name): content for name, _, content in frames}


async def _write(pipe: int, data: bytes) -> None:
    """All of it, or as much as the other side takes before it closes."""
    rest = memoryview(data)
    with suppress(BrokenPipeError, ConnectionResetError):
        while rest:
            try:
                rest = rest[os.write(pipe, rest) :]
            except BlockingIOError:
                await anyio.wait_writable(pipe)
