"""The first process of a run: it forks the program's process, and at the end kills and reaps all.

It is process 1 of the run's pid namespace; where there is none, it adopts what the program
leaves behind. It serves one run after another and sees no content of any: neither files nor
output. So a program's process, a fork of it, has nothing of an earlier run in its memory.
"""

import _socket
import array
import os
import resource
import signal
import time
from contextlib import suppress

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._serve import Tier

__all__ = ["Ended", "Init", "Leader", "serve_runs"]

_SOL_SOCKET, _SCM_RIGHTS = _socket.SOL_SOCKET, _socket.SCM_RIGHTS
_START = b"S"  # four descriptors: the program's streams, and where it will arrive
_END = b"E"  # nothing
_FAILED = b"!"  # the beginning of an answer: what went wrong
_MESSAGE = 4096  # bytes
_DESCRIPTORS = 4
_PATIENCE = 30.0  # seconds for killed processes to be gone, on a machine they may have swamped
_HEARD = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}  # the first two cannot be ignored
_IGNORED = sorted(map(int, signal.valid_signals() - _HEARD))  # found once, not in each sandbox


class Leader:
    """The process of one program.

    Attributes:
        pid: Its number, as the run's /proc has it.
        descriptor: Readable once it has ended.
    """

    __slots__ = ("descriptor", "pid")

    def __init__(self, pid: int, descriptor: int) -> None:
        self.pid = pid
        self.descriptor = descriptor


class Ended:
    """How a run ended.

    Attributes:
        status: The exit code of the program's process, or minus the signal.
        cpu: Seconds of processor that all its processes have used.
    """

    __slots__ = ("cpu", "status")

    def __init__(self, status: int, cpu: float) -> None:
        self.status = status
        self.cpu = cpu


class Init:
    """In the warden: the way to the run's first process.

    Args:
        pid: Its number here.
        link: The warden's end of the socket between them.
    """

    def __init__(self, pid: int, link: int) -> None:
        self._pid = pid
        self._link = _socket.socket(fileno=link)

    def start(self, streams: "tuple[int, int, int]", go: int) -> Leader:
        """Fork the process of the next program, which then waits for it.

        Args:
            streams: Its standard input, output and error.
            go: Where it waits.

        Raises:
            RuntimeError: there is no process for it, or the run's first one could not begin.
            ConnectionError: the run's first process is dead.
        """
        said, descriptors = self._ask(_START, (*streams, go))
        return Leader(int(said), descriptors[0])

    def end(self) -> Ended:
        """Kill all processes of the run, and wait until the last of them is gone.

        Raises:
            RuntimeError: some survive it.
            ConnectionError: the run's first process is dead, and so are all others.
        """
        said, _ = self._ask(_END)
        status, cpu = said.split()
        return Ended(int(status), float(cpu))

    def close(self) -> None:
        """End it, and with it what is left of the run; wait until it has ended."""
        self._link.close()
        os.waitpid(self._pid, 0)

    def _ask(self, what: bytes, descriptors: "Sequence[int]" = ()) -> "tuple[bytes, list[int]]":
        with suppress(ConnectionError):  # it has ended: what it said before that comes now
            _send(self._link, what, descriptors)
        said, answered = _received(self._link)
        if said[:1] == _FAILED:
            raise RuntimeError(said[1:].decode(errors="replace"))
        return said, answered


def _received(link: "_socket.socket") -> "tuple[bytes, list[int]]":
    size = _socket.CMSG_SPACE(_DESCRIPTORS * array.array("i").itemsize)
    try:
        said, ancillary, _, _ = link.recvmsg(_MESSAGE, size)
    except ConnectionError:  # it ended without hearing all: what it said last comes after this
        said, ancillary, _, _ = link.recvmsg(_MESSAGE, size)
    if not said:
        raise ConnectionResetError("the other side has ended")
    return said, array.array("i", b"".join(data for _, _, data in ancillary)).tolist()


def serve_runs(tier: "Tier", link: int) -> int:
    """In the run's first process: fork and reap until the warden is gone.

    Comes back only in the process of a program, confined.

    Args:
        tier: What stands around the run.
        link: This process's end of the socket to the warden.

    Returns:
        The descriptor on which the program will arrive.
    """
    calls.close_all_but((link,))
    for _ in range(3):
        os.open(os.devnull, os.O_RDWR)
    sock = _socket.socket(fileno=link)
    try:
        calls.die_with_parent()
        tier.settle()
        handlers = _ignore_signals()
        while True:
            go = _serve_run(tier, sock, handlers)
            if go is not None:
                sock.detach()
                return go
    except ConnectionError:
        os._exit(0)  # the warden has ended
    except BaseException as error:  # noqa: BLE001  # nothing is above it
        _send(sock, _FAILED + f"{type(error).__name__}: {error}".encode(errors="replace")[:4000])
        os._exit(1)


def _serve_run(tier: "Tier", sock: "_socket.socket", handlers: "dict[int, Any]") -> "int | None":
    """Serve one run; in the process of the program: where it will arrive."""
    said, descriptors = _received(sock)
    if said != _START:  # the end of a run that is over
        _send(sock, b"0 0")
        return None
    before = _used()
    tier.restart_numbers()
    leader = os.fork()
    if leader == 0:
        return _confined(tier, descriptors, handlers)
    descriptors.append(calls.pidfd_open(leader))
    _send(sock, b"%d" % leader, descriptors[-1:])
    for descriptor in descriptors:
        os.close(descriptor)
    said, _ = _received(sock)
    status = _end_all(tier, leader)
    _send(sock, b"%d %.6f" % (status, _used() - before))
    return None


def _send(sock: "_socket.socket", what: bytes, descriptors: "Sequence[int]" = ()) -> None:
    rights = [(_SOL_SOCKET, _SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    sock.sendmsg([what], rights)


def _ignore_signals() -> "dict[int, Any]":
    """Ignore what the program may send; return what was done at each signal until now."""
    calls.set_dumpable(False)
    return {number: signal.signal(number, signal.SIG_IGN) for number in _IGNORED}


def _confined(tier: "Tier", descriptors: "list[int]", handlers: "dict[int, Any]") -> int:
    """In the program's process: isolated; or no process any more, and the warden knows."""
    *streams, go = descriptors
    try:
        calls.set_dumpable(True)
        for number, handler in handlers.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, handler)
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        calls.close_all_but((0, 1, 2, go))
        tier.confine()
    except BaseException as error:  # noqa: BLE001  # it must not go on with its parent's work
        os.write(go, f"no isolation: {type(error).__name__}: {error}".encode(errors="replace"))
        os._exit(1)
    return go


def _used() -> float:
    """Seconds of processor that all children which have been reaped used."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def _end_all(tier: "Tier", leader: int) -> int:
    """Kill all, and wait until nothing is left; return how the leader ended.

    Raises:
        TimeoutError: some survive it.
    """
    give_up = time.monotonic() + _PATIENCE
    status = 0
    while True:
        tier.kill_all(leader)
        while True:
            try:
                pid, ended = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:  # orphans are its children, so that none is left
                return status
            if pid == leader:
                status = os.waitstatus_to_exitcode(ended)
            if pid == 0:
                break
        if time.monotonic() > give_up:
            raise TimeoutError(f"some of its processes survive SIGKILL for {_PATIENCE:g} s")
        time.sleep(0.0005)
