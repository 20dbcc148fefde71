"""Describe one program to its supervisor: records of plain values, which marshal takes."""

from typing import TypedDict

__all__ = ["Launch", "Request"]


class Request(TypedDict):
    """What every supervisor receives about a program.

    Attributes:
        files: Relative path and content of each.
        collect: Relative paths to send back at the end, where they exist.
        outputs: The folder whose files are sent back; None for none.
        stdin: What the program reads on standard input; None: it is opened elsewhere.
        results: The program gets a descriptor to write results to.
        seconds: Processor time, of all its processes together.
        longest: Seconds that it may last, however little it computes.
        memory: Bytes: the address space of each process, and the memory of all together.
        file_bytes: The largest file that it may write, and the most sent back of one.
        output_bytes: The most of standard output that is kept, and of standard error.
        processes: Processes and threads alive at once.
        disk: Bytes that its files may take, and the most sent back of all of them.
        inodes: Files and folders at once, and the most sent back.
    """

    files: "list[tuple[str, bytes]]"
    collect: "list[str]"
    outputs: "str | None"
    stdin: "bytes | None"
    results: bool
    seconds: float
    longest: float
    memory: int
    file_bytes: int
    output_bytes: int
    processes: int
    disk: int
    inodes: int


class Launch(Request):
    """What a supervisor receives that starts the program's process itself.

    Attributes:
        argv: What to execute, with an empty first word for the supervisor's own interpreter;
            nothing where the process goes on as the program without executing anything.
        env: The program's environment; the supervisor may add where its own folders are.
        elsewhere: Processes and threads that the user may start outside of the program.
    """

    argv: "list[str]"
    env: "dict[str, str]"
    elsewhere: int
