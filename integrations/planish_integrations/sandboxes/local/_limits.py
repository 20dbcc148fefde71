"""Limits that no machine has, and files that no limit leaves room for."""

from planish.data.program import Program
from planish.errors import UnsupportedError

__all__ = ["check_limits"]

_MOST = {
    "seconds": 366 * 86_400,
    "memory_mb": 1 << 27,  # MiB in the 47 bits of address that a process has
    "output_bytes": (1 << 63) - 1,
    "file_bytes": (1 << 63) - 1,
    "processes": 1 << 22,  # PID_MAX_LIMIT of Linux
    "disk_mb": 1 << 27,
    "files": (1 << 31) - 1,
}


def check_limits(program: Program) -> None:
    """Refuse what could not be set, or would leave the program no room to start.

    Raises:
        UnsupportedError: a limit is beyond any machine; or `limits.disk_mb` or `limits.files`
            is less than the program's own files take.
    """
    limits = program.limits
    for name, most in _MOST.items():
        value = getattr(limits, name)
        if value > most:
            raise UnsupportedError(
                f"ResourceLimits({name}={value}) is beyond any machine: use {most:,}"
            )
    size = sum(map(len, program.files.values()))
    if size > limits.disk_mb << 20:
        raise UnsupportedError(
            f"Program.files take {size:,} bytes, more than ResourceLimits(disk_mb={limits.disk_mb})"
        )
    if len(program.files) > limits.files:
        raise UnsupportedError(
            f"Program.files are {len(program.files):,}, more than "
            f"ResourceLimits(files={limits.files})"
        )
