"""Find the statements of tests that fail whatever the candidate does.

A value comes from the candidate if it is bound, read or passed on in one statement with
another that does. Names count for the whole of the tests, wherever they are bound, so that a
statement is taken for independent only if nothing of that name comes from the candidate.
"""

import ast
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from planish.compiling import without_warnings
from planish.data.source import all_nodes, statement_parts, undefined_names_in

__all__ = ["independent_statements"]

_OPEN = frozenset(
    {"__import__", "eval", "exec", "gc", "getattr", "globals", "importlib", "inspect", "locals"}
    | {"runpy", "setattr", "subprocess", "sys", "vars"}
)
"""Names by which a test may reach a candidate without naming it."""

_RECEIVERS = frozenset({"self", "cls"})
_HEADERS = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Try, ast.Match)


@lru_cache(maxsize=64)  # many candidates run against the same tests
def independent_statements(code: str, modules: frozenset[str], *, free: bool) -> frozenset[str]:
    """Return the statements that use nothing of the candidate, as `statement_parts` gives them.

    Statements below a condition that uses something of the candidate are none of them, nor is a
    `raise` in a function that does.

    Args:
        code: The test code; the result is empty if it does not parse.
        modules: The modules that are the candidate's.
        free: Whether names that the tests do not bind are the candidate's.
    """
    try:
        with without_warnings():
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    nodes = all_nodes(tree)
    names = set(_OPEN)
    if free:
        names |= undefined_names_in(nodes)
    for node in nodes:
        names |= _imported(node, modules)
        if isinstance(node, ast.Constant) and node.value in modules:
            return frozenset()  # a module that is loaded by its name
        if (
            isinstance(node, ast.ImportFrom)
            and node.names[0].name == "*"
            and _imported(node, modules)
        ):
            return frozenset()
    _spread(nodes, names)
    guarded = {inner for node in nodes for inner in _guarded(node, names)}
    guarded |= {inner for node in nodes for inner in _raises_of_users(node, names)}
    independent: set[str] = set()
    others: set[str] = set()
    for _, node, source in statement_parts(nodes):
        loaded = _loaded(_without_body(node)) | _imported(node, modules)
        uses = not loaded.isdisjoint(names)
        (others if uses or node in guarded else independent).add(source)
    return frozenset(independent - others)


def _is_of(module: str | None, modules: Collection[str]) -> bool:
    return module is not None and any(
        module == one or module.startswith(f"{one}.") for one in modules
    )


def _imported(node: ast.AST, modules: Collection[str]) -> set[str]:
    """Return the names that an import binds to something of the candidate."""
    if isinstance(node, ast.Import):
        aliases = [alias for alias in node.names if _is_of(alias.name, modules)]
    elif isinstance(node, ast.ImportFrom) and (node.level or _is_of(node.module, modules)):
        aliases = node.names
    else:
        return set()
    return {alias.asname or alias.name.partition(".")[0] for alias in aliases}


def _spread(nodes: Sequence[ast.AST], names: set[str]) -> None:
    """Add to names all that values of the candidate reach, until there are no more."""
    modules = {
        alias.asname or alias.name.partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    statements = [_without_body(node) for _, node, _ in statement_parts(nodes)]
    before = -1
    while before != len(names):
        before = len(names)
        passed: set[str] = set()
        for parts in statements:
            used = _named(parts)
            if not used.isdisjoint(names):
                names |= used - modules
                passed |= used
        for function in functions:
            if not _named(function.body).isdisjoint(names):
                names.add(function.name)
            if function.name in passed or not _named(function.decorator_list).isdisjoint(names):
                names |= set(_parameters(function))


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    arguments = function.args
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if one.arg not in _RECEIVERS:
            yield one.arg


def _without_body(node: ast.stmt) -> Sequence[ast.AST]:
    """Return the parts of a statement, without the statements in it."""
    if not isinstance(node, _HEADERS):
        return [node]
    return [
        child
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
    ]


def _named(parts: Sequence[ast.AST]) -> set[str]:
    """Return the names that parts of the tests read or bind, and the attributes of `self`."""
    found: set[str] = set()
    for node in (inner for one in parts for inner in all_nodes(one)):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in _RECEIVERS:
                found.add(name)
            case ast.Name(id=name) if name not in _RECEIVERS:
                found.add(name)
            case ast.arg(arg=name) if name not in _RECEIVERS:
                found.add(name)
            case _:
                pass
    return found - _BUILTINS


def _loaded(parts: Sequence[ast.AST]) -> set[str]:
    """Return the names that parts of the tests read."""
    found: set[str] = set()
    for node in (inner for one in parts for inner in all_nodes(one)):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name, ctx=ast.Load()):
                found |= {name} if owner in _RECEIVERS else {owner}
            case ast.Name(id=name, ctx=ast.Load()):
                found.add(name)
            case _:
                pass
    return found


def _guarded(node: ast.AST, names: Collection[str]) -> Iterator[ast.AST]:
    """Yield what runs or not, or how often, depending on values of the candidate."""
    if isinstance(node, ast.Try):
        used = _named(node.body)
        inner = [*node.handlers, *node.orelse, *node.finalbody]
    elif isinstance(node, _HEADERS):
        used = _named(_without_body(node))
        inner = [*ast.iter_child_nodes(node)]
    else:
        return
    if not used.isdisjoint(names):
        for one in inner:
            yield from all_nodes(one)


def _raises_of_users(node: ast.AST, names: Collection[str]) -> Iterator[ast.AST]:
    """Yield the `raise` statements of a function that uses values of the candidate.

    It may return before them, depending on such a value.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in names:
        yield from (inner for inner in all_nodes(node) if isinstance(inner, ast.Raise))


_BUILTINS = frozenset(
    {"abs", "all", "any", "bool", "dict", "enumerate", "float", "frozenset", "int", "isinstance"}
    | {"len", "list", "map", "max", "min", "open", "print", "range", "repr", "reversed", "round"}
    | {"set", "sorted", "str", "sum", "tuple", "type", "zip", "Exception", "ValueError"}
)
