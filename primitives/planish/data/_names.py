"""Which names code uses and does not bind: what a test wants the candidate to define."""

import ast
import builtins
from collections.abc import Iterator

from planish.compiling import quiet

__all__ = ["bound_names", "wanted_names"]

_ALWAYS = frozenset(dir(builtins)) | {"__file__"}


def wanted_names(code: str) -> frozenset[str]:
    """The names that code uses and nowhere binds, builtins left out.

    Args:
        code: Code that parses.
    """
    with quiet():
        tree = ast.parse(code)
    used = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return frozenset(used) - frozenset(_bound(tree)) - _ALWAYS


def bound_names(code: str) -> frozenset[str]:
    """The names that code binds anywhere; none when it does not parse."""
    try:
        with quiet():
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(_bound(tree))


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.alias(name=name, asname=given):
                yield given or name.partition(".")[0]
            case _:
                pass
