"""How a recorded program ended, in one word."""

from typing import Literal

from planish import Attempt, Execution, Status

__all__ = ["Ending", "ending_of"]

Ending = Literal[
    "pass",
    "syntax",
    "name/import",
    "assertion",
    "other-exc",
    "resource",
    "timeout",
    "early-exit",
    "crash",
]
"""A pass, or what went wrong first. The classes are those of the recordings."""

_BY_STATUS: dict[Status, Ending] = {
    Status.SYNTAX_ERROR: "syntax",
    Status.TIMEOUT: "timeout",
    Status.RESOURCE_LIMIT: "resource",
}
_BY_NAME: dict[str, Ending] = {
    "AssertionError": "assertion",
    "EarlyExit": "early-exit",
    "ImportError": "name/import",
    "IndentationError": "syntax",
    "Killed": "crash",
    "ModuleNotFoundError": "name/import",
    "NameError": "name/import",
    "SyntaxError": "syntax",
    "SystemExit": "early-exit",
    "TabError": "syntax",
    "UnboundLocalError": "name/import",
}


def ending_of(attempt: Attempt) -> Ending:
    """The class of an attempt that was really run; a repeat says only that it failed."""
    return "pass" if attempt.passed else _failed(attempt.execution)


def _failed(execution: Execution) -> Ending:
    known = _BY_STATUS.get(execution.status)
    if known is not None:
        return known
    name = execution.failure.name if execution.failure else "AssertionError"
    return _BY_NAME.get(name, "other-exc")
