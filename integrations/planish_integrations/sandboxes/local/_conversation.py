"""Follow one program from its request to its supervisor's report."""

import anyio

from planish.abc import OnOutput
from planish.data.program import Completed, Program
from planish.errors import SandboxLostError
from planish.guest.protocol import clock, frames
from planish_integrations.sandboxes.host import (
    Frames,
    ProgramOutput,
    SandboxFacts,
    completed_from,
    raise_failure,
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
        self._output = ProgramOutput(
            worker.stdout, worker.stderr, most, on_output, stop=worker.stop
        )
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
                await self._output.record_while(self._follow)
        finally:  # also if this call is cancelled: a listener gets what was written before
            self._output.take_rest()
        self._output.raise_error()
        return self._worker.has_started() or bool(self._answer[frames.FAILED])

    async def _ends_soon(self) -> bool:
        """Wait for a moment: most programs are over before it pays to read their output."""
        with anyio.move_on_after(_SOON):
            await self._receive()
        if not self._worker.has_reported:
            self._worker.request_refill()
        return self._worker.has_reported

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

    def has_open_output(self) -> bool:
        """Return whether a process still holds the program's output, after its end."""
        return self._output.is_open()

    def completed(self, tier: Tier, findings: tuple[str, ...] = ()) -> Completed:
        """Return how the program ended.

        Raises:
            SandboxError: the supervisor could not do its work.
            SandboxLostError: the supervisor vanished.
        """
        raise_failure(self._answer, "LocalSandbox")
        if not self._answer[frames.ENDED]:
            raise SandboxLostError(
                f"LocalSandbox: {self._cause()}; nothing is known of the program"
            )
        return completed_from(
            self._answer,
            self._program,
            SandboxFacts(tier, GUARANTEED[tier], findings=findings),
            output=self._output,
        )

    def _cause(self) -> str:
        """Return which process has ended, so that the program's end was not reported, and why."""
        cause = self._worker.end_of_template()
        if cause:
            return cause
        lost = self._answer[frames.LOST] or [b"the process that watches the program"]
        return f"{lost[0].decode()} was killed, perhaps for lack of memory"
