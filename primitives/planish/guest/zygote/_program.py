"""The process of a program, from its fork until the program itself takes over."""
# pathlib costs milliseconds at each start

import _socket
import os
import signal

from ..supervisor.frames import receive  # noqa: TID252  # beside us, in both interpreters
from ._handover import receive_files
from ._python import Program, begin, compiled, read_from_pipe
from ._shadowed import give_way
from ._verifier import bundle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._requests import Start
    from ._serve import Tier

__all__ = ["Program", "wait"]


def wait(go: int, tier: "Tier") -> Program:
    """Wait for the program, take its shoes; come back when this interpreter is to run it."""
    sock = _socket.socket(fileno=go)
    try:
        names = begin()
        os.chdir(tier.work)
        if tier.environment:
            os.environ.update(tier.environment)
        start: Start | None = receive(go)
        if start is None:
            os._exit(0)  # nobody has claimed this sandbox
        tier.limit(start)
        if start["env"]:
            os.environ.update(start["env"])
        if not receive_files(sock, start):
            os._exit(0)  # its files could not be laid out
        if not start["stdin"]:
            read_from_pipe()
        if start["argv"]:
            _replace(start["argv"])
        sock.close()
        give_way(os.path.dirname(start["main"]) or ".")  # noqa: PTH120
    except BaseException as error:  # noqa: BLE001  # it must not go on as the program
        os.write(go, f"the program could not be started: {error}".encode(errors="replace"))
        os._exit(1)
    program = compiled(start["main"], start["args"], names)
    if start["verifier"]:
        names["__bundle__"] = bundle()
    return program


def _replace(argv: list[str]) -> None:
    """Undo what CPython did to signals, as other interpreters expect the defaults; and exec."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.execve(argv[0], argv, os.environ)  # noqa: S606  # running programs is what this is for
