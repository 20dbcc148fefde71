"""Watching a program until it ends, or until it has to be ended, with all it started."""

import os
import select
import time

from ._system import kill, kill_group
from ._tree import descendants, private_memory, resident_memory, threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planish_integrations.local._job import Request

__all__ = ["Family", "watch"]

_TICK = 0.02  # seconds between two looks; one look takes 0.1 ms for a program of one process
_BLIND_TICK = 0.005  # where the kernel does not say when the program has ended
_PATIENCE = 30.0  # seconds for killed processes to be gone, on a machine they may have swamped


class Family:
    """The program's process and all that descends from it.

    Attributes:
        status: The exit code of the program's process, or minus the signal; None while
            it lives.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
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
        own = os.getpgrp()
        if self.status is None:
            kill_group(self.pid)  # at one blow, so that a fork bomb cannot outrun it
        while self.reap():
            for pid in descendants(os.getpid()):
                _kill(pid, own)
            if time.monotonic() > give_up:
                return False
            time.sleep(0.0005)
        return True

    def excess(self, processes: int, memory: int) -> str | None:
        """The limit that is passed at this moment, if one is."""
        pids: list[int] = []
        alive = 0
        for pid in descendants(os.getpid()):
            pids.append(pid)
            alive += threads(pid)
            if alive > processes:
                for known in pids:  # at once: while the others are looked for, they would fork
                    kill(known)
                return "processes"
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
    started, host = time.monotonic(), os.getppid()
    poller, tick = _poller(control, family.pid)
    limit = None
    while limit is None and family.status is None:
        left = started + request["seconds"] - time.monotonic()
        heard = poller.poll(max(0.0, min(tick, left)) * 1000)
        family.reap()
        if family.status is not None or _stopped(heard, control, host):
            break
        limit = family.excess(request["processes"], request["memory"])
        if left <= 0:
            limit = "seconds"
    seconds = time.monotonic() - started
    if not family.end():
        raise TimeoutError(f"some of its processes survive SIGKILL for {_PATIENCE:g} s")
    return f"{family.status} {limit or '-'} {seconds:.6f}".encode()


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


def _kill(pid: int, own: int) -> None:
    try:
        group = os.getpgid(pid)
    except ProcessLookupError:
        return
    if group == own:  # between its fork and its setsid
        kill(pid)
    else:  # all in it descend from the program: groups do not reach over sessions
        kill_group(group)
