"""Supervise a program without isolation: in a process of its own, on Linux and macOS.

The supervisor is the program's parent, so that limits hold however busy the host is, and so that
the program ends when the host does. Everything imported here before the fork delays every run,
so it is little: no typing, contextlib, signal, socket or pathlib.
"""

import os
import time

from .files import lay_out
from .frames import FAILED, STARTED, Answer, receive, send
from .program import execute, prepare
from .system import become_subreaper, raise_priority, reset_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .request import Launch

__all__ = ["main"]


def main() -> None:
    """Run the program that the host asks for; return in the program's own process only."""
    number, _, root = os.environ.pop("PLANISH_SUPERVISOR").partition(":")
    control, supervisor = int(number), os.getpid()
    program: Launch | None = None  # set in the program's process only
    fault = 1
    first = raise_priority()
    try:
        os.set_inheritable(control, False)
        reset_signals()
        request: Launch | None = receive(control)
        if request is None:  # the host gave up before it had asked
            fault = 0
        else:
            become_subreaper()
            lay_out(request["files"], request["outputs"])
            send(control, STARTED)  # first: the program may end this process at once
            begun = time.monotonic()
            pid = os.fork()
            if pid == 0:
                program = request
            else:
                _supervise(control, request, pid, root, begun)
                fault = 0
    except Exception as error:  # noqa: BLE001  # nothing is above: tell the host, then end
        _complain(control, error)
    finally:
        if program is None:
            from .removal import remove  # noqa: PLC0415  # off the program's way

            os._exit(fault if remove(root) else 1)
    _become_program(program, control, supervisor, lower=not first)


def _supervise(control: int, request: "Launch", pid: int, root: str, begun: float) -> None:
    # After the fork: off the program's way.
    from .collection import send_back  # noqa: PLC0415
    from .run import Descendants, supervise  # noqa: PLC0415
    from .system import ignore_signals, silence_streams  # noqa: PLC0415

    host = os.getppid()

    class Plain(Descendants):
        """All descendants of this process; they end with the host too."""

        def has_ended(self) -> bool:
            """Reap what has exited; return whether the program, or the host, has ended."""
            # The host may be dead and its end of the socket open: in a fork it once made.
            return super().has_ended() or os.getppid() != host

    family = Plain(pid, request, root)
    try:
        ignore_signals()
        silence_streams()
        answer = Answer(control)
        supervise(family, answer, stops=(control,), started=begun)
        send_back(answer.add, request)
        answer.send()
    finally:
        # Whatever went wrong, also a mistake in here: the program does not outlive this.
        family.end()


def _become_program(program: "Launch", control: int, supervisor: int, *, lower: bool) -> None:
    """Prepare the program's process; return when this interpreter is to run the program."""
    try:
        prepare(program, supervisor, lower=lower)
        if program["argv"]:
            execute(program["argv"], program["env"])
        if program["results"]:  # its forks have it, what they execute has not
            from .descriptors import RESULTS  # noqa: PLC0415  # few programs report results

            os.set_inheritable(int(program["env"][RESULTS]), False)
        _restore_environment(program["env"])
        os.close(control)
    except BaseException as error:  # noqa: BLE001  # it must not go on as the program
        send(control, FAILED, f"the program could not be started: {error!r}".encode())
        os._exit(1)


def _restore_environment(env: "dict[str, str]") -> None:
    """Restore the one variable that was needed to get here."""
    path = env.get("PYTHONPATH")
    if path is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = path


def _complain(control: int, error: Exception) -> None:
    try:
        send(control, FAILED, f"{type(error).__name__}: {error}".encode(errors="replace"))
    except OSError:
        return  # the host is gone
