"""The first process of a run: it forks the program's process, and at the end it kills and reaps.

It is process 1 of the run's pid namespace; where there is none, it is the subreaper of the
program's orphans. It serves one run after another and sees no content of any: neither files nor
output. So a program's process, a fork of it, has nothing of an earlier run in its memory.
"""

import _socket
import array
import os
import select
import time
from contextlib import suppress

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Sequence
    from typing import Any

    from ._tier import Tier
else:
    import _signal as signal  # the same without its enums, of which each use copies pages

__all__ = ["Ended", "Init", "serve_runs"]

_SOL_SOCKET, _SCM_RIGHTS = _socket.SOL_SOCKET, _socket.SCM_RIGHTS
_START = b"S"  # with descriptors: the program's streams, the socket to it, its Landlock rules
_END = b"E"
_FAILED = b"!"  # followed by what went wrong
_MESSAGE = 4096  # bytes
_DESCRIPTORS = 5
_TO_DIE = 30.0  # seconds for killed processes to end, on a machine that they may have overloaded
_NOT_IGNORED = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}  # the first two cannot be ignored
_IGNORED = sorted(
    map(int, signal.valid_signals() - _NOT_IGNORED)
)  # found once, not in each sandbox


class Ended:
    """How a run ended.

    Attributes:
        status: The exit code of the program's process, or minus the signal that ended it.
        cpu: Seconds of processor that all its processes have used.
    """

    __slots__ = ("cpu", "status")

    def __init__(self, status: int, cpu: float) -> None:
        self.status = status
        self.cpu = cpu


class Init:
    """In the supervisor: the connection to the run's first process.

    Args:
        pid: Its number here.
        link: The supervisor's end of the socket between them.

    Attributes:
        descriptor: Readable once the program's process has ended, and all others with it.
    """

    def __init__(self, pid: int, link: int) -> None:
        self._pid = pid
        self._link = _socket.socket(fileno=link)
        self.descriptor = link

    def start(self, streams: "tuple[int, int, int]", start_fd: int, rules: int) -> int:
        """Have the process of the next program forked; it waits for the program.

        Args:
            streams: Its standard input, output and error.
            start_fd: The socket on which it waits.
            rules: The Landlock ruleset that it is to apply.

        Returns:
            The number of that process, as the run's /proc has it.

        Raises:
            RuntimeError: no process could be forked, or the first process could not start.
            ConnectionError: the run's first process is dead.
        """
        return int(self._ask(_START, (*streams, start_fd, rules)))

    def end(self) -> Ended:
        """Kill all processes of the run, and wait until the last of them is gone.

        Called once for each `start`. When the program's process ends by itself, the first process
        kills the others without being asked to, and reports at once.

        Raises:
            RuntimeError: some survive it.
            ConnectionError: the run's first process is dead.
        """
        try:
            message, _ = _received(self._link, _socket.MSG_DONTWAIT)
        except BlockingIOError:
            message = self._ask(_END)
        status, cpu = _checked(message).split()
        return Ended(int(status), float(cpu))

    def close(self) -> None:
        """End it, and with it what is left of the run; wait until it has ended."""
        self._link.close()
        os.waitpid(self._pid, 0)

    def _ask(self, what: bytes, descriptors: "Sequence[int]" = ()) -> bytes:
        with suppress(ConnectionError):  # it has ended: its last message is read below
            _send(self._link, what, descriptors)
        message, _ = _received(self._link)
        return _checked(message)


def _checked(message: bytes) -> bytes:
    """Return a report of the first process; raise RuntimeError if it tells of a failure."""
    if message[:1] == _FAILED:
        raise RuntimeError(message[1:].decode(errors="replace"))
    return message


def _received(link: "_socket.socket", flags: int = 0) -> "tuple[bytes, list[int]]":
    size = _socket.CMSG_SPACE(_DESCRIPTORS * array.array("i").itemsize)
    try:
        message, ancillary, _, _ = link.recvmsg(_MESSAGE, size, flags)
    except ConnectionError:  # it ended with messages unread: its last message follows
        message, ancillary, _, _ = link.recvmsg(_MESSAGE, size, flags)
    if not message:
        raise ConnectionResetError("the other process has ended")
    return message, array.array("i", b"".join(data for _, _, data in ancillary)).tolist()


def serve_runs(tier: "Tier", link: int) -> int:
    """In the run's first process: serve runs until the supervisor ends.

    Returns only in the process of a program, isolated.

    Args:
        tier: What isolates the run.
        link: This process's end of the socket to the supervisor.

    Returns:
        The descriptor on which the program arrives.
    """
    calls.close_all_but((link,))
    for _ in range(3):
        os.open(os.devnull, os.O_RDWR)
    sock = _socket.socket(fileno=link)
    try:
        calls.die_with_parent()
        tier.become_init()
        handlers = _ignore_signals(tier.deadly_signals)
        while True:
            start_fd = _serve_run(tier, sock, handlers)
            if start_fd is not None:
                sock.detach()
                return start_fd
    except ConnectionError:
        os._exit(0)  # the supervisor has ended
    except BaseException as error:  # noqa: BLE001  # nothing is above it
        _send(sock, _FAILED + f"{type(error).__name__}: {error}".encode(errors="replace")[:4000])
        os._exit(1)  # it must not continue as the program


def _serve_run(tier: "Tier", sock: "_socket.socket", handlers: "dict[int, Any]") -> "int | None":
    """Serve one run; in the program's process, return the descriptor to the supervisor."""
    message, descriptors = _received(sock)
    if message != _START:  # the end of a run that has ended already, and was reported
        return None
    tier.restart_numbers()
    main_pid, pidfd = tier.fork_program()
    if main_pid == 0:
        return _confined(tier, descriptors, handlers)
    for descriptor in descriptors:
        os.close(descriptor)
    _send(sock, b"%d" % main_pid)
    poller = select.poll()
    poller.register(sock, select.POLLIN)
    poller.register(pidfd, select.POLLIN)
    if poller.poll()[0][0] == sock.fileno():
        _received(sock)  # the supervisor wants it ended, or has ended itself
    os.close(pidfd)
    status, seconds = _end_all(tier, main_pid)
    _send(sock, b"%d %.6f" % (status, seconds))
    return None


def _send(sock: "_socket.socket", what: bytes, descriptors: "Sequence[int]" = ()) -> None:
    rights = [(_SOL_SOCKET, _SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    sock.sendmsg([what], rights)


def _ignore_signals(deadly: "Sequence[int] | None") -> "dict[int, Any]":
    """Ignore the signals that the program could send; return the handlers until now.

    Args:
        deadly: The signals that would have an effect; None: all of them.
    """
    calls.set_dumpable(False)
    numbers = _IGNORED if deadly is None else deadly
    return {number: signal.signal(number, signal.SIG_IGN) for number in numbers}


def _confined(tier: "Tier", descriptors: "list[int]", handlers: "dict[int, Any]") -> int:
    """In the program's process: isolate it; if that fails, tell the supervisor and exit."""
    *streams, start_fd, rules = descriptors
    try:
        calls.set_dumpable(True)
        for number, handler in handlers.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, handler)
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        calls.close_all_but((0, 1, 2, start_fd, rules))
        tier.confine(rules)
        os.close(rules)
    except BaseException as error:  # noqa: BLE001  # it must not return into its parent's code
        os.write(
            start_fd, f"no isolation: {type(error).__name__}: {error}".encode(errors="replace")
        )
        os._exit(1)
    return start_fd


def _end_all(tier: "Tier", main_pid: int) -> "tuple[int, float]":
    """Kill all processes of the run, and reap them until none is left.

    Returns:
        The exit code of the program's process, or minus the signal that ended it; and the seconds
        of processor that all of them have used.

    Raises:
        TimeoutError: some survive SIGKILL.
    """
    give_up = time.monotonic() + _TO_DIE
    status, seconds = 0, 0.0
    while True:
        tier.kill_all(main_pid)
        while True:
            try:
                pid, ended, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:  # none is left: orphans are children of this process
                return status, seconds
            if pid == 0:
                break
            seconds += used.ru_utime + used.ru_stime
            if pid == main_pid:
                status = os.waitstatus_to_exitcode(ended)
        if time.monotonic() > give_up:
            raise TimeoutError(f"some of its processes survive SIGKILL for {_TO_DIE:g} s")
        time.sleep(0.0005)
