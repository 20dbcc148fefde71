"""The warden: it holds one sandbox ready, watches the program in it, and reports its end.

It serves one run after another, as long as each leaves the sandbox as it was. The program cannot
signal it: it is outside of the run's pid namespace, or out of reach for Landlock and the filter.
Limits hold however busy the host is, and the program ends with the warden.
"""

import _socket
import array
import os
import select
from contextlib import closing, suppress

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters
from ._files import lay_out, send_back
from ._handed import Handed
from ._init import Init, Leader, serve_runs
from ._verifier import is_loaded
from ._watch import Run
from ._wire import AGAIN, DONE, ENDED, FAILED, RESULTS, WAITS, Answer, hand_over, receive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Request
    from ._serve import Tier

__all__ = ["become_warden"]

_SAID = 4096  # bytes: what a program's process says when it could not start
_MOST_RUNS = 1000  # that one warden serves: if something in it grows, it does not grow for long


def become_warden(tier: "Tier", place: str | None, control: int, life: int, null: int) -> int:
    """Be the warden, and never come back; but for the process of a program.

    Args:
        tier: What stands around the run.
        place: What the tier has prepared for it.
        control: The socket to the host.
        life: What ends when the zygote does.
        null: /dev/null.

    Returns:
        In the program's process: the descriptor on which the program will arrive.
    """
    answer = Answer(control)
    init: Init | None = None
    try:
        calls.close_all_but((control, life, null))
        for stream in range(3):
            os.dup2(null, stream)
        os.close(null)
        tier.enclose(place)
        ours, theirs = (
            end.detach() for end in _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        )
        pid = tier.fork_init()
        if pid == 0:
            return serve_runs(tier, theirs)
        os.close(theirs)
        calls.set_dumpable(False)
        init = Init(pid, ours)
        _serve(tier, place, init, answer, (control, life))
    except ConnectionError:
        pass  # the first process, or the host, is gone: nothing is known of the program
    except BaseException as error:  # noqa: BLE001  # nobody is above: tell the host, then end
        _complain(answer, error)
    if init is not None:
        init.close()
    tier.bury(place)
    with suppress(OSError):  # the host is gone: nobody to tell
        answer.send()
    os._exit(0)


def _serve(
    tier: "Tier", place: str | None, init: Init, answer: Answer, ends: tuple[int, int]
) -> None:
    """Serve runs until the host or the zygote is gone, or until one has left something."""
    control, life = ends
    for _ in range(_MOST_RUNS):
        os.chdir(tier.work)
        leader, go, mark = _start(control, init)
        run = Run(tier, init, leader, control, life)
        try:
            complete = _keep(tier, run, answer, (control, go, mark))
        finally:
            # Whatever went wrong, also a mistake in here: the program does not outlive this.
            run.end()
        for descriptor in (go, mark, leader.descriptor):
            os.close(descriptor)
        tier.bury(place)
        again = complete and run.limit is None and tier.is_unused()
        if complete:
            answer.add(DONE, b"again" if again else b"")
        answer.send()
        if not (again and _is_wanted(control, life)):
            return
        try:
            tier.renew(place)
        except OSError:  # something is in use, or there is no room: the host has another made
            return


def _start(control: int, init: Init) -> tuple[Leader, int, int]:
    """Have a program's process forked, and tell the host of it.

    Returns:
        The process, the socket to it, and the counter that says that the program may have begun.
    """
    stdin, feed = os.pipe()
    out, stdout = os.pipe()
    err, stderr = os.pipe()
    mark = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
    go, theirs = (end.detach() for end in _socket.socketpair())
    leader = init.start((stdin, stdout, stderr), theirs)
    host = _socket.socket(fileno=control)
    rights = array.array("i", (feed, out, err, mark))
    said = WAITS + bytes([is_loaded()])
    host.sendmsg([said], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    host.detach()
    for descriptor in (stdin, feed, out, stdout, err, stderr, theirs):
        os.close(descriptor)
    return leader, go, mark


def _keep(tier: "Tier", run: Run, answer: Answer, ends: tuple[int, int, int]) -> bool:
    """Take one program, and see it to its end. Whether the answer is complete."""
    control, go, mark = ends
    request: Request | None = receive(control) if run.wait_for_request() else None
    if request is None:
        _raise_what_is_said(go)
        return False
    start = request["program"]
    start["others"] = tier.others()
    with suppress(BrokenPipeError):  # it has ended: what it said of that is heard below
        hand_over(go, start)  # so that it gets ready while its files are laid out
    tier.resize(request)
    inputs = lay_out(request, tier)
    with closing(Handed(request, tier)) as handed:
        os.eventfd_write(mark, 1)
        with suppress(BrokenPipeError):
            handed.send(go)
        ended = run.watch(request)
        _raise_what_is_said(go)
        if not ended:
            return False
        answer.add(ENDED, ended)
        results = handed.results(request["file_bytes"])
    if results is not None:
        answer.add(RESULTS, results)
    if request["collect"] or request["outputs"] is not None:
        send_back(answer, request, inputs)
    return True


def _is_wanted(control: int, life: int) -> bool:
    """Wait until the host gives the sandbox back (True), or closes its side."""
    poller = select.poll()
    poller.register(control, select.POLLIN)
    poller.register(life, select.POLLIN)
    found = {number for number, _ in poller.poll()}
    return found == {control} and os.read(control, 1) == AGAIN


def _raise_what_is_said(go: int) -> None:
    """Raise RuntimeError with what a program's process said of why it could not start."""
    os.set_blocking(go, False)
    try:
        said = os.read(go, _SAID)
    except (BlockingIOError, ConnectionError):
        return
    if said:
        raise RuntimeError(said.decode(errors="replace"))


def _complain(answer: Answer, error: BaseException) -> None:
    text = str(error) if type(error) is RuntimeError else f"{type(error).__name__}: {error}"
    with suppress(OSError):
        answer.add(FAILED, text.encode(errors="replace"))
