"""The first and last thing the warden's child does before it is the program."""

import os
import sys

from ._system import die_with_parent, foreign_signals, worst_for_memory
from .wire import FAILED, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._request import Request

__all__ = ["become_program"]

# Measured in a container: a fork bomb that leaves its session is dead after 0.1 to 3 s with
# this, and after 2 to 23 s (stopped by another limit) without.
_HUMBLE = 10

_LARGEST = (1 << 63) - 1  # of an rlimit; RLIM_INFINITY reads as -1


def become_program(request: "Request", control: int, warden: int, *, humble: bool) -> None:
    """Be in the program's shoes: session, limits, environment.

    Comes back when this interpreter is the one to run the program; any other is exec'd.

    Args:
        request: What to run.
        control: The socket to the host, to be closed.
        warden: The process id of the parent.
        humble: The warden is not scheduled before it, so it has to stand back for the warden.
    """
    try:
        os.setsid()
        die_with_parent()
        if os.getppid() != warden:  # it died before that held
            os._exit(1)
        worst_for_memory()
        os.umask(0o022)
        if humble and os.getuid() == 0:  # others have the wall of RLIMIT_NPROC
            os.nice(_HUMBLE)
        _set_limits(request)
        if request["argv"]:
            _replace(request["argv"], request["env"])
        if request["results"]:  # its forks have it, what they exec has not
            os.set_inheritable(int(request["env"]["PLANISH_RESULTS_FD"]), False)
        _own_environment(request["env"])
        os.close(control)
    except BaseException as error:  # noqa: BLE001  # it must not go on as the program
        send(control, FAILED, f"the program could not be started: {error!r}".encode())
        os._exit(1)


def _replace(argv: list[str], env: dict[str, str]) -> None:
    foreign_signals()
    os.execve(argv[0], argv, env)  # noqa: S606  # running programs is what this is for


def _own_environment(env: dict[str, str]) -> None:
    """Restore the one variable that was needed to get here."""
    path = env.get("PYTHONPATH")
    if path is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = path


def _set_limits(request: "Request") -> None:
    from resource import (  # noqa: PLC0415  # not needed in the warden itself
        RLIMIT_AS,
        RLIMIT_CORE,
        RLIMIT_FSIZE,
        RLIMIT_NPROC,
        getrlimit,
        setrlimit,
    )

    limits = {RLIMIT_CORE: 0, RLIMIT_FSIZE: request["file_bytes"]}
    if sys.platform == "linux":
        if os.getuid() != 0:  # it does not bind root
            # It counts all the user has, so it cannot be the limit of one run; well above all
            # that is alive or to come, it is the wall behind the warden's own counting.
            limits[RLIMIT_NPROC] = _alive() + request["processes"] + request["crowd"]
        limits[RLIMIT_AS] = request["memory"]  # last: from here on memory is counted
    for which, wanted in limits.items():
        hard = getrlimit(which)[1]
        value = min(wanted, _LARGEST) if hard < 0 else min(wanted, hard)
        setrlimit(which, (value, value))


def _alive() -> int:
    """All processes and threads of the system: the user has no more than that."""
    with open("/proc/loadavg", "rb") as file:  # noqa: PTH123  # pathlib costs milliseconds
        return int(file.read().split()[3].partition(b"/")[2])
