"""Find the import statements of a source file in its syntax tree, without running it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from planish.compiling import without_warnings

from ._known_modules import NAMESPACES

__all__ = ["ImportStatement", "import_statements"]

# bytes; parsing a larger file takes seconds and a lot of memory
_LARGEST = 1_000_000

_CATCH = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")
_LOADERS = ("import_module", "__import__")

_Node = tuple[ast.AST, bool]


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """One import in a source file.

    Attributes:
        module: The absolute module name; if several distributions share its first part, with the
            name that is imported from it.
        line: The line, from 1.
        optional: The program catches the error that a missing module raises.
    """

    module: str
    line: int
    optional: bool


@lru_cache(maxsize=256)
def import_statements(source: bytes) -> tuple[ImportStatement, ...]:
    """Return the imports of one file, in line order, including those inside functions.

    Relative imports and imports for type checkers only are left out. A source that is not Python,
    or is longer than a million bytes, has none; running it reports the error.
    """
    tree = _parse(source)
    if tree is None:
        return ()
    statements = [
        one for node, optional in _nodes(tree) for one in _imports(node, optional=optional)
    ]
    return tuple(sorted(statements, key=lambda one: one.line))


def _parse(source: bytes) -> ast.Module | None:
    if len(source) > _LARGEST:
        return None
    try:
        with without_warnings():
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _nodes(tree: ast.Module) -> Iterator[_Node]:
    """Yield every node that can run, and whether an enclosing block catches a missing module."""
    pending: list[_Node] = [(tree, False)]
    while pending:
        node, optional = pending.pop()
        yield node, optional
        match node:
            case ast.Try() | ast.TryStar():
                caught = optional or any(_catches(handler.type) for handler in node.handlers)
                pending += [(inner, caught) for inner in (*node.body, *node.handlers)]
                pending += [(inner, optional) for inner in (*node.orelse, *node.finalbody)]
            case ast.With() if any(_suppresses(item.context_expr) for item in node.items):
                pending += [(inner, True) for inner in node.body]
            case ast.If() if _last_part(node.test) == "TYPE_CHECKING":
                pending += [(inner, optional) for inner in node.orelse]
            case _:
                pending += [(inner, optional) for inner in ast.iter_child_nodes(node)]


def _catches(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(_catches(one) for one in kind.elts)
    return kind is None or _last_part(kind) in _CATCH


def _suppresses(called: ast.expr) -> bool:
    if not isinstance(called, ast.Call) or _last_part(called.func) != "suppress":
        return False
    return any(_catches(one) for one in called.args)


def _last_part(node: ast.expr) -> str:
    """Return a name, or the last part of a dotted one; "" for other expressions."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _imports(node: ast.AST, *, optional: bool) -> Iterator[ImportStatement]:
    match node:
        case ast.Import(names=names, lineno=line):
            for alias in names:
                yield ImportStatement(alias.name, line, optional)
        case ast.ImportFrom(module=str(module), level=0, names=names, lineno=line):
            if module.partition(".")[0] in NAMESPACES:
                for alias in names:
                    yield ImportStatement(f"{module}.{alias.name}", line, optional)
            else:
                yield ImportStatement(module, line, optional)
        case ast.Call(func=func, args=[ast.Constant(value=str(module)), *_], lineno=line):
            name = _last_part(func)
            if name in (*_LOADERS, "importorskip") and _absolute(module):
                yield ImportStatement(module, line, optional or name == "importorskip")
        case _:
            pass


def _absolute(module: str) -> bool:
    """Return whether the text is an absolute module name."""
    return all(part.isidentifier() for part in module.split("."))
