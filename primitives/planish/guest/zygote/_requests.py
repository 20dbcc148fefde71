"""The types of what the host sends to a template process: plain values that marshal takes."""

from typing import TypedDict

from ..supervisor import request as supervisor  # noqa: TID252  # beside us, in both interpreters

__all__ = ["Config", "Request", "Start"]


class Config(TypedDict):
    """The configuration of a template process.

    Attributes:
        tier: What isolates its programs.
        path: `sys.path`, without the folder of the program.
        executable: `sys.executable`, as programs see it.
        prefix: `sys.prefix`, as programs see it.
        preload: Modules to import.
        pytest: Whether to import pytest, if it is there.
        grants: What programs may read: where it is, and where they see it.
        links: Symbolic links at the root: from, to.
        search: The PATH of programs.
        spare: How many workers to make at the start.
        runs: What the paths of the directories of runs begin with, where a tier needs them.
    """

    tier: str
    path: list[str]
    executable: str
    prefix: str
    preload: list[str]
    pytest: bool
    grants: list[tuple[str, str]]
    links: dict[str, str]
    search: str
    spare: int
    runs: str


class Start(TypedDict):
    """What the process of a program receives.

    Attributes:
        main: The file to run, if the interpreter that waits runs it.
        args: Arguments after it.
        argv: What to exec instead; may be empty.
        verifier: The program finds the verifier's modules loaded, and has no file of them.
        env: Added to the few variables that every program has.
        stdin: A file comes for its standard input, which is a pipe otherwise.
        results: A file comes for its results.
        memory: Bytes of address space of each process.
        file_bytes: The largest file to be written.
        processes: Processes and threads alive at once.
        others: How many more the kernel counts with them; the supervisor sets it.
    """

    main: str
    args: list[str]
    argv: list[str]
    verifier: bool
    env: dict[str, str]
    stdin: bool
    results: bool
    memory: int
    file_bytes: int
    processes: int
    others: int


class Request(supervisor.Request):
    """One program, as a supervisor of the local tiers receives it.

    Attributes:
        program: What the program's own process receives.
    """

    program: Start
