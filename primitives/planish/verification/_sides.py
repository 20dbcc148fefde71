"""Which side of a comparison in test code is the value that was got."""

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from planish.data.execution import TestResult
from planish.verification._bounds import VALUE, bounded
from planish.verification._plan import tree_of

__all__ = ["assert_at", "asserts_of", "in_words", "sides"]

_SYMBOLS = {
    "NotEq": "!= ",
    "Lt": "< ",
    "LtE": "<= ",
    "Gt": "> ",
    "GtE": ">= ",
    "IsNot": "is not ",
    "In": "in ",
    "NotIn": "not in ",
}
_TURNED = {"Lt": "> ", "LtE": ">= ", "Gt": "< ", "GtE": "<= ", "In": "with ", "NotIn": "without "}
# Calls of these make no difference: they are on both sides of many a comparison.
_PLAIN = frozenset(
    {"abs", "bool", "bytes", "dict", "float", "frozenset", "int", "len", "list", "max", "min"}
    | {"repr", "round", "set", "sorted", "str", "sum", "tuple"}
)


@lru_cache(maxsize=64)
def asserts_of(code: str) -> Mapping[int, ast.stmt]:
    """For each line of test code, the assert statement or call that it is part of."""
    found: dict[int, ast.stmt] = {}
    for node in ast.walk(tree_of(code)):
        if isinstance(node, ast.Assert | ast.Expr):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = node
    return found


def assert_at(code: str, line: int | None) -> ast.Assert | None:
    """The assert statement that a line of test code is part of."""
    node = asserts_of(code).get(line or 0)
    return node if isinstance(node, ast.Assert) else None


def sides(code: str, values: Mapping[str, Any] | None) -> tuple[str | None, str | None]:
    """What a comparison expected and what it got, as source text.

    The side that calls something is what it got, a literal is what it expected; where that
    does not decide, the left side is what it got.
    """
    if values is None:
        return None, None
    operator, left = values["operator"], bounded(values["left"], VALUE)
    if "right" not in values:
        wanted = {"": ("False", "True"), "Not": ("True", "False")}[operator]
        return (wanted[1] if left == wanted[0] else None), left
    right = bounded(values["right"], VALUE)
    if _turned(asserts_of(code).get(values["line"] or 0)):
        return _TURNED.get(operator, _SYMBOLS.get(operator, "")) + left, right
    return _SYMBOLS.get(operator, "") + right, left


def _turned(node: ast.stmt | None) -> bool:
    match node:
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            pass
        case ast.Expr(value=ast.Call(args=[left, right, *_])):
            pass
        case _:
            return False
    if _calls(left) != _calls(right):
        return _calls(right)
    return isinstance(left, ast.Constant) and not isinstance(right, ast.Constant)


def _calls(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Call)
        and not (isinstance(inner.func, ast.Name) and inner.func.id in _PLAIN)
        for inner in ast.walk(node)
    )


def in_words(test: TestResult) -> str:
    """What is wrong with a failed test, for a failure that says nothing itself."""
    got = "" if test.actual is None else f": got {test.actual}"
    wanted = "" if test.expected is None else f", expected {test.expected}"
    return f"{test.name}{got}{wanted}"
