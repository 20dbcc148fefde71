"""What stand-ins need of the side they are on; set up once, by `rpc_endpoint`."""

from __future__ import annotations

from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "ADDED",
    "ANSWERED",
    "ASKED",
    "BODIES",
    "DERIVING",
    "DROPPED",
    "EXITS",
    "FOREIGN",
    "JUDGING",
    "KEPT",
    "MIRRORED",
    "MODULES",
    "NAMED",
    "NUMBERS",
    "PRINTED",
    "READING",
    "STEPS",
    "TASKS",
    "TESTS",
    "TRUSTED",
    "WRITING",
    "ask",
    "claimed",
    "derive",
    "keep",
    "locals_of",
    "note_stream",
    "redefine",
    "unasked",
]

NUMBERS: dict[Any, int] = {}
"""Of stand-in classes."""

ADDED: set[Any] = set()
"""Classes of libraries that are among the bases of stand-ins."""

ASKED: list[str] = []
"""The text of the tests, if these ask for the classes of objects."""

TRUSTED: set[Any] = set()
"""Stand-in classes that this side's own code has called or derived from."""

FOREIGN: set[int] = set()
"""Numbers of what was read off objects that the other side gave, of classes that this side's own
code has never called."""

NAMED: set[int] = set()
"""Numbers of what the tests name: in their own namespace, in modules or classes that they name."""

MODULES: set[int | None] = set()
"""Numbers of the modules of the other side that this side's own code has imported."""

TASKS: set[str] = set()
"""Names of the modules of the task, which the tests and the code import."""

TESTS: set[str] = set()
"""Names of the modules that only the tests have."""

JUDGING: list[bool] = []
"""Holds something in the verifier."""

STEPS: set[int] = set()
"""Numbers of what is awaited for the next item of an iteration; it may say that there is none."""

EXITS: set[int] = set()
"""Numbers of what is awaited of an `__aexit__`; its result may swallow an exception."""

PRINTED: list[Any] = []
"""The last streams of the tests to which the candidate prints in place of its own."""

READING: list[bool] = []
"""Holds something while a message is read."""

WRITING: list[list[Any]] = []
"""Of each message that is being written the thread, and whether it has tried to ask meanwhile."""

DERIVING: list[Any] = []
"""The classes of this side from which it derives, together with those of the other side."""

BODIES: dict[Any, Any] = {}
"""Of the classes that the tests derive from those of the other side: what they define in them."""

ANSWERED: list[Any] = []
"""What the other side has called last, with what, and the result."""

MIRRORED: dict[int, tuple[Any, int]] = {}
"""By its id, a class that a process has made in place of a stand-in, and the stand-in's number."""

DROPPED: list[int] = []
"""Stand-ins that are no more."""

_ADDRESSES = ("__array_interface__", "__array_struct__")
"""The attributes from which numpy reads the address of an object's elements. They are never
requested: an address of one process has no meaning in another, and could be chosen to read it."""

KEPT: list[Any] = []
"""Holds something where the tests ask for identities, and the stand-ins that are kept there."""

LOCALS: dict[Any, frozenset[str]] = {}
_ends: dict[str, Callable[..., Any]] = {}


def connect(**functions: Callable[..., Any]) -> None:
    """Say what answers."""
    _ends.update(functions)


def ask(operation: str, *args: Any) -> Any:
    """Have the other side do something."""
    if operation == "get" and args[1] in _ADDRESSES:
        raise AttributeError(args[1])
    if WRITING and WRITING[-1][0] == get_ident():
        WRITING[-1][1] = True
        raise TypeError("a message is being written")
    return _ends["ask"](operation, *args)


def unasked(make: Callable[[], Any]) -> Any:
    """Return the result of `make`, which can ask nothing, and whether it has tried to.

    What is asked while a message is written might refer to what the other side has not yet read.
    """
    WRITING.append([get_ident(), False])
    try:
        found = make()
    finally:
        asked = WRITING.pop()[1]
    return found, asked


def keep(value: Any) -> None:
    """Keep a stand-in to the end if the tests ask for identities.

    The object may live on in the other process, and what `id` gives of it is to stay the same.
    """
    if KEPT:
        KEPT.append(value)


def claimed(kind: Any) -> None:
    """Take note that an object of the other side has reported a class of a library as its own."""
    _ends["claimed"](kind)


def note_stream(module: str, name: str, value: Any) -> None:
    """Take note of what the candidate is to print to, if that is what a name of a module has."""
    if module == "sys" and name in ("stdout", "stderr"):
        PRINTED[:] = [*(one for one in PRINTED if one is not value), value][-_STREAMS:]


_STREAMS = 100


def derive(meta: Any, name: str, bases: Any, names: dict[str, Any], options: Any) -> Any:
    """Make the class of a statement that derives from a stand-in."""
    return _ends["derive"](meta, name, bases, names, options)


def redefine(kind: Any, name: str, *new: Any) -> None:
    """Make what the other side's class has of a name now, or no longer, effective here."""
    _ends["redefine"](kind, name, *new)


def locals_of(kind: Any) -> frozenset[str]:
    """Return the names that the plain type has from which a stand-in class derives."""
    return LOCALS.get(kind, _NONE)


_NONE: frozenset[str] = frozenset()
