"""A program that exchanges data with the host while it runs."""

import os

import anyio

from planish.data.sandbox import Guarantee
from planish.guest.protocol import frames
from planish_integrations.sandboxes.host import Frames, send_all

from ._tiers import GUARANTEED, Tier
from ._worker import Worker

__all__ = ["InteractiveProgram"]

_OF_RUNS: frozenset[Guarantee] = frozenset({"cleanup", "results"})  # of `run` only
_CHUNK = 65536  # bytes: what a pipe holds
_TO_END = 5.0  # seconds for its supervisor to report, once it prints no more


class InteractiveProgram:
    """A running program: bytes to its standard input, bytes from its standard output.

    Attributes:
        isolation: The tier that it runs in.
        guarantees: The guarantees that hold for it, sorted.
    """

    def __init__(self, worker: Worker, tier: Tier) -> None:
        self._worker = worker
        self._frames = Frames()
        self.isolation: Tier = tier
        self.guarantees: tuple[Guarantee, ...] = tuple(sorted(GUARANTEED[tier] - _OF_RUNS))

    async def send(self, data: bytes) -> bool:
        """Write to its standard input, which stays open; return False if it reads no more."""
        return await send_all(self._worker.stdin, data)

    async def receive(self) -> bytes:
        """Return the next part of its standard output; nothing once it has closed it."""
        while (data := _read(self._worker.stdout)) is None:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._ignore_errors)
                await anyio.wait_readable(self._worker.stdout)
                tasks.cancel_scope.cancel()
        return data

    async def limit(self) -> str | None:
        """Return the limit that ended it; None if none did, or if it does not end within 5 s."""
        with anyio.move_on_after(_TO_END):
            while not self._frames[frames.ENDED] and (data := await self._worker.receive()):
                self._frames.feed(data)
        if not self._frames[frames.ENDED]:
            return None
        limit = self._frames[frames.ENDED][0].decode().split()[1]
        return None if limit == "-" else limit

    async def _ignore_errors(self) -> None:
        """Read its standard error and drop it, so that it never waits for a reader."""
        while _read(self._worker.stderr) != b"":
            await anyio.wait_readable(self._worker.stderr)


def _read(pipe: int) -> bytes | None:
    """Return what is in a pipe; None if it is empty and still open."""
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None
