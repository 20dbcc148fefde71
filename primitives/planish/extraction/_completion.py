"""Complete a piece of code with the definitions of names that other pieces have."""

import ast
import builtins
from collections.abc import Sequence
from typing import Any

from planish.extraction._pieces import Piece

__all__ = ["complete"]

_MAX_OTHERS = 64  # pieces that are searched, so that time is linear; no real reply has more
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Import = ast.Import | ast.ImportFrom
_COPYABLE = _Definition | _Import | ast.Assign | ast.AnnAssign | ast.Try
_LATER = _Definition | _Import
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


def complete(selected: Piece, earlier: Sequence[Piece], later: Sequence[Piece] = ()) -> str:
    """Return the code of `selected`, preceded by definitions of names it lacks.

    A function or class of a later piece is preferred, because it may be a correction; otherwise
    the nearest earlier definition is used. Names that this definition lacks are searched for in
    turn, before it. Nothing is added to code that does not parse, has a star import, or starts
    with `from __future__`.
    """
    missing: set[str] = set()
    if selected.tree and not _must_come_first(selected.tree):
        missing = _undefined_names(selected.tree)
    parts = [selected.code]
    others = [(piece, _LATER) for piece in reversed(later[-_MAX_OTHERS:]) if piece.advice]
    others += [(piece, _COPYABLE) for piece in reversed(earlier[-_MAX_OTHERS:])]
    for piece, kinds in others:
        if any(name in piece.raw for name in missing) and piece.tree:
            part, missing = _copy_definitions(piece, piece.tree, missing, kinds)
            parts.extend([part] if part else [])
    return "\n\n".join(reversed(parts))


def _must_come_first(tree: ast.Module) -> bool:
    """Return whether no code may be put before it: a `__future__` or a star import."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return any(node.module == "__future__" or node.names[0].name == "*" for node in imports)


def _undefined_names(tree: ast.AST) -> set[str]:
    """Return the names that are used and not bound in any scope."""
    loaded: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            loaded.add(node.id)
    return loaded - _bindings(tree) - _BUILTINS


def _bindings(tree: ast.AST) -> set[str]:
    """Return the names that are bound in any scope."""
    names: set[str | None] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del(), id=name):
                names.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.arg():
                names.add(node.arg)
            case ast.alias():
                names.add(node.asname or node.name.partition(".")[0])
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                names.add(node.name)
            case ast.MatchMapping():
                names.add(node.rest)
            case _:
                pass
    return {name for name in names if name}


def _copy_definitions(
    piece: Piece, tree: ast.Module, missing: set[str], kinds: Any
) -> tuple[str, set[str]]:
    """Return the source of the statements that bind missing names, and the unresolved names.

    Args:
        piece: The piece with the statements.
        tree: Its syntax tree.
        missing: The names.
        kinds: The kinds of statements that may be copied.
    """
    binders: dict[str, list[int]] = {}
    for index, node in enumerate(tree.body):
        if isinstance(node, kinds):
            for name in _outer_bindings(node):
                binders.setdefault(name, []).append(index)
    indices: set[int] = set()
    pending, unresolved = list(missing), set[str]()
    seen = set(missing)
    while pending:
        name = pending.pop()
        if name not in binders:
            unresolved.add(name)
        for index in set(binders.get(name, ())) - indices:
            indices.add(index)
            new = _undefined_names(tree.body[index]) - seen
            seen |= new
            pending.extend(new)
    return _statement_lines(piece.code, [tree.body[index] for index in sorted(indices)]), unresolved


def _outer_bindings(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds, those inside a function or class left out."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case _:
            return _bindings(node)


def _statement_lines(code: str, nodes: Sequence[ast.stmt]) -> str:
    """Return the source lines of statements, with their decorators."""
    lines = code.split("\n")
    numbers: dict[int, None] = {}
    for node in nodes:
        decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
        begin = min([node.lineno, *(each.lineno for each in decorators)])
        numbers.update(dict.fromkeys(range(begin - 1, node.end_lineno or begin)))
    return "\n".join(lines[index] for index in numbers)
