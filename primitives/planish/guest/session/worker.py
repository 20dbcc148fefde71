"""Hold the variables of a session: run steps among them, and fork on request."""

from __future__ import annotations

import builtins
import os
import signal
import sys
import traceback
from contextlib import suppress
from socket import socket

from .displays import Displays
from .frames import Gone, receive, send
from .previews import described
from .programs import become
from .steps import run_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

__all__ = ["work"]


def work(sock: socket) -> NoReturn:
    """Do what the supervisor asks for, until it closes."""
    try:
        Worker(sock).serve()
    except Gone:
        os._exit(0)
    except BaseException:  # noqa: BLE001  # a step has spoilt what this needs
        traceback.print_exc()
    finally:
        os._exit(1)


class Worker:
    """The variables, and what is done to them.

    Args:
        sock: Leads to the supervisor. A fork of this process takes one of its own.
    """

    def __init__(self, sock: socket) -> None:
        self._sock = sock
        self._displays = Displays()
        self._steps = 0
        main: ModuleType = type(sys)("__main__")
        self._space: dict[str, Any] = vars(main)
        self._space["display"] = self._displays.display
        self._initial_names: set[str] = {*self._space, "__builtins__"}
        self._forks = False  # this process forks itself, and not a step
        os.register_at_fork(after_in_child=self._close_in_child)
        sys.modules["__main__"] = main
        sys.argv = [""]
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
        self._space["__builtins__"] = builtins

    def serve(self) -> None:
        """Answer one message after the other.

        Raises:
            Gone: the supervisor has closed.
        """
        while True:
            message, numbers = receive(self._sock)
            match message["do"]:
                case "step":
                    self._step(message, numbers)
                case "fork":
                    self._fork(numbers[0])
                case "become":
                    self._become(message, numbers)
                case _:
                    send(self._sock, {"variables": self._variables()})

    def _close_in_child(self) -> None:
        """Close the supervisor's connection in a process that a step has forked."""
        if not self._forks:
            self._sock.close()

    def _own_fork(self) -> int:
        self._forks = True
        try:
            return os.fork()
        finally:
            self._forks = False

    def _step(self, message: dict[str, Any], numbers: list[int]) -> None:
        _output(numbers)
        me = os.getpid()
        self._steps += 1
        code = run_step(message["code"], self._steps, self._space, self._displays)
        if os.getpid() != me:  # the step has forked, and this is the child at its end
            os._exit(code)
        _silence()
        send(self._sock, {"exit": code, "displays": self._displays.take()})

    def _fork(self, number: int) -> None:
        """Fork a copy of this process, which waits; its parent is the supervisor."""
        try:
            between = self._own_fork()
        except OSError as error:  # too many processes: those of a step that still run
            with socket(fileno=number) as requester:
                send(requester, {"failed": f"no fork: {error.strerror}"})
            return
        if between:
            os.close(number)
            with suppress(ChildProcessError):  # a step may have had SIGCHLD ignored
                os.waitpid(between, 0)
            return
        try:
            if self._own_fork():
                os._exit(0)
        except OSError as error:
            send(socket(fileno=number), {"failed": f"no fork: {error.strerror}"})
            os._exit(0)
        self._sock.close()
        self._sock = socket(fileno=number)
        send(self._sock, {"pid": os.getpid()})

    def _become(self, message: dict[str, Any], numbers: list[int]) -> NoReturn:
        """Run a program in a child, and tell how it ended. This process was forked for it."""
        outputs, (stdin, *results) = numbers[:2], numbers[2:]
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a step may have had it ignored
        child = self._own_fork()
        if not child:
            _output(outputs)
            self._sock.close()
            become(message, self._space, self._displays, stdin, *results)
        for number in numbers:
            os.close(number)
        _, status = os.waitpid(child, 0)
        send(self._sock, {"exit": os.waitstatus_to_exitcode(status)})
        os._exit(0)

    def _variables(self) -> list[dict[str, Any]]:
        hidden = self._initial_names
        return [
            described(name, self._space[name])
            for name in sorted(name for name in self._space if type(name) is str)
            if name.isidentifier() and not name.startswith("_") and name not in hidden
            if type(self._space[name]).__name__ != "module"
        ]


def _output(numbers: list[int]) -> None:
    """Write stdout and stderr to these from now on."""
    for stream, number in enumerate(numbers[:2], 1):
        os.dup2(number, stream)
        os.close(number)


def _silence() -> None:
    """Close the step's pipes, so that their reader sees their end."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)
    os.close(null)
