"""The process of a program, from its fork until the program itself runs."""

import _socket
import os
import signal

from ..supervisor.frames import receive  # noqa: TID252  # beside us, in both interpreters
from ._handover import receive_files
from ._preloaded import bundle, drop_shadowed
from ._python import Program, compile_main, finish_fork, read_from_pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Start
    from ._tier import Tier

__all__ = ["Program", "start_program"]


def start_program(start_fd: int, tier: "Tier") -> Program:
    """Receive a program and set its limits; return it, or execute it in another interpreter."""
    sock = _socket.socket(fileno=start_fd)
    try:
        names = finish_fork()
        os.chdir(tier.work)
        if tier.environment:
            os.environ.update(tier.environment)
        start: Start | None = receive(start_fd)
        if start is None:
            os._exit(0)  # the worker is closed without a program
        tier.limit(start)
        if start["env"]:
            os.environ.update(start["env"])
        if not receive_files(sock, start):
            os._exit(0)  # its files could not be written
        if not start["stdin"]:
            read_from_pipe()
        if start["argv"]:
            _execute(start["argv"])
        sock.close()
        drop_shadowed(os.path.dirname(start["main"]) or ".")  # noqa: PTH120
    except BaseException as error:  # noqa: BLE001  # it must not continue as the program
        os.write(start_fd, f"the program could not be started: {error}".encode(errors="replace"))
        os._exit(1)
    if not start["verifier"]:
        return compile_main(start["main"], start["args"], names, {})
    verifier = bundle()
    program = compile_main(start["main"], start["args"], names, verifier.mains)
    names["__bundle__"] = verifier
    return program


def _execute(argv: list[str]) -> None:
    """Undo what CPython does to signals, as other interpreters expect the defaults, and exec."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.execve(argv[0], argv, os.environ)  # noqa: S606  # running programs is what this is for
