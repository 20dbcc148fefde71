"""Set resource limits, soft and hard, so that a program cannot raise them again."""

import os
import resource

__all__ = ["apply", "apply_constant", "apply_program", "threads_of"]

# asm-generic/resource.h; the same on both architectures.
_CPU, _FSIZE, _CORE, _NPROC, _NOFILE, _MEMLOCK, _AS = 0, 1, 4, 6, 7, 8, 9
_SIGPENDING, _MSGQUEUE, _NICE, _RTPRIO = 11, 12, 13, 14

_QUEUED = 1024  # signals and timers: room for any ordinary program
_LOCKED = 64 << 10  # bytes: the kernel's own default before 5.16


def apply(
    memory: int,
    file_bytes: int,
    processes: int,
    cpu_seconds: "int | None" = None,
    open_files: int = 256,
) -> None:
    """Set this process's limits, and so those of its children.

    Args:
        memory: Bytes of address space of each process.
        file_bytes: Bytes of each file it writes.
        processes: Processes and threads of this user that there may be. In a new user
            namespace it counts that namespace only (Linux 5.14 and later); elsewhere add
            `threads_of(uid)`. It never binds for real uid 0.
        cpu_seconds: Of each process; SIGKILL after them. None: no limit.
        open_files: Descriptors of each process.

    Raises:
        PermissionError: a hard limit is lower than what is asked for, of which this process
            has no right to raise it.
    """
    apply_constant(open_files)
    apply_program(memory, file_bytes, processes)
    if cpu_seconds is not None:
        _set(_CPU, cpu_seconds)


def apply_constant(open_files: int = 256) -> None:
    """Set the limits that are the same for every program; see `apply`."""
    for name, value in (
        (_NOFILE, open_files),
        (_CORE, 0),
        (_SIGPENDING, _QUEUED),
        (_MSGQUEUE, 0),
        (_MEMLOCK, _LOCKED),
        (_NICE, 0),
        (_RTPRIO, 0),
    ):
        _set(name, value)


def apply_program(memory: int, file_bytes: int, processes: int) -> None:
    """Set the limits that a program has of its own; see `apply`."""
    _set(_AS, memory)
    _set(_FSIZE, file_bytes)
    _set(_NPROC, processes)


def _set(name: int, value: int) -> None:
    try:
        resource.setrlimit(name, (value, value))
    except ValueError as error:  # EPERM, as this module reports it
        _lower(name, value, error)


def _lower(name: int, value: int, error: ValueError) -> None:
    """Take the hard limit where that is lower already: a limit only gets stricter."""
    hard = resource.getrlimit(name)[1]
    if not 0 <= hard <= value:  # RLIM_INFINITY is -1
        raise PermissionError(1, f"resource limit {name} cannot be set to {value}") from error
    resource.setrlimit(name, (hard, hard))


def threads_of(uid: int) -> int:
    """Count the threads of a real user, as RLIMIT_NPROC does, as far as /proc shows them."""
    wanted = str(uid).encode()
    total = 0
    for name in os.listdir("/proc"):  # noqa: PTH208  # no pathlib in here
        if name.isdigit():
            total += _threads(f"/proc/{name}/status", wanted)
    return total


def _threads(path: str, uid: bytes) -> int:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            text = file.read()
    except OSError:  # it has ended meanwhile
        return 0
    fields = dict(line.split(b":", 1) for line in text.splitlines() if b":" in line)
    if fields.get(b"Uid", b"").split()[:1] != [uid]:
        return 0
    return int(fields.get(b"Threads", b"0"))
