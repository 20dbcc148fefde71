"""Take the last steps in a program's process before the program begins."""

import os
import sys

from .system import (
    default_signals,
    die_with_parent,
    dumpable,
    lower_priority,
    no_new_privileges,
    oom_first,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from .request import Launch

__all__ = ["execute", "prepare", "start_program"]

_LARGEST = (1 << 63) - 1  # of an rlimit; RLIM_INFINITY reads as -1


def start_program(request: "Launch", streams: "tuple[int, int, int]", results: "int | None") -> int:
    """Fork the process of a program, and execute the program in it.

    The process can gain no privileges.

    Args:
        request: The program.
        streams: Its standard input, output and error.
        results: Where it writes its results, if it does.

    Returns:
        Its process id.

    Raises:
        FileNotFoundError: its command is not there; or another OSError by which it was refused.
    """
    failed, fail = os.pipe()
    supervisor = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            dumpable()
            prepare(request, supervisor)
            no_new_privileges()
            if results is not None:
                from .descriptors import RESULTS  # noqa: PLC0415  # a plain supervisor has no use

                os.set_inheritable(results, True)
                request["env"][RESULTS] = str(results)
            execute(request["argv"], request["env"])
        except OSError as error:
            os.write(fail, b"%d" % (error.errno or 0))
        except BaseException as error:  # noqa: BLE001  # it must not go on with its parent's work
            os.write(fail, type(error).__name__.encode())
        os._exit(127)
    os.close(fail)
    try:
        complaint = os.read(failed, 100)
    finally:
        os.close(failed)
    if complaint:
        os.waitpid(pid, 0)
        number = int(complaint) if complaint.isdigit() else 0
        raise OSError(number, os.strerror(number) if number else complaint.decode())
    return pid


def prepare(request: "Launch", supervisor: int, *, lower: bool = True) -> None:
    """Give the process its session, priority and limits.

    Args:
        request: The program.
        supervisor: The process id of the parent, with which it ends.
        lower: The supervisor has no better priority, so this process takes a worse one.
    """
    os.setsid()
    die_with_parent()
    if os.getppid() != supervisor:  # it died before that held
        os._exit(1)
    oom_first()
    os.umask(0o022)
    if lower:
        lower_priority()
    _set_limits(request)


def execute(argv: "list[str]", env: "dict[str, str]") -> "NoReturn":
    """Execute a command, found on the PATH of its own environment, with default signals."""
    default_signals()
    os.execvpe(argv[0], argv, env)  # noqa: S606  # running programs is what this is for


def _set_limits(request: "Launch") -> None:
    from resource import (  # noqa: PLC0415  # not needed in the supervisor itself
        RLIMIT_AS,
        RLIMIT_CORE,
        RLIMIT_FSIZE,
        RLIMIT_NPROC,
        getrlimit,
        setrlimit,
    )

    limits = {RLIMIT_CORE: 0, RLIMIT_FSIZE: request["file_bytes"]}
    if sys.platform == "linux":
        if request["elsewhere"] and os.getuid() != 0:  # it does not bind root
            # It counts all the user has, so it cannot be the limit of one run; well above all
            # that is alive or to come, it bounds what the supervisor's own counting misses.
            limits[RLIMIT_NPROC] = _alive() + request["processes"] + request["elsewhere"]
        limits[RLIMIT_AS] = request["memory"]  # last: from here on memory is counted
    for which, wanted in limits.items():
        hard = getrlimit(which)[1]
        value = min(wanted, _LARGEST) if hard < 0 else min(wanted, hard)
        setrlimit(which, (value, value))


def _alive() -> int:
    """Return the number of all processes and threads of the system."""
    with open("/proc/loadavg", "rb") as file:  # noqa: PTH123  # pathlib costs milliseconds
        return int(file.read().split()[3].partition(b"/")[2])
