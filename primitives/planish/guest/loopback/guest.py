"""The first process of a command in a loopback sandbox: nothing started below it outlives it.

Started as `python guest.py FD COMMAND ...`. On the socket FD it tells how the command ended
("exit CODE" or "signal NUMBER"); on it come "stop" and "go on", which freeze and thaw everything
below, and when the other end closes, everything below is killed.
"""

import ctypes
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["main"]

_PR_SET_CHILD_SUBREAPER = 36


def main(arguments: list[str]) -> None:
    """Run the command, and stay until nothing of it is left or the other end closes."""
    leash = socket.socket(fileno=int(arguments[0]))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, _heard)
    first = _start(arguments[1:])
    _let_go_of_output()
    try:
        _watch(leash, woken, first)
    finally:
        _kill_all(first)


def _heard(_number: int, _frame: object) -> None:
    """Nothing more: the descriptor it was written to wakes who waits."""


def _start(command: list[str]) -> int:
    pid = os.fork()
    if pid:
        return pid
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.setsid()
    try:
        os.execvp(command[0], command)  # noqa: S606  # that is what it is for
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(127)


def _let_go_of_output() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _watch(leash: socket.socket, woken: int, first: int) -> None:
    while True:
        ready, _, _ = select.select([leash.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 1000)
            if not _reap(leash, first):
                return
        if leash.fileno() in ready:
            said = leash.recv(100)
            if not said:
                return
            _signal_all(signal.SIGSTOP if said.endswith(b"stop\n") else signal.SIGCONT)


def _reap(leash: socket.socket, first: int) -> bool:
    """Reap exited children; return whether any child is left."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return True
            if pid == first:
                code = os.waitstatus_to_exitcode(status)
                word = f"exit {code}" if code >= 0 else f"signal {-code}"
                with suppress(OSError):
                    leash.sendall(f"{word}\n".encode())
    return False


def _below() -> list[int]:
    """List the processes below this one; none where the system does not list children."""
    found: list[int] = []
    rest = [os.getpid()]
    while rest:
        for file in Path(f"/proc/{rest.pop()}/task").glob("*/children"):
            with suppress(OSError):
                pids = [int(pid) for pid in file.read_text().split()]
                found += pids
                rest += pids
    return found


def _signal_all(number: int) -> None:
    for pid in _below():
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _kill_all(first: int) -> None:
    """Kill repeatedly until no child is left: a process killed while it forks leaves one."""
    if sys.platform != "linux":
        with suppress(ProcessLookupError):
            os.killpg(first, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            _signal_all(signal.SIGKILL)
            os.waitpid(-1, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
