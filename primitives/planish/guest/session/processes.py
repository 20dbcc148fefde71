"""The keeper's hold on the processes of a session."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import suppress

from .frames import Gone, hear, send
from .worker import work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

__all__ = ["Process", "adopt_orphans", "clear", "family", "first"]

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_DUMPABLE = 4  # PR_SET_DUMPABLE
_PATIENCE = 8.0  # seconds for a process that should only be waiting: to take, or to say, a message


class Process:
    """One worker, spare or program, and the socket to it."""

    def __init__(self, sock: socket.socket, pid: int) -> None:
        self.sock = sock
        self.pid = pid

    def tell(self, message: Any, numbers: Sequence[int] = ()) -> None:
        """Send it a message.

        Raises:
            Gone: it has ended, or does not take it.
        """
        self.sock.settimeout(_PATIENCE)
        send(self.sock, message, numbers)

    def hear(self) -> dict[str, Any]:
        """What it says.

        Raises:
            Gone: it has ended, stops half-way, or talks nonsense.
        """
        return hear(self.sock, _PATIENCE)

    def copy(self) -> Process:
        """A fork of it, asleep.

        Raises:
            Gone: it has ended, or does not do it: code of the user's can hang in a fork.
            OSError: there are too many processes.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self.tell({"do": "fork"}, [theirs.fileno()])
            said = hear(ours, _PATIENCE)
            if "failed" in said:
                raise OSError(str(said["failed"]))
            pid = said.get("pid")
            if not isinstance(pid, int) or pid <= 1:
                raise Gone
        except BaseException:
            ours.close()
            raise
        return Process(ours, pid)

    def end(self) -> int | None:
        """Kill it, and wait for it. How it ended: an exit code, or minus a signal."""
        self.sock.close()
        return kill(self.pid)


def first(closing: Sequence[int]) -> Process:
    """Start the worker, which gets none of these descriptors."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        ours.close()
        for number in closing:
            os.close(number)
        _control(_DUMPABLE, 1)
        work(theirs)
    theirs.close()
    return Process(ours, pid)


def kill(pid: int) -> int | None:
    """Kill a process. How it ended; None where it is not ours to wait for."""
    try:
        os.kill(pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except (ProcessLookupError, PermissionError, ChildProcessError):
        return None


def adopt_orphans() -> None:
    """Become the parent of every process of the session whose parent ends; keep memory private."""
    _control(_SUBREAPER, 1)
    _control(_DUMPABLE, 0)


def family() -> list[int]:
    """All that descends from this process, as far as /proc shows it."""
    found = _children(os.getpid())
    for pid in found:  # it grows meanwhile
        found += _children(pid)
    return found


def clear(known: Collection[int]) -> None:
    """Kill all that the session's programs have left running."""
    me = os.getpid()
    try:
        while orphans := [pid for pid in _children(me) if pid not in known]:
            _all(signal.SIGSTOP)  # or what forks for ever would fork faster than it is killed
            for pid in orphans:
                kill(pid)
    finally:
        _all(signal.SIGCONT)


def _all(number: int) -> None:
    """Signal every process of the session but this one."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(-1, number)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            path = f"/proc/{pid}/task/{thread}/children"
            with open(path, encoding="ascii") as file:  # noqa: PTH123
                found += map(int, file.read().split())
    except OSError:  # it has ended; or no /proc in this sandbox: they end with the session
        pass
    return found


def _control(option: int, value: int) -> None:
    import ctypes  # noqa: PLC0415

    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
