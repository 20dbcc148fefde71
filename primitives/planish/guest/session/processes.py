"""Start, copy, and end the processes of a session."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import suppress

from ..supervisor.processes import descendants, slurp  # noqa: TID252  # beside us, in both interpreters
from ..supervisor.system import become_subreaper, dumpable, not_dumpable  # noqa: TID252  # beside us, in both interpreters
from .frames import Gone, hear, send
from .worker import work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

__all__ = ["Process", "adopt_orphans", "below", "clear", "first"]

_PATIENCE = 8.0  # seconds for a process that should only be waiting: to take, or to say, a message


class Process:
    """A worker, a copy of it or a program, and the socket to it."""

    def __init__(self, sock: socket.socket, pid: int) -> None:
        self.sock = sock
        self.pid = pid

    def send(self, message: Any, numbers: Sequence[int] = ()) -> None:
        """Send it a message.

        Raises:
            Gone: it has ended, or does not take it.
        """
        self.sock.settimeout(_PATIENCE)
        send(self.sock, message, numbers)

    def receive(self) -> dict[str, Any]:
        """Read its answer.

        Raises:
            Gone: it has ended, stops half-way, or talks nonsense.
        """
        return hear(self.sock, _PATIENCE)

    def copy(self) -> Process:
        """Fork it; the copy waits for messages.

        Raises:
            Gone: it has ended, or does not do it: code of the user's can hang in a fork.
            OSError: there are too many processes.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self.send({"do": "fork"}, [theirs.fileno()])
            answer = hear(ours, _PATIENCE)
            if "failed" in answer:
                raise OSError(str(answer["failed"]))
            pid = answer.get("pid")
            if not isinstance(pid, int) or pid <= 1:
                raise Gone
        except BaseException:
            ours.close()
            raise
        return Process(ours, pid)

    def end(self) -> int | None:
        """Kill it and wait for it; return its exit code, or minus a signal."""
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
        dumpable()
        work(theirs)
    theirs.close()
    return Process(ours, pid)


def kill(pid: int) -> int | None:
    """Kill a process; return how it ended, None where it is no child of this one."""
    try:
        os.kill(pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except (ProcessLookupError, PermissionError, ChildProcessError):
        return None


def adopt_orphans() -> None:
    """Become the parent of every process of the session whose parent ends; keep memory private."""
    become_subreaper()
    not_dumpable()


def below() -> list[int]:
    """List all that descends from this process, as far as /proc shows it."""
    return [pid for pid, _ in descendants(os.getpid())]


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
    """List the children of a process; none where /proc is closed: they end with the session."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            found += map(int, slurp(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass
    return found
