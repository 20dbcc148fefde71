"""What the host sends to the warden, as a type: plain values that marshal takes."""

from typing import TypedDict

__all__ = ["Request"]


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
