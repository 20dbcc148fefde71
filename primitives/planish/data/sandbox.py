"""What sandboxes and sessions report: guarantees, displays, variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from planish.data.record import Base64, Record, freeze

__all__ = ["GUARANTEES", "Display", "Guarantee", "Variable"]

Guarantee = Literal[
    "cleanup",
    "cpu",
    "disk",
    "disk_total",
    "environment",
    "files",
    "ipc",
    "memory",
    "memory_total",
    "network",
    "output",
    "privileges",
    "process_ids",
    "processes",
    "results",
    "syscalls",
    "writes",
]
"""One guarantee of a sandbox. `Completed.guarantees` lists those that held for the run."""

GUARANTEES: Mapping[Guarantee, str] = MappingProxyType(
    {
        "cleanup": "no process or file of a program outlives its run",
        "cpu": "a program that spins or ignores signals is killed at its time limit",
        "disk": "no file grows larger than the limit",
        "disk_total": "all files together stay within a limit, in bytes and in number",
        "environment": "no process sees an environment variable of the host",
        "files": "no file of the host can be read except those that were granted",
        "ipc": "no shared memory, socket or signal reaches a process outside the run",
        "memory": "no process uses more memory than the limit",
        "memory_total": "processes that together use more memory than the limit are killed",
        "network": "no connection leaves the run, not even to this machine",
        "output": "output is cut off at the limit, and the program is killed",
        "privileges": "the program has no capability and cannot gain one",
        "process_ids": "no process outside the run is visible",
        "processes": "no more processes and threads than the limit are alive at once",
        "results": "the first process reports over a descriptor that no other process of the run "
        "can open, and no other process can write where the first one imports from",
        "syscalls": "system calls outside a list of harmless ones are refused",
        "writes": "no file of the host can be created, written, changed or removed",
    }
)
"""The meaning of each guarantee. See `docs/sandbox.md` for where each holds and its tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Display(Record):
    """An image, table or value that a program displayed, as in a notebook.

    Attributes:
        forms: Its representations by media type, as in notebooks: "image/png" maps to the bytes
            of a picture, "text/html" and "text/plain" to text in UTF-8.
        main: True for the value of the last expression, False for a display before it.
    """

    forms: Mapping[str, Base64]
    main: bool = False

    def __post_init__(self) -> None:
        freeze(self, "forms")

    @property
    def text(self) -> str:
        """The "text/plain" representation; "" if there is none."""
        return self.forms.get("text/plain", b"").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable(Record):
    """Summary of a variable of a session. The value itself stays in the session.

    Attributes:
        name: The variable's name.
        type: The name of the value's class.
        shape: Rows, columns and so on, or the number of items; None for a value without a size.
        preview: The value as text, cut to 30 rows of a table, 100 characters of a text or 3
            items of a collection.
    """

    name: str
    type: str
    shape: tuple[int, ...] | None = None
    preview: str = ""
