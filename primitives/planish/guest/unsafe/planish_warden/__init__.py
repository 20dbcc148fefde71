"""The warden: it starts one program, watches it, and leaves nothing of it.

It is a process of its own and the program's parent, so that limits hold however busy the
host is, and so that the program ends when the host does. Everything imported here delays
every run, so it is little: no typing, contextlib, signal, socket or pathlib.
"""

import os

from ._program import become_program
from ._system import become_subreaper, clean_signals, deafen, go_first
from .files import collect, lay_out, outputs, remove
from .wire import ENDED, FAILED, FILE, LEFT_OUT, OUTPUT, STARTED, receive, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._request import Request

__all__ = ["main"]


def main() -> None:
    """Run the program the host asks for. Comes back in the program's own process only."""
    number, _, root = os.environ.pop("PLANISH_WARDEN").partition(":")
    control, warden = int(number), os.getpid()
    program: Request | None = None  # set in the program's process only
    fault = 1
    first = go_first()
    try:
        os.set_inheritable(control, False)
        request = _prepare(control)
        if request is None:
            fault = 0
        else:
            send(control, STARTED, b"")  # first: the program may end this process at once
            pid = os.fork()
            if pid == 0:
                program = request
            else:
                fault = _supervise(control, request, pid)
    except Exception as error:  # noqa: BLE001  # nobody is above: tell the host, then end
        _complain(control, error)
    finally:
        if program is None:
            os._exit(remove(root) or fault)
    become_program(program, control, warden, humble=not first)


def _prepare(control: int) -> "Request | None":
    clean_signals()
    request = receive(control)
    if request is not None:  # None: the host gave up before it had asked
        become_subreaper()
        lay_out(request["files"])
        if request["outputs"] is not None:
            os.makedirs(request["outputs"], exist_ok=True)  # noqa: PTH103  # pathlib is slow
    return request


def _supervise(control: int, request: "Request", pid: int) -> int:
    from ._watch import Family, watch  # noqa: PLC0415  # after the fork: off the program's way

    family = Family(pid)
    try:
        deafen()
        send(control, ENDED, watch(control, family, request))
        for name, content in collect(request["collect"], request["file_bytes"]):
            send(control, FILE, os.fsencode(name) + b"\0" + content)
        _send_outputs(control, request)
    finally:
        # Whatever went wrong, also a mistake in here: the program does not outlive this.
        all_dead = family.end()
    return 0 if all_dead else 1


def _send_outputs(control: int, request: "Request") -> None:
    if request["outputs"] is None:
        return
    for name, content in outputs(request["outputs"], request["file_bytes"]):
        kind = LEFT_OUT if content is None else OUTPUT
        send(control, kind, os.fsencode(name) + b"\0" + (content or b""))


def _complain(control: int, error: Exception) -> None:
    try:
        send(control, FAILED, f"{type(error).__name__}: {error}".encode(errors="replace"))
    except OSError:
        return  # the host is gone: nobody to tell
