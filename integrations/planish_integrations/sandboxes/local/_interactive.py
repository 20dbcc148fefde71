"""A program that is talked to while it runs."""

import os

import anyio

from planish.data.sandbox import Guarantee
from planish.guest.protocol import frames
from planish_integrations.sandboxes.host import Frames, send_all

from ._tiers import GUARANTEED, Tier
from ._worker import Spare

__all__ = ["Held"]

_OF_RUNS: frozenset[Guarantee] = frozenset({"results"})  # what a program in here has no use for
_CHUNK = 65536  # bytes: what a pipe holds
_TO_END = 5.0  # seconds for its warden to report, once it prints no more


class Held:
    """A running program: bytes to its standard input, bytes from its standard output.

    Attributes:
        isolation: The tier that it runs in.
        guarantees: What holds for it, sorted.
    """

    def __init__(self, spare: Spare, tier: Tier) -> None:
        self._spare = spare
        self._heard = Frames()
        self.isolation: Tier = tier
        self.guarantees: tuple[Guarantee, ...] = tuple(sorted(GUARANTEED[tier] - _OF_RUNS))

    async def send(self, data: bytes) -> bool:
        """Write to its standard input, which stays open. False when it reads no more."""
        return await send_all(self._spare.stdin, data)

    async def receive(self) -> bytes:
        """Some of what it prints, as it comes; nothing when it has ended or prints no more."""
        while (data := _read(self._spare.stdout)) is None:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._ignore_errors)
                await anyio.wait_readable(self._spare.stdout)
                tasks.cancel_scope.cancel()
        return data

    async def limit(self) -> str | None:
        """The limit that ended it; None when it ended otherwise, or does not end within 5 s."""
        with anyio.move_on_after(_TO_END):
            while not self._heard[frames.ENDED] and (data := await self._spare.hear()):
                self._heard.feed(data)
        if not self._heard[frames.ENDED]:
            return None
        limit = self._heard[frames.ENDED][0].decode().split()[1]
        return None if limit == "-" else limit

    async def _ignore_errors(self) -> None:
        """Take what it prints to standard error, so that it never waits for that."""
        while _read(self._spare.stderr) != b"":
            await anyio.wait_readable(self._spare.stderr)


def _read(pipe: int) -> bytes | None:
    """What is there; None when there may be more later."""
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None
