"""Resource limits, soft and hard alike, so that a program cannot raise them again."""

import ctypes
import os

from .calls import syscall

__all__ = ["apply", "threads_of"]

# asm-generic/resource.h; the same on both architectures.
_CPU, _FSIZE, _CORE, _NPROC, _NOFILE, _MEMLOCK, _AS = 0, 1, 4, 6, 7, 8, 9
_SIGPENDING, _MSGQUEUE, _NICE, _RTPRIO = 11, 12, 13, 14

_QUEUED = 1024  # signals and timers: room for any ordinary program
_LOCKED = 64 << 10  # bytes: the kernel's own default before 5.16
_pair = (ctypes.c_uint64 * 2)()


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
        OSError: (EPERM) a hard limit is lower than what is asked for, of which this process
            has no right to raise it.
    """
    wanted = [
        (_AS, memory),
        (_FSIZE, file_bytes),
        (_NPROC, processes),
        (_NOFILE, open_files),
        (_CORE, 0),
        (_SIGPENDING, _QUEUED),
        (_MSGQUEUE, 0),
        (_MEMLOCK, _LOCKED),
        (_NICE, 0),
        (_RTPRIO, 0),
    ]
    if cpu_seconds is not None:
        wanted.append((_CPU, cpu_seconds))
    for resource, value in wanted:
        _pair[0] = _pair[1] = value
        try:
            syscall("prlimit64", 0, resource, _pair, None)
        except PermissionError:
            _lower(resource, value)


def _lower(resource: int, value: int) -> None:
    """Where the hard limit is lower already, that is the limit; it only gets stricter."""
    syscall("prlimit64", 0, resource, None, _pair)
    if _pair[1] > value:
        raise PermissionError(1, f"resource limit {resource} cannot be set to {value}")
    _pair[0] = _pair[1]
    syscall("prlimit64", 0, resource, _pair, None)


def threads_of(uid: int) -> int:
    """How many threads have this real user: what RLIMIT_NPROC counts, as far as /proc shows."""
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
