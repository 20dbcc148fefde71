"""Which modules a source imports: read from its tree, nothing is run."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from planish.compiling import without_warnings

from ._known_modules import NAMESPACES

__all__ = ["Found", "imports_in"]

# More than people write in one file. Above it parsing takes seconds, and all of it memory.
_LARGEST = 1_000_000

_CATCH = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")
_LOADERS = ("import_module", "__import__")

_Node = tuple[ast.AST, bool]


@dataclass(frozen=True, slots=True)
class Found:
    """One import as it stands in a source.

    Attributes:
        module: The absolute module; with the name imported from it, where many distributions
            share its first part.
        line: Where, from 1.
        optional: The source does without it: it catches that it is missing.
    """

    module: str
    line: int
    optional: bool


@lru_cache(maxsize=256)
def imports_in(source: bytes) -> tuple[Found, ...]:
    """The imports of one file, in the order in which they stand, also those in functions.

    Relative imports and those only for type checkers are left out. A source that is not
    Python, or longer than a million bytes, has none: the sandbox will say what is wrong.
    """
    tree = _parsed(source)
    if tree is None:
        return ()
    found = [one for node, optional in _nodes(tree) for one in _imports(node, optional=optional)]
    return tuple(sorted(found, key=lambda one: one.line))


def _parsed(source: bytes) -> ast.Module | None:
    if len(source) > _LARGEST:
        return None
    try:
        with without_warnings():
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _nodes(tree: ast.Module) -> Iterator[_Node]:
    """Every node that can run, and whether a missing module is caught around it."""
    left: list[_Node] = [(tree, False)]
    while left:
        node, optional = left.pop()
        yield node, optional
        match node:
            case ast.Try() | ast.TryStar():
                caught = optional or any(_catches(handler.type) for handler in node.handlers)
                left += [(inner, caught) for inner in (*node.body, *node.handlers)]
                left += [(inner, optional) for inner in (*node.orelse, *node.finalbody)]
            case ast.With() if any(_suppresses(item.context_expr) for item in node.items):
                left += [(inner, True) for inner in node.body]
            case ast.If() if _last(node.test) == "TYPE_CHECKING":
                left += [(inner, optional) for inner in node.orelse]
            case _:
                left += [(inner, optional) for inner in ast.iter_child_nodes(node)]


def _catches(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(_catches(one) for one in kind.elts)
    return kind is None or _last(kind) in _CATCH


def _suppresses(called: ast.expr) -> bool:
    if not isinstance(called, ast.Call) or _last(called.func) != "suppress":
        return False
    return any(_catches(one) for one in called.args)


def _last(node: ast.expr) -> str:
    """The name, or the last part of a dotted one."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _imports(node: ast.AST, *, optional: bool) -> Iterator[Found]:
    match node:
        case ast.Import(names=names, lineno=line):
            for alias in names:
                yield Found(alias.name, line, optional)
        case ast.ImportFrom(module=str(module), level=0, names=names, lineno=line):
            if module.partition(".")[0] in NAMESPACES:
                for alias in names:
                    yield Found(f"{module}.{alias.name}", line, optional)
            else:
                yield Found(module, line, optional)
        case ast.Call(func=func, args=[ast.Constant(value=str(module)), *_], lineno=line):
            name = _last(func)
            if name in (*_LOADERS, "importorskip") and _absolute(module):
                yield Found(module, line, optional or name == "importorskip")
        case _:
            pass


def _absolute(module: str) -> bool:
    """It is the name of a module; anything may stand in a string."""
    return all(part.isidentifier() for part in module.split("."))
