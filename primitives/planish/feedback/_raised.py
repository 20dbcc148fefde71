"""`Raised`: what is known of an exception, or of what stopped a program."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from planish.data.execution import Execution
from planish.data.status import Place

__all__ = ["Raised"]

_MESSAGE = 1_000  # characters that are searched: the code chooses the message and its length
_ERRNO = re.compile(r"\[Errno (\d{1,4})\]")
_MISSING_FILE = re.compile(r"\[Errno 2\] [^:]*: b?(?:'([^'\n]*)'|\"([^\"\n]*)\")")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """What is known of an exception, or of what stopped a program.

    Attributes:
        execution: The run.
        exception: Name of the exception's class, or `Failure.name`.
        message: Its message.
        bases: Names of the class's base classes, nearest first.
        place: Where it was raised; None if unknown.
        source: The line of the candidate at which it was raised; "" if unknown.
        traceback: Its traceback; "" if unknown.
        statement: The statement of the tests at which it was raised; "" if unknown.
    """

    execution: Execution
    exception: str
    message: str
    bases: Sequence[str] = ()
    place: Place | None = None
    source: str = ""
    traceback: str = ""
    statement: str = ""

    def is_a(self, *names: str) -> bool:
        """Return whether its class, or a base class of it, has one of these names."""
        return not {self.exception, *self.bases}.isdisjoint(names)

    @property
    def errno(self) -> int | None:
        """The number of the system's error that its message states; None without one."""
        found = _ERRNO.search(self.message[:_MESSAGE])
        return int(found[1]) if found else None

    @property
    def missing_path(self) -> str:
        """The path of the file that is not there; "" if it is another failure, or unknown."""
        found = _MISSING_FILE.search(self.message[:_MESSAGE])
        is_missing = found is not None and self.is_a("FileNotFoundError")
        return (found[1] or found[2] or "") if found and is_missing else ""
