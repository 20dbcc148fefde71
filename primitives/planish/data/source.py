"""Read Python source without running it: its tree, its names, its statements as titles."""

import ast
import builtins
from collections.abc import Iterator

from planish.compiling import quiet

__all__ = ["bound_names", "read_source", "reason", "title", "wanted_names"]

_TITLE = 120  # characters: one line of a report


def read_source(code: str) -> ast.Module:
    """The tree of Python source, after the compiler has seen it too; nothing is executed.

    Raises:
        SyntaxError: it does not parse, or does not compile.
        ValueError: it holds null bytes or lone surrogates.
        RecursionError: it is nested too deeply.
        MemoryError: the same, said by the parser.
    """
    with quiet():
        tree = ast.parse(code)
        compile(tree, "<source>", "exec", dont_inherit=True)
    return tree


def reason(error: BaseException) -> str:
    """Why source could not be read, in a line: what was said, and where."""
    if not isinstance(error, SyntaxError):
        deep = isinstance(error, RecursionError | MemoryError)
        return "it is nested too deeply" if deep else str(error)
    text = (error.text or "").strip()
    where = f" in line {error.lineno}" if error.lineno else ""
    return f"{error.msg}{where}" + (f": {text!r}" if text else "")


def title(node: ast.AST) -> str:
    """A statement in one line, cut."""
    try:
        text = " ".join(ast.unparse(node).split())
    except RecursionError:
        text = f"line {getattr(node, 'lineno', 0)}"
    return text if len(text) <= _TITLE else text[: _TITLE - 3] + "..."


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
