"""Add what the chosen code uses and an earlier part of the reply defines."""

import ast
import builtins
from collections.abc import Sequence

from planish.extraction._pieces import Piece

__all__ = ["completed"]

_REACH = 64  # earlier pieces looked at: more than any reply has, so that time stays linear
_CARRIED = (
    ast.FunctionDef
    | ast.AsyncFunctionDef
    | ast.ClassDef
    | ast.Import
    | ast.ImportFrom
    | ast.Assign
    | ast.AnnAssign
    | ast.Try
)
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


def completed(chosen: Piece, earlier: Sequence[Piece]) -> str:
    """The code of `chosen`, after the earlier statements that define what it lacks.

    The nearest earlier definition counts, and what that lacks in turn is looked for before it.
    Nothing is added to code that does not parse, imports with a star, or must stay first in
    its file because of `from __future__`.
    """
    lacking = _lacking(chosen.tree) if chosen.tree and not _is_closed(chosen.tree) else set[str]()
    parts = [chosen.code]
    for piece in reversed(earlier[-_REACH:]):
        if any(name in piece.raw for name in lacking) and piece.tree:
            part, lacking = _carried(piece, piece.tree, lacking)
            parts.extend([part] if part else [])
    return "\n\n".join(reversed(parts))


def _is_closed(tree: ast.Module) -> bool:
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return any(node.module == "__future__" or node.names[0].name == "*" for node in imports)


def _lacking(tree: ast.AST) -> set[str]:
    """The names used and nowhere bound, in whatever scope."""
    loaded: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            loaded.add(node.id)
    return loaded - _bindings(tree) - _BUILTINS


def _bindings(tree: ast.AST) -> set[str]:
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


def _carried(piece: Piece, tree: ast.Module, lacking: set[str]) -> tuple[str, set[str]]:
    """The statements of `piece` that bind names of `lacking`, and what is lacking then."""
    binders: dict[str, list[int]] = {}
    for index, node in enumerate(tree.body):
        if isinstance(node, _CARRIED):
            for name in _outer_bindings(node):
                binders.setdefault(name, []).append(index)
    taken: set[int] = set()
    pending, left = list(lacking), set[str]()
    seen = set(lacking)
    while pending:
        name = pending.pop()
        if name not in binders:
            left.add(name)
        for index in set(binders.get(name, ())) - taken:
            taken.add(index)
            new = _lacking(tree.body[index]) - seen
            seen |= new
            pending.extend(new)
    return _text(piece.code, [tree.body[index] for index in sorted(taken)]), left


def _outer_bindings(node: ast.stmt) -> set[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case _:
            return _bindings(node)


def _text(code: str, nodes: Sequence[ast.stmt]) -> str:
    lines = code.split("\n")
    wanted: dict[int, None] = {}
    for node in nodes:
        decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
        begin = min([node.lineno, *(each.lineno for each in decorators)])
        wanted.update(dict.fromkeys(range(begin - 1, node.end_lineno or begin)))
    return "\n".join(lines[index] for index in wanted)
