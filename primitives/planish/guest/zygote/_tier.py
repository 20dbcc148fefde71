"""The type of a tier: what isolates programs, and in which process each method is called."""

from typing import Protocol

from ._requests import Request, Start

__all__ = ["Tier"]


class Tier(Protocol):
    """Isolates programs; each method says in which process it is called.

    Attributes:
        owner: Supervisor: user and group of a program's files; None: they are its own already.
        work, home, tmp: Supervisor: a run's own folders; programs start in the first.
        search: The PATH of programs.
        host: Template process: readable once the host has ended; None: it is killed then.
        init: Supervisor: the number of the run's first process, in the run's /proc.
        proc: Supervisor: its own folder in /proc, open, where the run's /proc does not show it.
        deadly_signals: First process: the signals of a program that would have an effect on it;
            None: all.
        environment: Program's process: variables that differ from the template process's.
    """

    owner: tuple[int, int] | None
    work: str
    home: str
    tmp: str
    search: str
    host: int | None
    init: int
    proc: int | None
    deadly_signals: tuple[int, ...] | None
    environment: dict[str, str]

    def make_directory(self) -> str | None:
        """Template process: make a worker's directory outside; None if it needs none."""
        ...

    def clone(self) -> tuple[int, int]:
        """Template process: fork the supervisor. As `calls.clone`."""
        ...

    def make_places(self, place: str | None) -> None:
        """Supervisor: make the run's own folders, empty."""
        ...

    def fork_init(self) -> int:
        """Supervisor: fork the run's first process; return its number, or 0 in it."""
        ...

    def become_init(self) -> None:
        """First process: become the one that reaps, and give up what no program may have."""
        ...

    def restart_numbers(self) -> None:
        """First process: give processes the numbers of a first run."""
        ...

    def rules(self) -> int:
        """Supervisor: make a Landlock ruleset for the next program; return its descriptor."""
        ...

    def fork_program(self) -> tuple[int, int]:
        """First process: fork the program's process. As `calls.clone`."""
        ...

    def confine(self, rules: int) -> None:
        """Program's process: give up all rights that need no knowledge of the program."""
        ...

    def limit(self, start: Start) -> None:
        """Program's process: set the limits of the program."""
        ...

    def resize(self, request: Request) -> None:
        """Supervisor: give the program's files the room that it may use."""
        ...

    def make_read_only(self, path: str) -> None:
        """Supervisor: keep the program from writing below a folder."""
        ...

    def count_others(self) -> int:
        """Supervisor: count the processes that the kernel's limit includes besides its own."""
        ...

    def list_processes(self) -> list[int]:
        """Supervisor: list every process of the program."""
        ...

    def kill_all(self, main_pid: int) -> None:
        """First process: kill every other process of the run."""
        ...

    def exceeded_limit(self, request: Request) -> str | None:
        """Supervisor: return the limit on files or processes that is exceeded; None if none."""
        ...

    def is_unused(self) -> bool:
        """Supervisor: return whether the program has left nothing but files."""
        ...

    def make_empty(self, place: str | None) -> None:
        """Supervisor: after `remove_files`, make the run's own folders again, empty."""
        ...

    def remove_files(self, place: str | None) -> None:
        """Supervisor, or the template process after it: remove the run's directory."""
        ...
