"""Follow one program from its request to its supervisor's report."""

from functools import partial

import anyio

from planish.abc import OnOutput
from planish.data.program import Completed, Program
from planish.errors import SandboxError, SandboxLostError
from planish.guest.protocol import clock, frames
from planish_integrations.sandboxes.host import (
    Capture,
    Frames,
    SandboxFacts,
    completed_from,
    send_all,
)

from ._tiers import GUARANTEED, Tier
from ._worker import PATIENCE, Worker

__all__ = ["Conversation"]

_SOON = 0.02  # seconds: a program that prints more than a pipe holds waits for so long
_OVERDUE = 5.0  # seconds after the last moment it may have, for its end to be reported


class Conversation:
    """Listens to a program and to its supervisor, and tells how the program ended."""

    def __init__(self, worker: Worker, program: Program, on_output: OnOutput | None = None) -> None:
        self._worker = worker
        self._program = program
        most = program.limits.output_bytes
        self._stdout = Capture(worker.stdout, most, on_output and partial(on_output, "stdout"))
        self._stderr = Capture(worker.stderr, most, on_output and partial(on_output, "stderr"))
        self._answer = Frames()

    async def wait(self, request: bytes) -> bool:
        """Send the request, and wait for the supervisor's last frame, or until its time is over.

        Returns:
            False when the sandbox died before the program can have started.

        Raises:
            BaseException: what `on_output` has raised; the program has ended.
        """
        if not await send_all(self._worker.control.fileno(), request):
            return False
        self._worker.close_stdin()  # what it reads has gone with the request
        try:
            if not await self._ends_soon():
                await self._follow_all()
        finally:  # also if this call is cancelled: a listener gets what was written before
            for stream in (self._stdout, self._stderr):
                stream.take_rest()
        for stream in (self._stdout, self._stderr):
            if stream.error:
                raise stream.error
        return self._worker.has_started() or bool(self._answer[frames.FAILED])

    async def _ends_soon(self) -> bool:
        """Wait for a moment: most programs are over before it pays to read their output."""
        with anyio.move_on_after(_SOON):
            await self._receive()
        if not self._worker.has_reported:
            self._worker.request_refill()
        return self._worker.has_reported

    async def _follow_all(self) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._record, self._stdout)
            tasks.start_soon(self._record, self._stderr)
            await self._follow()
            tasks.cancel_scope.cancel()

    async def _follow(self) -> None:
        with anyio.move_on_after(clock.WALL * self._program.limits.seconds + _OVERDUE):
            await self._receive()
        if not self._worker.has_reported:
            self._worker.stop()
            with anyio.move_on_after(PATIENCE):
                await self._receive()

    async def _receive(self) -> None:
        """Read frames until the supervisor, which has sent its last one, closes the socket."""
        while data := await self._worker.receive():
            self._answer.feed(data)
            if self._answer[frames.DONE]:
                self._worker.end_report(reusable=bool(self._answer[frames.DONE][0]))

    async def _record(self, stream: Capture) -> None:
        await stream.record()
        if stream.over or stream.error:
            self._worker.stop()

    def has_open_output(self) -> bool:
        """Return whether a process still holds the program's output, after its end."""
        return not all(stream.over or stream.closed for stream in (self._stdout, self._stderr))

    def completed(self, tier: Tier, findings: tuple[str, ...] = ()) -> Completed:
        """Return how the program ended.

        Raises:
            SandboxError: the supervisor could not do its work.
            SandboxLostError: the supervisor vanished.
        """
        if self._answer[frames.FAILED]:
            why = self._answer[frames.FAILED][0].decode(errors="replace")
            raise SandboxError(f"LocalSandbox: {why}")
        if not self._answer[frames.ENDED]:
            raise SandboxLostError(
                "LocalSandbox: the process that watches the program was killed, "
                "perhaps for lack of memory; nothing is known of the program"
            )
        return completed_from(
            self._answer,
            self._program,
            SandboxFacts(tier, GUARANTEED[tier], findings=findings),
            stdout=self._stdout.data,
            stderr=self._stderr.data,
            flooded=self._stdout.over or self._stderr.over,
        )
