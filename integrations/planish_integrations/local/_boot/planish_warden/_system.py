"""What the warden asks of the kernel, beyond what `os` has."""
# ruff: noqa: SIM105  # contextlib would cost a millisecond at every start

import _signal
import os
import sys

__all__ = ["become_subreaper", "clean_signals", "deafen", "die_with_parent", "worst_for_memory"]

# linux/prctl.h
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_DEFAULT = (_signal.SIGCHLD, _signal.SIGHUP, _signal.SIGTERM, _signal.SIGQUIT, _signal.SIGALRM)
_DEAF_TO = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM, _signal.SIGQUIT, _signal.SIGALRM)


def _prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    # `import ctypes` takes 2 to 11 ms, its C half 0.5 ms and does all that is needed.
    import _ctypes  # noqa: PLC0415

    function = _ctypes.dlsym(_ctypes.dlopen(None, os.RTLD_NOW), "prctl")
    if _ctypes.call_function(function, (option, value, 0, 0, 0)) != 0:
        raise OSError(f"prctl({option}, {value}) was refused")


def become_subreaper() -> None:
    """Be given the orphans among the descendants, also those in sessions of their own."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Be killed when the parent dies."""
    _prctl(_PR_SET_PDEATHSIG, _signal.SIGKILL)


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
        _signal.signal(number, _signal.SIG_DFL)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())


def deafen() -> None:
    """Let go of the program's standard streams, and ignore what it may ask of its parent."""
    for number in _DEAF_TO:
        _signal.signal(number, _signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.close(nowhere)
