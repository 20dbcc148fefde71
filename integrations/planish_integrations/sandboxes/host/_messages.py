"""Messages between host and supervisor: the request for a program, and the frames in answer."""

import os
from collections import defaultdict
from contextlib import suppress

import anyio

from planish.data.program import Program
from planish.guest.protocol import Request, clock, frames

__all__ = ["MIB", "TOO_LONG", "Frames", "base_request", "safe_main", "send_all"]

TOO_LONG = (
    "Program.args and Program.env are longer than the system takes (one text at most 128 KiB on "
    "Linux); put the data in Program.files or Program.stdin"
)
"""Why a program with such arguments is refused."""

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


class Frames:
    """The frames that have arrived; `planish/guest/supervisor/frames.py` names their kinds."""

    def __init__(self) -> None:
        self._complete: defaultdict[bytes, list[bytes]] = defaultdict(list)
        self._rest = bytearray()

    def feed(self, data: bytes) -> None:
        """Take in bytes as they come; a frame counts when it is complete."""
        self._rest += data
        while len(self._rest) >= frames.HEAD:
            end = frames.HEAD + int.from_bytes(self._rest[1 : frames.HEAD], "big")
            if len(self._rest) < end:
                return
            self._complete[bytes(self._rest[:1])].append(bytes(self._rest[frames.HEAD : end]))
            del self._rest[:end]

    def __getitem__(self, kind: bytes) -> list[bytes]:
        """Return the contents of all frames of a kind, in order."""
        return self._complete[kind]

    def pairs(self, kind: bytes) -> list[tuple[str, bytes]]:
        """Return path and content of all frames of a kind that has both, in order."""
        parts = (content.partition(b"\0") for content in self._complete[kind])
        return [(os.fsdecode(path), content) for path, _, content in parts]


async def send_all(pipe: int, data: bytes) -> bool:
    """Write all of some data to a pipe or socket that does not block.

    Returns:
        False when the other side closes before it has taken all.
    """
    rest = memoryview(data)
    with suppress(BrokenPipeError, ConnectionResetError):
        while rest:
            try:
                rest = rest[os.write(pipe, rest) :]
            except BlockingIOError:
                await anyio.wait_writable(pipe)
    return not rest
