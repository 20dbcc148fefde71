"""Watching a program until it ends, or until it has to be ended, with all it started."""

import os
import select
import time
from itertools import chain

from ._clock import Clock
from ._system import kill, kill_group
from ._tree import descendants, private_memory, resident_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._request import Request

__all__ = ["Family", "watch"]

_TICK = 0.02  # seconds between two looks; one look takes 0.1 ms for a program of one process
_HASTE = 0.005  # the same, when the last look found _RUSH more processes than the one before
_RUSH = 4
_BLIND_TICK = 0.005  # where the kernel does not say when the program has ended
_PATIENCE = 30.0  # seconds for killed processes to be gone, on a machine they may have swamped


class Family:
    """The program's process and all that descends from it.

    Attributes:
        status: The exit code of the program's process, or minus the signal; None while
            it lives.
        alive: Processes and threads, when last looked at.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.alive = 1
        self.status: int | None = None

    def reap(self) -> bool:
        """Bury the dead. False when no child is left, and so (orphans are ours) nobody."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.pid:
                self.status = os.waitstatus_to_exitcode(status)

    def end(self) -> bool:
        """Kill all. True when nobody is left."""
        give_up = time.monotonic() + _PATIENCE
        if self.status is None:
            kill_group(self.pid)  # at one blow: a fork bomb that stays in its group is over
        killed: set[int] = set()
        while self.reap():
            found = {pid for pid, _ in descendants(os.getpid()) if kill(pid)}
            if found <= killed:  # no news: give them time to die
                if time.monotonic() > give_up:
                    return False
                time.sleep(0.0005)
            killed |= found
        return True

    def excess(self, processes: int, memory: int, clock: Clock) -> str | None:
        """The limit that is passed at this moment, if one is."""
        pids: list[int] = []
        self.alive = 0
        found = descendants(os.getpid())
        for pid, threads in found:
            pids.append(pid)
            self.alive += threads
            if self.alive > processes:
                # Now, not after another look: a fork bomb leaves us 3 ms, then it has us.
                for other in chain(pids, (pid for pid, _ in found)):
                    kill(other)
                return "processes"
        if clock.over(pids):
            return "seconds"
        if resident_memory(pids) > memory and private_memory(pids) > memory:
            return "memory_mb"
        return None


def watch(control: int, family: Family, request: "Request") -> bytes:
    """Wait for the program's end, or bring it about; then nobody is left of it.

    It is stopped when a limit is passed, when the host closes its side or is no more.

    Returns:
        The content of an ENDED frame.

    Raises:
        TimeoutError: some of its processes survive being killed.
    """
    clock, host = Clock(request["seconds"], [family.pid]), os.getppid()
    poller, calm = _poller(control, family.pid)
    tick, limit = calm, None
    while limit is None:
        heard = poller.poll(min(tick, clock.wait()) * 1000)
        before = family.alive
        family.reap()
        if family.status is not None:
            break
        if _stopped(heard, control, host):
            break
        limit = family.excess(request["processes"], request["memory"], clock)
        tick = _HASTE if family.alive > before + _RUSH else calm
    seconds = clock.wall
    if not family.end():
        raise TimeoutError(f"some of its processes survive SIGKILL for {_PATIENCE:g} s")
    return f"{family.status} {limit or '-'} {seconds:.6f} {clock.end():.6f}".encode()


def _poller(control: int, pid: int) -> tuple[select.poll, float]:
    poller = select.poll()
    poller.register(control, select.POLLIN)
    try:
        poller.register(os.pidfd_open(pid), select.POLLIN)
    except (AttributeError, OSError):  # not Linux, or older than 5.3, or filtered
        return poller, _BLIND_TICK
    return poller, _TICK


def _stopped(heard: list[tuple[int, int]], control: int, host: int) -> bool:
    # The host may be dead and its end of the socket open: in a fork it once made.
    return any(number == control for number, _ in heard) or os.getppid() != host
