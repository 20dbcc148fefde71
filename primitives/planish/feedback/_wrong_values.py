"""Findings of wrong values: a difference, and what an assert compares."""

import ast
from dataclasses import replace

from planish.compiling import without_warnings
from planish.data.execution import Execution, TestResult
from planish.data.status import Status
from planish.data.tests import PytestFile, StdioPairs
from planish.data.verdict import Finding
from planish.feedback._texts import shorten, text_difference

__all__ = ["WRONG_VALUE", "describe_wrong_value"]

WRONG_VALUE = "it gave the wrong value"


def describe_wrong_value(execution: Execution, finding: Finding, test: TestResult) -> Finding:
    """Complete the finding of a wrong value: its kind, a diff, and what the assert compares."""
    expected, actual = test.expected, test.actual
    pairs = isinstance(execution.candidate.task.tests, StdioPairs)
    diff = ""
    if expected is not None and actual is not None:
        diff = text_difference(expected, actual, literal=not pairs)
    message, fix = test.message, ""
    if test.source:
        message, fix = _without_assert_message(test.source, message)
        if isinstance(execution.candidate.task.tests, PytestFile):
            message = _without_comparison(message, compared=actual is not None)
    return replace(
        finding,
        message=message or WRONG_VALUE,
        kind="test_error" if execution.status is Status.TEST_ERROR else "logic",
        fix=fix,
        diff=diff,
        signature=f"wrong value: {shorten(test.name, 200)}",
    )


def _without_comparison(message: str, *, compared: bool) -> str:
    """Return a message without pytest's own account of a comparison whose values are known."""
    if not compared:
        return message
    own, found, _ = message.partition("assert ")
    return own.strip() if found else message


def _without_assert_message(source: str, message: str) -> tuple[str, str]:
    """Return the message of a failed assert, and a note if its own message is no text.

    `assert f(x) == 1, 2` compares with 1 only. Who writes it usually means a pair.
    """
    try:
        with without_warnings():
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return message, ""
    match tree.body:
        case [ast.Assert(test=ast.Compare(comparators=[*_, right]), msg=ast.expr() as note)] if (
            not _is_text(note)
        ):
            compared, own = shorten(ast.unparse(right), 80), shorten(ast.unparse(note), 80)
            return "", f"the test compares with `{compared}` only: `{own}` is its message"
        case _:
            return message, ""


def _is_text(node: ast.expr) -> bool:
    """Return whether an assert's message is meant as one: a text, or computed."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return not isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.UnaryOp)
