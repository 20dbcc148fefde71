"""Watching a program until it ends, or until it has to be ended, with all it started."""

import os
import select
import time

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters
from ._clock import Clock
from ._tree import resident_memory, shared_out_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Request
    from ._serve import Tier

__all__ = ["Run"]

_TICK = 0.02  # seconds between two looks; one look takes 0.1 ms for a program of one process
_PATIENCE = 30.0  # seconds for killed processes to be gone, on a machine they may have swamped


class Run:
    """The program's process, and all that descends from it.

    Attributes:
        status: The exit code of the program's process, or minus the signal; None while
            it lives.
    """

    def __init__(self, tier: "Tier", leader: int, control: int, life: int) -> None:
        self._tier = tier
        self._leader = leader
        self._control = control
        self._life = life
        self._poller = select.poll()
        self._poller.register(control, select.POLLIN)
        self._poller.register(life, select.POLLIN)
        self._program = calls.pidfd_open(leader)
        self.status: int | None = None

    def rehearse(self) -> None:
        """What `watch` does, as far as that is without effect while the program waits."""
        self._poller.poll(0)
        Clock(1.0, [self._leader]).over([self._leader])
        calls.waitid_pidfd(self._program, os.WEXITED | os.WNOWAIT | os.WNOHANG)

    def wait_for_request(self) -> bool:
        """Wait until the host says something. False when there is nobody to say it."""
        return {number for number, _ in self._poller.poll()} == {self._control}

    def watch(self, request: "Request") -> bytes:
        """Wait for the program's end, or bring it about; then nobody is left of it.

        It is stopped when a limit is passed, when the host closes its side or is no more.

        Returns:
            The content of an ENDED frame; nothing when the zygote has died meanwhile.

        Raises:
            TimeoutError: some of its processes survive being killed.
        """
        clock = Clock(request["seconds"], [self._leader])
        self._poller.register(self._program, select.POLLIN)
        limit = None
        heard: list[tuple[int, int]] = []
        while limit is None:
            heard = self._poller.poll(min(_TICK, clock.wait()) * 1000)
            if heard:  # the program has ended; or the host wants it to
                break
            limit = self._excess(request, clock)
        seconds = clock.wall
        if any(number == self._life for number, _ in heard):
            return b""
        if any(number == self._program for number, _ in heard):
            self._bury_leader()
        self.end()
        if self.status != 0 and limit is None:
            limit = _full(self._tier.work)
        return f"{self.status} {limit or '-'} {seconds:.6f} {clock.end():.6f}".encode()

    def _bury_leader(self) -> None:
        """Its own end is what counts, not the death that the others are about to die."""
        ended = calls.waitid_pidfd(self._program, os.WEXITED | os.WNOWAIT)
        assert ended is not None  # noqa: S101  # WNOHANG was not asked for
        self.status = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def end(self) -> None:
        """Kill all, and wait until nobody is left.

        Raises:
            TimeoutError: some survive it.
        """
        give_up = time.monotonic() + _PATIENCE
        while True:
            self._tier.kill_all(self._leader)
            if not self._reap():
                return
            if time.monotonic() > give_up:
                raise TimeoutError(f"some of its processes survive SIGKILL for {_PATIENCE:g} s")
            time.sleep(0.0005)

    def _reap(self) -> bool:
        """Bury the dead. False when no child is left, and so (orphans are ours) nobody."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._leader and self.status is None:
                self.status = os.waitstatus_to_exitcode(status)

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
