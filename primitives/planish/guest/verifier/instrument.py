"""Assert statements that say which values they saw.

`assert left == right, message` becomes `assert hook(line)("Eq", left, right), message`, and
`assert value` becomes `assert hook(line)("", value)`: the same values, each computed once and in
the same order, the same truth, and the assert itself still raises.
"""

from __future__ import annotations

import _ast  # not ast, which costs 9 ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
    from typing import Any

__all__ = ["COMPARE", "instrument"]

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": lambda left, right: left == right,
    "NotEq": lambda left, right: left != right,
    "Lt": lambda left, right: left < right,
    "LtE": lambda left, right: left <= right,
    "Gt": lambda left, right: left > right,
    "GtE": lambda left, right: left >= right,
    "Is": lambda left, right: left is right,
    "IsNot": lambda left, right: left is not right,
    "In": lambda left, right: left in right,
    "NotIn": lambda left, right: left not in right,
}


_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # where statements are


def instrument(tree: ast.Module, hook: str) -> bool:
    """Put the hook, a name among the builtins, into all assert statements of a module.

    Returns:
        Whether the module has an import statement.
    """
    imports = False
    pending: list[Any] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, _ast.Assert):
            node.test = _hooked(node, hook)
        imports = imports or isinstance(node, (_ast.Import, _ast.ImportFrom))
        for block in _BLOCKS:
            pending += getattr(node, block, ())
    return imports


def _hooked(node: ast.Assert, hook: str) -> ast.Call:
    test = node.test
    place: Any = {
        "lineno": test.lineno,
        "col_offset": test.col_offset,
        "end_lineno": test.end_lineno,
        "end_col_offset": test.end_col_offset,
    }

    def call(function: ast.expr, *args: ast.expr) -> ast.Call:
        return _ast.Call(func=function, args=list(args), keywords=[], **place)

    def constant(value: int | str) -> ast.Constant:
        return _ast.Constant(value=value, kind=None, **place)

    name = _ast.Name(id=hook, ctx=_ast.Load(), **place)
    finish = call(name, constant(node.lineno))
    if isinstance(test, _ast.Compare) and len(test.ops) == 1:
        operator = constant(type(test.ops[0]).__name__)
        return call(finish, operator, test.left, test.comparators[0])
    if isinstance(test, _ast.UnaryOp) and isinstance(test.op, _ast.Not):
        return call(finish, constant("Not"), test.operand)
    return call(finish, constant(""), test)
