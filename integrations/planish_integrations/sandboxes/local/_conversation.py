"""What passes between the host and one program while it runs."""

import os

import anyio

from planish.data.program import Completed, Program, limit_name
from planish.errors import SandboxError, SandboxLostError
from planish.guest.protocol import zygote_clock as clock
from planish.guest.protocol import zygote_frames as frames

from ._capture import Capture
from ._frames import Frames
from ._spare import PATIENCE, Spare, send_all
from ._tiers import GUARANTEED, Tier

__all__ = ["Conversation"]

_SOON = 0.02  # seconds: a program that prints more than a pipe holds waits for so long
_OVERDUE = 5.0  # seconds after the last moment it may have, for its end to be reported


class Conversation:
    """Listens to a program and to its warden, and tells how it ended."""

    def __init__(self, spare: Spare, program: Program) -> None:
        self._spare = spare
        self._program = program
        self._stdout = Capture(spare.stdout, program.limits.output_bytes)
        self._stderr = Capture(spare.stderr, program.limits.output_bytes)
        self._heard = Frames()

    async def hold(self, request: bytes) -> bool:
        """Until the warden has said all, or should have.

        Returns:
            False when the sandbox died before the program can have started.
        """
        if not await send_all(self._spare.control.fileno(), request):
            return False
        self._spare.close_stdin()  # what it reads has gone with the request
        if not await self._ends_soon():
            await self._follow_all()
        for stream in (self._stdout, self._stderr):
            stream.take_rest()  # who could write is dead: what the pipe holds is all there is
        return self._spare.begun() or bool(self._heard[frames.FAILED])

    async def _ends_soon(self) -> bool:
        """Most programs are over before it pays to listen to them."""
        with anyio.move_on_after(_SOON):
            await self._hear()
        if not self._spare.silent:
            self._spare.takes_long()
        return self._spare.silent

    async def _follow_all(self) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._record, self._stdout)
            tasks.start_soon(self._record, self._stderr)
            await self._follow()
            tasks.cancel_scope.cancel()

    async def _follow(self) -> None:
        with anyio.move_on_after(clock.WALL * self._program.limits.seconds + _OVERDUE):
            await self._hear()
        if not self._spare.silent:
            self._spare.stop()
            with anyio.move_on_after(PATIENCE):
                await self._hear()

    async def _hear(self) -> None:
        """Until nothing more will come: the warden closes when it has said all."""
        while data := await self._spare.hear():
            self._heard.feed(data)
            if self._heard[frames.DONE]:
                self._spare.is_done(reusable=bool(self._heard[frames.DONE][0]))

    async def _record(self, stream: Capture) -> None:
        await stream.record()
        if stream.over:
            self._spare.stop()

    def outlived(self) -> bool:
        """Somebody still holds the program's output, after its end."""
        return not all(stream.over or stream.closed for stream in (self._stdout, self._stderr))

    def completed(self, tier: Tier, findings: tuple[str, ...] = ()) -> Completed:
        """How the program ended.

        Raises:
            SandboxError: the warden could not do its work.
            SandboxLostError: the warden vanished.
        """
        if self._heard[frames.FAILED]:
            why = self._heard[frames.FAILED][0].decode(errors="replace")
            raise SandboxError(f"LocalSandbox: {why}")
        if not self._heard[frames.ENDED]:
            raise SandboxLostError(
                "LocalSandbox: the process that watches the program was killed, "
                "perhaps for lack of memory; nothing is known of the program"
            )
        status, limit, seconds, cpu = self._heard[frames.ENDED][0].decode().split()
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
            results=next(iter(self._heard[frames.RESULTS]), None),
            artifacts=self._files(frames.OUTPUT),
            findings=(*findings, *self._left_out()),
            isolation=tier,
            guarantees=tuple(sorted(GUARANTEED[tier])),
        )

    def _files(self, kind: bytes) -> dict[str, bytes]:
        frames = (frame.partition(b"\0") for frame in self._heard[kind])
        return {os.fsdecode(name): content for name, _, content in frames}

    def _left_out(self) -> list[str]:
        return [
            f"outputs: {path or self._program.outputs!r} was left out: {why.decode()}"
            for path, why in self._files(frames.LEFT_OUT).items()
        ]
