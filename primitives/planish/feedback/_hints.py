"""Hints on how to fix a failure, by the class of its exception."""

from collections.abc import Mapping, Sequence

__all__ = ["HINTS", "Hints", "hint_for"]

Hints = Mapping[str | type[BaseException], str]
"""What to do about an exception, by its class or by the name of its class."""

HINTS: Hints = {
    "ModuleNotFoundError": "use the standard library or a package that is installed",
    "ImportError": "check the name: the module has nothing of that name",
    "IndentationError": "indent every block by four spaces",
    "SyntaxError": "write code that parses as it stands",
    "UnboundLocalError": "assign the variable on every path before it is read",
    "RecursionError": "end the recursion at its base case, or use a loop",
    "MemoryError": "do not build so large a value: go through it piece by piece",
    "ZeroDivisionError": "handle the case in which the divisor is zero",
    "StopIteration": "give next() a default, or check that an item is left",
    "KeyError": "check that the key is there, or use .get()",
    "IndexError": "check the length before the index is used",
    "PermissionError": "read and write below the working directory only",
    "FileNotFoundError": "do not rely on files that the task does not name",
    "ConnectionError": "there is no network: do without it",
    "gaierror": "there is no network: do without it",
    "URLError": "there is no network: do without it",
    "EOFError": "read only as much input as there is",
    "EarlyExit": "return from functions; do not end the process",
    "Timeout": "use an algorithm that needs fewer steps, and check that every loop ends",
}
"""The hints that findings have by default. A class's hint holds for its subclasses too."""


def hint_for(exception: str, bases: Sequence[str] = (), hints: Hints = HINTS) -> str:
    """Return the hint for an exception: of its class, else of its nearest base class, else "".

    Args:
        exception: The name of its class.
        bases: The names of that class's base classes, nearest first.
        hints: The hints; `HINTS` by default.
    """
    by_name = {key if isinstance(key, str) else key.__name__: text for key, text in hints.items()}
    return next((by_name[name] for name in (exception, *bases) if name in by_name), "")
