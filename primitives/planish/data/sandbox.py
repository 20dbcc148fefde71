"""What sandboxes and sessions report: guarantees, displays, variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from planish.data.record import BYTES_AS_BASE64, Record, freeze

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
"""One promise of a sandbox, in one word. A result lists those that held for its run."""

GUARANTEES: Mapping[Guarantee, str] = MappingProxyType(
    {
        "cleanup": "nothing a program started or wrote outlives its run",
        "cpu": "a program that spins or ignores signals is killed at its time limit",
        "disk": "no file grows larger than the limit",
        "disk_total": "all files together stay within a limit, in bytes and in number",
        "environment": "no variable of the host is seen, in no process",
        "files": "no file of the host is read but those that were granted",
        "ipc": "no shared memory, socket or signal reaches a process outside the run",
        "memory": "no process takes more memory than the limit",
        "memory_total": "all processes together are killed when they take more than the limit",
        "network": "no connection leaves the run, not even to this machine",
        "output": "what is printed is cut off at the limit, and the program killed",
        "privileges": "no capability is held and none can be gained",
        "process_ids": "no process outside the run is seen",
        "processes": "no more processes and threads than the limit live at once",
        "results": "the first process reports over a descriptor that no other process of the run "
        "can open, and none can write where that process imports from",
        "syscalls": "system calls that are not on a list of harmless ones are refused",
        "writes": "no file of the host is written, made, removed or changed",
    }
)
"""What each guarantee means; `docs/sandbox.md` says where each holds and how it is tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Display(Record):
    """One thing a program shows: an image, a table, a value.

    Attributes:
        forms: The same thing by media type, as notebooks have it: "image/png" to the bytes of
            a picture, "text/html" and "text/plain" to text in UTF-8.
        main: It is the value of the last expression, not something shown on the way.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = BYTES_AS_BASE64

    forms: Mapping[str, bytes]
    main: bool = False

    def __post_init__(self) -> None:
        freeze(self, "forms")

    @property
    def text(self) -> str:
        """Its "text/plain" form; empty where there is none."""
        return self.forms.get("text/plain", b"").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable(Record):
    """One variable of a session, in short: the value itself stays where it is.

    Attributes:
        name: Its name.
        type: The name of its class.
        shape: Rows, columns and so on, or the number of items; None where it has none.
        preview: The value as text, bounded: of a table 30 rows, of a text 100 characters, of a
            collection 3 items.
    """

    name: str
    type: str
    shape: tuple[int, ...] | None = None
    preview: str = ""
