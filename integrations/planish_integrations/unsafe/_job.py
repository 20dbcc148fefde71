"""What the host asks the warden for."""

import marshal
from typing import Any, TypedDict, cast

from planish.data.program import Program

__all__ = ["Request", "request"]

_MIB = 1024 * 1024


class Request(TypedDict):
    """One program, as the warden is asked for it. Marshalled: plain values only.

    Attributes:
        files: Relative path and content of each.
        collect: Relative paths to send back at the end, where they exist.
        outputs: The folder whose files are sent back, if any.
        results: The file for its results is open, and its number in PLANISH_RESULTS_FD.
        argv: What to exec; empty when the warden's own interpreter runs the program.
        env: The program's whole environment.
        seconds: Processor time, of all its processes together.
        memory: Bytes: the address space of each process, and the resident sum of all.
        file_bytes: The largest file to be written, and the most sent back of one.
        processes: Processes and threads alive at once.
        crowd: Processes and threads that others of this user may start meanwhile.
    """

    files: list[tuple[str, bytes]]
    collect: list[str]
    outputs: str | None
    results: bool
    argv: list[str]
    env: dict[str, str]
    seconds: float
    memory: int
    file_bytes: int
    processes: int
    crowd: int


_CROWD = 256  # what a user at work starts within seconds: a build, a browser


def request(program: Program, argv: list[str], env: dict[str, str], neighbours: int) -> bytes:
    """The message that asks for a program, which may have so many neighbours of its kind."""
    limits = program.limits
    asked = Request(
        files=list(program.files.items()),
        collect=list(program.collect),
        outputs=program.outputs,
        results=program.results,
        argv=argv,
        env=env,
        seconds=limits.seconds,
        memory=limits.memory_mb * _MIB,
        file_bytes=limits.file_bytes,
        processes=limits.processes,
        crowd=_CROWD + neighbours * limits.processes,
    )
    body = marshal.dumps(cast("Any", asked))  # its stub knows no TypedDict
    return len(body).to_bytes(8, "big") + body
