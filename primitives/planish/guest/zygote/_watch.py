"""Watching a program until it ends, or until it has to be ended, with all it started."""

import os
import select

from ._clock import Clock
from ._tree import resident_memory, shared_out_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._init import Ended, Init, Leader
    from ._requests import Request
    from ._serve import Tier

__all__ = ["Run"]

_TICK = 0.02  # seconds between two looks; one look takes 0.1 ms for a program of one process


class Run:
    """The program's process, and all that descends from it.

    Attributes:
        limit: The limit that it passed, once it has ended; None for none.
    """

    def __init__(
        self, tier: "Tier", init: "Init", leader: "Leader", control: int, life: int
    ) -> None:
        self._tier = tier
        self._init = init
        self._leader = leader
        self._control = control
        self._life = life
        self._poller = select.poll()
        self._poller.register(control, select.POLLIN)
        self._poller.register(life, select.POLLIN)
        self._poller.register(leader.descriptor, select.POLLIN)
        self._ended: Ended | None = None
        self.limit: str | None = None

    def wait_for_request(self) -> bool:
        """Wait until the host says something; return False if it, or the process, has ended."""
        return {number for number, _ in self._poller.poll()} == {self._control}

    def watch(self, request: "Request") -> bytes:
        """Wait for the program's end, or bring it about; then nothing is left of it.

        It is stopped when a limit is passed, when the host closes its side or is no more.

        Returns:
            The content of an ENDED frame; nothing when the zygote has died meanwhile.

        Raises:
            TimeoutError: some of its processes survive being killed.
            ConnectionError: the run's first process is dead, and so are all others.
        """
        clock = Clock(request["seconds"], [self._leader.pid], self._tier.init)
        heard: list[tuple[int, int]] = []
        while self.limit is None:
            heard = self._poller.poll(min(_TICK, clock.wait()) * 1000)
            if heard:  # the program has ended; or the host wants it to
                break
            self.limit = self._excess(request, clock)
        seconds = clock.wall
        if any(number == self._life for number, _ in heard):
            return b""
        ended = self.end()
        if ended.status != 0 and self.limit is None:
            self.limit = _full(self._tier.work)
        return (
            f"{ended.status} {self.limit or '-'} {seconds:.6f} {clock.end(ended.cpu):.6f}".encode()
        )

    def end(self) -> "Ended":
        """Kill all, and wait until nothing is left.

        Raises:
            TimeoutError: some survive it.
            ConnectionError: the run's first process is dead, and so are all others.
        """
        if self._ended is None:
            self._ended = self._init.end()
        return self._ended

    def _excess(self, request: "Request", clock: Clock) -> str | None:
        """The limit that is passed at this moment, if one is."""
        pids = self._tier.census()
        if clock.over(pids):
            return "seconds"
        most = request["memory"]
        if resident_memory(pids) > most and shared_out_memory(pids) > most:
            return "memory_mb"
        return self._tier.overfull(request)


def _full(work: str) -> str | None:
    """The limit that a program which failed has run into, as its files tell."""
    room = os.statvfs(work)
    if room.f_blocks and not room.f_bfree:
        return "disk_mb"
    if room.f_files and not room.f_ffree:
        return "files"
    return None
