"""What the warden asks of the kernel, beyond what `os` has."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any
else:
    import _signal as signal  # the same without its enums, which take milliseconds

__all__ = [
    "become_subreaper",
    "clean_signals",
    "deafen",
    "die_with_parent",
    "foreign_signals",
    "go_first",
    "kill",
    "kill_group",
    "worst_for_memory",
]

# linux/prctl.h
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_DEFAULT = (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGALRM)
_HEARD = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}  # the first two cannot be ignored


def _prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    # `import ctypes` takes 2 to 11 ms, its C half 0.5 ms and does all that is needed.
    import _ctypes  # noqa: PLC0415

    here: Any = None  # the symbols of the running program, libc's among them
    function = _ctypes.dlsym(_ctypes.dlopen(here, os.RTLD_NOW), "prctl")
    if _ctypes.call_function(function, (option, value, 0, 0, 0)) != 0:
        raise OSError(f"prctl({option}, {value}) was refused")


def become_subreaper() -> None:
    """Be given the orphans among the descendants, also those in sessions of their own."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Be killed when the parent dies."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def worst_for_memory() -> None:
    """When memory runs out, have the kernel take this process before the host."""
    try:
        with open("/proc/self/oom_score_adj", "wb", buffering=0) as file:  # noqa: PTH123
            file.write(b"1000")
    except OSError:
        pass  # not Linux, or not allowed: then the kernel chooses


def clean_signals() -> None:
    """Undo what was inherited: ignored and blocked signals are the host's affair."""
    for number in _DEFAULT:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def foreign_signals() -> None:
    """Undo what CPython did to signals: other interpreters expect the defaults."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def kill(pid: int) -> bool:
    """Kill a process. Whether it was there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False  # gone meanwhile, or another user's (setuid)
    return True


def kill_group(group: int) -> None:
    """Kill a process group, at one blow."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def go_first() -> bool:
    """Be scheduled before all ordinary processes. Whether that was allowed (to root, mostly).

    A fork bomb leaves its warden no time otherwise: it has hundreds of turns for each of the
    warden's. Children are not scheduled so.
    """
    if sys.platform != "linux":
        return False
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        return False
    return True


def deafen() -> None:
    """Let go of the program's standard streams, and ignore what it may ask of its parent."""
    for number in signal.valid_signals() - _HEARD:
        signal.signal(number, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.close(nowhere)
