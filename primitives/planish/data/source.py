"""Analysis of Python source without running it: syntax tree, names, titles of statements."""

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from planish.compiling import without_warnings

__all__ = [
    "all_nodes",
    "bound_names",
    "describe_error",
    "parse_source",
    "statement_parts",
    "statement_title",
    "undefined_names",
    "undefined_names_in",
]

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


def all_nodes(root: ast.AST) -> list[ast.AST]:
    """Return a node and all below it, as `ast.walk` does, without contexts; three times as fast."""
    found = [root]
    fields, node_class = _FIELDS, ast.AST
    for node in found:  # which grows meanwhile
        for field in fields[type(node)]:
            value: Any = getattr(node, field, None)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, node_class):
                        found.append(item)  # noqa: PERF401  # of a few items this is faster
            elif isinstance(value, node_class):
                found.append(value)
    return found


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each class of nodes that can have nodes, but for contexts."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        found = () if kind in _LEAVES else tuple(f for f in kind._fields if f not in _PLAIN)
        self[kind] = found
        return found


_FIELDS = _Fields()
_LEAVES = frozenset(
    {ast.Name, ast.Constant, ast.alias, ast.And, ast.Or}
    | {kind for base in (ast.operator, ast.cmpop, ast.unaryop) for kind in base.__subclasses__()}
)
_PLAIN = frozenset({"arg", "attr", "ctx", "level", "module", "type_comment"})
"""Fields of texts, numbers and contexts."""


def statement_title(node: ast.AST) -> str:
    """Return the source of a statement in one line, cut to 120 characters."""
    try:
        text = " ".join(ast.unparse(node).split())
    except RecursionError:
        text = f"line {getattr(node, 'lineno', 0)}"
    return text if len(text) <= _TITLE_CHARS else text[: _TITLE_CHARS - 3] + "..."


def statement_parts(nodes: Iterable[ast.AST]) -> Iterator[tuple[range, ast.stmt, str]]:
    """Yield the lines, the node and the source of each statement, in the order of the nodes.

    Of `with`, `for`, `while` and `if` the source is that of what their first line evaluates.
    Definitions have none, and neither has what is nested too deeply.

    Args:
        nodes: Nodes of a tree.
    """
    for node in nodes:
        if not isinstance(node, ast.stmt):
            continue
        parts = _evaluated(node)
        if not parts:
            continue
        last = max(part.end_lineno or node.lineno for part in parts)
        with suppress(RecursionError):
            yield range(node.lineno, last + 1), node, ", ".join(map(ast.unparse, parts))


def _evaluated(node: ast.stmt) -> Sequence[ast.expr | ast.stmt]:
    """Return what of a statement is evaluated before the statements in it."""
    match node:
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return [item.context_expr for item in items]
        case ast.For(iter=value) | ast.AsyncFor(iter=value):
            return [value]
        case ast.While(test=value) | ast.If(test=value):
            return [value]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return []
        case ast.Try() | ast.TryStar() | ast.Match():
            return []
        case _:
            return [node]


_PREDEFINED = frozenset(dir(builtins)) | {"__file__"}


def undefined_names(code: str) -> frozenset[str]:
    """Return the names that code reads and does not bind anywhere, without builtins.

    Args:
        code: Code that parses.
    """
    with without_warnings():
        tree = ast.parse(code)
    return undefined_names_in(all_nodes(tree))


def undefined_names_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that nodes read and none of them binds, without builtins."""
    used: set[str] = set()
    bound: set[str] = set()
    others: list[ast.AST] = []
    for node in nodes:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                used.add(node.id)
            elif isinstance(node.ctx, ast.Store):
                bound.add(node.id)
        elif not isinstance(node, ast.Constant):
            others.append(node)
    return frozenset(used - bound - _PREDEFINED) - frozenset(_bindings(others))


def bound_names(code: str) -> frozenset[str]:
    """Return the names that code binds anywhere; none if it does not parse."""
    try:
        with without_warnings():
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(_bindings(all_nodes(tree)))


def _bindings(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
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
