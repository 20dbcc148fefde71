"""Make what a supervisor is asked for from a `Program`."""

from planish.data.program import Program
from planish.guest.protocol import Request, clock

__all__ = ["MIB", "base_request", "safe_main"]

MIB = 1 << 20
"""Bytes."""


def base_request(program: Program, *, longest: float | None = None) -> Request:
    """Return what every supervisor receives about a program.

    Args:
        program: The program.
        longest: Seconds that it may last; default: 20 times `ResourceLimits.seconds`.
    """
    limits = program.limits
    return {
        "files": list(program.files.items()),
        "collect": list(program.collect),
        "outputs": program.outputs,
        "stdin": program.stdin,
        "results": program.results,
        "seconds": limits.seconds,
        "longest": clock.WALL * limits.seconds if longest is None else longest,
        "memory": limits.memory_mb * MIB,
        "file_bytes": limits.file_bytes,
        "output_bytes": limits.output_bytes,
        "processes": limits.processes,
        "disk": limits.disk_mb * MIB,
        "inodes": limits.files,
    }


def safe_main(program: Program) -> str:
    """Return the path of a program's main file so that no interpreter takes it for an option."""
    return f"./{program.main}" if program.main.startswith("-") else program.main
