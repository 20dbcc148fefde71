"""Prompts and tests of contest problems, shared by APPS, CodeContests and LiveCodeBench."""

from collections.abc import Sequence
from typing import Any

from planish.data import Case, Cases, StdioPairs
from planish.data.tests import Tolerance
from planish.errors import TaskError
from planish_integrations.evaluation._errors import RowError

__all__ = ["IMPORTS", "call_tests", "entry_point_of", "prompt_of", "stdio_tests"]

_MODULES = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random"),
    *("statistics", "itertools", "functools", "operator", "io", "sys", "json"),
)
IMPORTS = (
    "".join(f"from {module} import *\n" for module in (*_MODULES, "builtins", "typing"))
    + f"import time, fractions, {', '.join(_MODULES)}\n"
    + "sys.setrecursionlimit(50_000)\n"
)
"""The code that the judges of APPS and LiveCodeBench put before a solution, without numpy."""

_STDIO = "Write a program that reads standard input and writes standard output."


def prompt_of(question: str, starter: str, *, program: bool) -> str:
    """Return the question and what to write: a program, or a continuation of the starter code."""
    parts = [question.strip()]
    if program:
        parts.append(_STDIO)
    if starter.strip():
        parts.append(f"Begin with this:\n```python\n{starter.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def entry_point_of(function: str, starter: str) -> str:
    """Return the entry point of a function, which may be a method of the starter's class."""
    return f"Solution().{function}" if "class Solution" in starter else function


def stdio_tests(
    pairs: Sequence[tuple[str, str]],
    *,
    tolerance: Tolerance,
    seconds: float | None = None,
) -> StdioPairs:
    """Return stdio tests compared as in contests: by tokens, numbers by value, until a failure.

    Raises:
        RowError: there is no pair.
    """
    if not pairs:
        raise RowError("has no tests")
    return StdioPairs(
        pairs,
        compare="floats",
        tolerance=tolerance,
        stop_at_first=True,
        seconds_each=seconds,
    )


def call_tests(cases: Sequence[Case | tuple[Any, Any]]) -> Cases:
    """Return tests that call a function, with arguments and results read from JSON.

    Raises:
        RowError: there is none, or a value cannot be passed to a function.
    """
    if not cases:
        raise RowError("has no tests")
    try:
        return Cases.of(cases, sequences="any")
    except TaskError as error:
        raise RowError(str(error)) from error
