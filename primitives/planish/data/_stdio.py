"""Tests as runs of a program: what it reads, and what it should write."""

from dataclasses import dataclass

from planish.data._record import Record
from planish.data._test_code import Origin
from planish.errors import TaskError

__all__ = ["Stdio", "StdioPairs"]


@dataclass(frozen=True, slots=True)
class Stdio(Record):
    """What a program reads on standard input and should write on standard output."""

    stdin: str
    stdout: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class StdioPairs(Record):
    """Runs of the candidate as a program; each pair is a run of its own.

    Trailing white space of lines, and trailing empty lines, do not count.

    Raises:
        TaskError: there is no pair.
    """

    pairs: tuple[Stdio, ...]
    origin: Origin = "user"

    def __post_init__(self) -> None:
        if not self.pairs:
            raise TaskError("there is no stdin/stdout pair: a task needs at least one")
