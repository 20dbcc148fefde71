"""Problems of MBPP, and of MBPP+ as a table with a `test` program: `code`, `test_list`."""

import ast
from collections.abc import Mapping
from typing import Any

from planish_integrations.evaluation._errors import RowError
from planish_integrations.evaluation._fields import name_of, text_of, texts_of
from planish_integrations.evaluation._problem import Problem

__all__ = ["from_mbpp"]

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def from_mbpp(row: Mapping[str, Any]) -> Problem | None:
    """Return the problem of a row; None if the row is of another format.

    Raises:
        RowError: it has no tests, or they do not parse.
    """
    task_id, code = name_of(row, "task_id"), text_of(row, "code")
    prompt, listed = text_of(row, "prompt", "text"), texts_of(row, "test_list")
    if task_id is None or code is None or prompt is None or listed is None:
        return None
    setup = [*(texts_of(row, "test_imports") or ()), text_of(row, "test_setup_code") or ""]
    more = texts_of(row, "challenge_test_list") or ()
    test = text_of(row, "test")
    if not listed and not test:
        raise RowError("has no tests: its test_list is empty")
    lines = [*setup, *listed, *more] if test is None else [*setup, test]
    counts = {"test_list": len(listed), "challenge_test_list": len(more)}
    return Problem(
        bench="MBPP" if test is None else "MBPP+",
        task_id=task_id,
        prompt=prompt,
        entry_point=_entry_point(code, listed),
        tests="\n".join([line for line in lines if line]) + "\n",
        visible_tests=tuple(listed),
        canonical=code,
        counts={field: n for field, n in counts.items() if n} if test is None else {"test": 1},
    )


def _entry_point(code: str, tests: tuple[str, ...]) -> str | None:
    """Return the one function or class of the solution that the tests name."""
    try:
        defined = {node.name for node in ast.parse(code).body if isinstance(node, _DEFINITIONS)}
        tree = ast.parse("\n".join(tests))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RowError(f"its test_list or code does not parse: {error}") from error
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & defined
    return next(iter(named)) if len(named) == 1 else None
