"""Analysis of Python source without running it: syntax tree, names, titles of statements."""

import ast
import builtins
from collections.abc import Iterator

from planish.compiling import without_warnings

__all__ = ["bound_names", "describe_error", "parse_source", "statement_title", "undefined_names"]

_TITLE_CHARS = 120  # characters: one line of a report


def parse_source(code: str) -> ast.Module:
    """Parse and compile Python source and return its tree. Nothing is executed.

    Raises:
        SyntaxError: the source does not parse or does not compile.
        ValueError: the source contains null bytes or lone surrogates.
        RecursionError: the source is nested too deeply.
        MemoryError: the same, raised by the parser.
    """
    with without_warnings():
        tree = ast.parse(code)
        compile(tree, "<source>", "exec", dont_inherit=True)
    return tree


def describe_error(error: BaseException) -> str:
    """Return in one line why source does not parse: the message, the line and its text."""
    if not isinstance(error, SyntaxError):
        deep = isinstance(error, RecursionError | MemoryError)
        return "it is nested too deeply" if deep else str(error)
    text = (error.text or "").strip()
    where = f" in line {error.lineno}" if error.lineno else ""
    return f"{error.msg}{where}" + (f": {text!r}" if text else "")


def statement_title(node: ast.AST) -> str:
    """Return the source of a statement in one line, cut to 120 characters."""
    try:
        text = " ".join(ast.unparse(node).split())
    except RecursionError:
        text = f"line {getattr(node, 'lineno', 0)}"
    return text if len(text) <= _TITLE_CHARS else text[: _TITLE_CHARS - 3] + "..."


_PREDEFINED = frozenset(dir(builtins)) | {"__file__"}


def undefined_names(code: str) -> frozenset[str]:
    """Return the names that code reads and does not bind anywhere, without builtins.

    Args:
        code: Code that parses.
    """
    with without_warnings():
        tree = ast.parse(code)
    used = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return frozenset(used) - frozenset(_bindings(tree)) - _PREDEFINED


def bound_names(code: str) -> frozenset[str]:
    """Return the names that code binds anywhere; none if it does not parse."""
    try:
        with without_warnings():
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(_bindings(tree))


def _bindings(tree: ast.Module) -> Iterator[str]:
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
            case ast.alias(name=name, asname=alias):
                yield alias or name.partition(".")[0]
            case _:
                pass
