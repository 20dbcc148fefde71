"""The warden: it holds one sandbox ready, watches the program in it, and reports its end.

It is the first process of the run's pid namespace, or, where there is none, a process that the
program cannot signal. Limits hold however busy the host is, and the program ends with it.
"""

import _socket
import gc
import os
import signal
from contextlib import suppress

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters
from ._files import lay_out, send_back
from ._handed import Handed, memory_file
from ._watch import Run
from ._wire import DONE, ENDED, FAILED, RESULTS, Answer, hand_over, receive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Request
    from ._serve import Tier

__all__ = ["become_warden"]

_HEARD = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}  # the first two cannot be ignored
_IGNORED = sorted(map(int, signal.valid_signals() - _HEARD))  # found once, not in each sandbox
_NOTHING: "Request" = {
    "files": [("rehearsal", b"\n")],
    "collect": [],
    "outputs": None,
    "stdin": b"",
    "results": False,
    "seconds": 1.0,
    "memory": 1 << 20,
    "file_bytes": 1 << 20,
    "processes": 1,
    "disk": 1 << 20,
    "inodes": 100,
    "program": {
        "main": "rehearsal",
        "args": [],
        "argv": [],
        "verifier": False,
        "env": {},
        "stdin": True,
        "results": False,
        "memory": 1 << 20,
        "file_bytes": 1 << 20,
        "processes": 1,
        "others": 1,
    },
}
_SAID = 4096  # bytes: what a program's process says when it could not start


def become_warden(
    tier: "Tier",
    place: str | None,
    control: int,
    mark: int,
    streams: tuple[int, int, int],
    shared: tuple[int, int],
) -> int:
    """Be the warden, and never come back; but for the process of the program that it forks.

    Args:
        tier: What stands around the run.
        place: What the tier has prepared for it.
        control: The socket to the host.
        mark: The counter that says that the program may have begun.
        streams: The program's standard input, output and error.
        shared: What ends when the zygote does, and /dev/null.

    Returns:
        In the program's process: the descriptor on which the program will arrive.
    """
    life, null = shared
    answer = Answer(control)
    try:
        calls.close_all_but((0, 1, 2, control, *streams, life, null, mark))
        tier.enclose(place)
        go, theirs = (end.detach() for end in _socket.socketpair())
        pid = os.fork()
        if pid == 0:
            return _confined(tier, place, streams, theirs)
        os.close(theirs)
        _let_go(null, streams)
        _keep(tier, pid, (control, go, life, mark), answer)
    except BaseException as error:  # noqa: BLE001  # nobody is above: tell the host, then end
        _complain(answer, error)
    tier.bury(place)
    with suppress(OSError):  # the host is gone: nobody to tell
        answer.send()
    os._exit(0)


def _confined(tier: "Tier", place: str | None, streams: tuple[int, int, int], go: int) -> int:
    """In the program's process: behind the walls; or no process any more, and the warden knows."""
    try:
        _take_streams(streams, go)
        tier.confine(place)
    except BaseException as error:  # noqa: BLE001  # whatever it is, it must not go on as a warden
        os.write(go, f"no walls: {type(error).__name__}: {error}".encode(errors="replace"))
        os._exit(1)
    return go


def _take_streams(streams: tuple[int, int, int], go: int) -> None:
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    calls.close_all_but((0, 1, 2, go))


def _let_go(null: int, streams: tuple[int, int, int]) -> None:
    """Hold none of the program's streams, be closed to it, and ignore what it may ask for."""
    calls.set_dumpable(False)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    for stream in range(3):
        os.dup2(null, stream)
    for descriptor in (null, *streams):
        os.close(descriptor)


def _keep(tier: "Tier", leader: int, ends: tuple[int, int, int, int], answer: Answer) -> None:
    control, go, life, mark = ends
    run = Run(tier, leader, control, life)
    try:
        _rehearse(tier, run, control)
        request: Request | None = receive(control) if run.wait_for_request() else None
        if request is None:
            return
        start = request["program"]
        start["others"] = tier.others()
        with suppress(BrokenPipeError):  # it has ended: what it said of that is heard below
            hand_over(go, start)  # so that it gets ready while its files are laid out
        tier.resize(request)
        inputs = lay_out(request, tier)
        handed = Handed(request, tier.tmp)
        os.eventfd_write(mark, 1)
        with suppress(BrokenPipeError):
            handed.send(go)
        ended = run.watch(request)
        said = _said(go)
        if said:
            raise RuntimeError(said)
        if ended:
            answer.add(ENDED, ended)
            results = handed.results(request["file_bytes"])
            if results is not None:
                answer.add(RESULTS, results)
            if request["collect"] or request["outputs"] is not None:
                send_back(answer, request, inputs)
            answer.add(DONE, b"")
    finally:
        # Whatever went wrong, also a mistake in here: the program does not outlive this.
        run.end()


def _rehearse(tier: "Tier", run: Run, control: int) -> None:
    """Do once what will be done while somebody waits: the kernel copies pages now, not then."""
    gc.disable()  # it would write to every object; and there is nothing here to collect
    os.chdir(tier.work)
    here, there = os.pipe()
    hand_over(there, _NOTHING)
    request: Request | None = receive(here)
    os.close(here)
    os.close(there)
    if request is not None:
        tier.resize(request)
        lay_out(request, tier)
        os.unlink(request["files"][0][0])  # noqa: PTH108
        os.close(memory_file(b""))
    tier.others()
    run.rehearse()
    Answer(control).add(DONE, b"")


def _said(go: int) -> str:
    """Why the program could not be started; nothing where it was."""
    try:
        return os.read(go, _SAID).decode(errors="replace")
    except ConnectionError:
        return ""


def _complain(answer: Answer, error: BaseException) -> None:
    text = str(error) if type(error) is RuntimeError else f"{type(error).__name__}: {error}"
    with suppress(OSError):
        answer.add(FAILED, text.encode(errors="replace"))
