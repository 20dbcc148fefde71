"""Ask the kernel for what `os` does not offer, without modules that are slow to import."""

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
    "default_signals",
    "die_with_parent",
    "dumpable",
    "ignore_signals",
    "kill",
    "kill_all",
    "kill_group",
    "lower_priority",
    "no_new_privileges",
    "not_dumpable",
    "oom_first",
    "pidfd",
    "raise_priority",
    "reset_signals",
    "silence_streams",
]

# linux/prctl.h
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38

_INHERITED = (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGALRM)
_NOT_IGNORED = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}  # the first two cannot be ignored
# Measured in a container: a fork bomb that leaves its session is dead after 0.1 to 3 s with
# this, and after 2 to 23 s (stopped by another limit) without.
_NICE = 10


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
    """Become the parent of orphaned descendants, also of those in sessions of their own."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Be killed when the parent dies."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def not_dumpable() -> None:
    """Keep other processes of the same user from tracing this one and reading its memory."""
    _prctl(_PR_SET_DUMPABLE, 0)


def dumpable() -> None:
    """Undo `not_dumpable` in a child, which could not write its own files in /proc otherwise."""
    _prctl(_PR_SET_DUMPABLE, 1)


def no_new_privileges() -> None:
    """Gain no privilege by executing a program."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def oom_first() -> None:
    """When memory runs out, have the kernel kill this process before its supervisor."""
    try:
        with open("/proc/self/oom_score_adj", "wb", buffering=0) as file:  # noqa: PTH123
            file.write(b"1000")
    except OSError:
        pass  # not Linux, or not allowed: then the kernel chooses


def reset_signals() -> None:
    """Undo what was inherited: signals that the host ignores or blocks."""
    for number in _INHERITED:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def default_signals() -> None:
    """Give every signal its default action, as a program that is executed expects."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)


def ignore_signals() -> "dict[int, Any]":
    """Ignore what the program may send; return what was done at each signal until now."""
    numbers = signal.valid_signals() - _NOT_IGNORED
    return {number: signal.signal(number, signal.SIG_IGN) for number in numbers}


def kill(pid: int) -> bool:
    """Kill a process; return whether it was there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False  # gone meanwhile, or another user's (setuid)
    return True


def kill_all() -> None:
    """Kill every process but this one: for process 1 only, which sees no others than its own."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return


def kill_group(group: int) -> None:
    """Kill a process group at one stroke."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def pidfd(pid: int) -> "int | None":
    """Return a descriptor that is readable once a process has ended; None where there is none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux, or older than 5.3, or filtered
        return None


def raise_priority() -> bool:
    """Be scheduled before ordinary processes; return whether that was allowed (mostly to root).

    Otherwise a fork bomb leaves its supervisor no time: it has hundreds of turns for each of
    the supervisor's. Children are not scheduled so.
    """
    if sys.platform != "linux":
        return False
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        return False
    return True


def lower_priority() -> None:
    """Give the supervisor more processor time than this process; for root only.

    Other users have RLIMIT_NPROC against fork bombs.
    """
    if os.getuid() == 0:
        os.nice(_NICE)


def silence_streams() -> None:
    """Open the standard streams on /dev/null, so that their readers see the program's end."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    os.close(null)
