"""The warden: it holds one sandbox ready, watches the program in it, and reports its end.

It is the first process of the run's pid namespace, or, where there is none, a process that the
program cannot signal. Limits hold however busy the host is, and the program ends with it.
"""

import _signal as signal
import _socket
import os

from ..planish_kernel import calls  # noqa: TID252  # beside us, in both interpreters
from ._files import lay_out, send_back
from ._watch import Run
from ._wire import BEGUN, ENDED, FAILED, hand_over, receive, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planish_integrations.local._recipe import Request

    from ._serve import Tier

__all__ = ["become_warden"]

_HEARD = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}  # the first two cannot be ignored
_SAID = 4096  # bytes: what a program's process says when it could not start


def become_warden(
    tier: "Tier",
    place: str | None,
    control: int,
    streams: tuple[int, int, int],
    shared: tuple[int, int],
) -> int:
    """Be the warden, and never come back; but for the process of the program that it forks.

    Args:
        tier: What stands around the run.
        place: What the tier has prepared for it.
        control: The socket to the host.
        streams: The program's standard input, output and error.
        shared: What ends when the zygote does, and /dev/null.

    Returns:
        In the program's process: the descriptor on which the program will arrive.
    """
    life, null = shared
    try:
        calls.close_all_but((0, 1, 2, control, *streams, life, null))
        tier.enclose(place)
        go, theirs = (end.detach() for end in _socket.socketpair())
        pid = os.fork()
        if pid == 0:
            _take_streams(streams, theirs)
            tier.confine(place)
            return theirs
        os.close(theirs)
        _let_go(null, streams)
        _keep(tier, pid, (control, go, life))
    except BaseException as error:  # noqa: BLE001  # nobody is above: tell the host, then end
        _complain(control, error)
    tier.bury(place)
    os.close(control)  # the host need not wait until the kernel has cleared up
    os._exit(0)


def _take_streams(streams: tuple[int, int, int], go: int) -> None:
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    calls.close_all_but((0, 1, 2, go))


def _let_go(null: int, streams: tuple[int, int, int]) -> None:
    """Hold none of the program's streams, be closed to it, and ignore what it may ask for."""
    calls.set_dumpable(False)
    for number in signal.valid_signals() - _HEARD:
        signal.signal(number, signal.SIG_IGN)
    for number in range(3):
        os.dup2(null, number)
    for descriptor in (null, *streams):
        os.close(descriptor)


def _keep(tier: "Tier", leader: int, ends: tuple[int, int, int]) -> None:
    control, go, life = ends
    run = Run(tier, leader, control, life)
    try:
        request: Request | None = receive(control) if run.wait_for_request() else None
        if request is None:
            return
        tier.resize(request)
        os.chdir(tier.work)
        lay_out(request, tier)
        start = request["program"]
        start["others"] = tier.others()
        send(control, BEGUN, b"")
        hand_over(go, start)
        ended = run.watch(request)
        said = _said(go)
        if said:
            raise RuntimeError(said)
        if ended:
            send(control, ENDED, ended)
            send_back(control, request)
    finally:
        # Whatever went wrong, also a mistake in here: the program does not outlive this.
        run.end()


def _said(go: int) -> str:
    """Why the program could not be started; nothing where it was."""
    try:
        return os.read(go, _SAID).decode(errors="replace")
    except ConnectionError:
        return ""


def _complain(control: int, error: BaseException) -> None:
    text = str(error) if type(error) is RuntimeError else f"{type(error).__name__}: {error}"
    try:
        send(control, FAILED, text.encode(errors="replace"))
    except OSError:
        return  # the host is gone: nobody to tell
