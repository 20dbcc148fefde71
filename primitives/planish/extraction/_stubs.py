"""Telling a stub, shown for its signature, from an implementation."""

import ast

from planish.extraction._python import bound, statements

__all__ = ["is_stub"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_stub(tree: ast.Module, name: str) -> bool:
    """Whether every definition of `name` at the top level is without a body."""
    return all(_is_empty(node) for node in statements(tree) if name in bound(node))


def _is_empty(node: ast.stmt) -> bool:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            inside = isinstance(node, ast.ClassDef)
            return all(_says_nothing(part, methods=inside) for part in node.body)
        case _:  # an assignment, the only other statement that defines
            value = getattr(node, "value", None)
            return isinstance(value, ast.Constant) and value.value is ...


def _says_nothing(node: ast.stmt, *, methods: bool) -> bool:
    match node:
        case ast.Pass():
            return True
        case ast.Expr(value=ast.Constant(value=value)):
            return value is ... or isinstance(value, str)
        case ast.Raise(exc=ast.Name(id="NotImplementedError")):
            return True
        case ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
        case _:
            return methods and isinstance(node, _Function) and _is_empty(node)
