"""Analysis of Python source without running it: syntax tree, names, titles of statements."""

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, cast

from planish.compiling import without_warnings

__all__ = [
    "all_nodes",
    "bound_names",
    "describe_error",
    "idle_names",
    "names_left_out",
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
    for node in found:  # which grows meanwhile
        for field in node._fields:
            value: Any = getattr(node, field, None)
            if isinstance(value, list):
                found += [item for item in cast("list[object]", value) if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                found.append(value)
    return found


def idle_names(body: Sequence[ast.stmt]) -> set[int]:
    """Return the ids of the names of its own in code by which it runs nothing.

    It looks at what has them: `name is not None`, `callable(name)`, `name.part`. Or it only gives
    it another name, or puts it in a list, and does no more with that.

    Args:
        body: The statements of a module.
    """
    nodes = [inner for node in body for inner in all_nodes(node)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    parts: list[ast.AST] = []
    loads: dict[str, set[int]] = {}
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                loads.setdefault(name, set()).add(id(node))
            case ast.Compare(left, ops, others) if all(isinstance(o, _IDENTITY) for o in ops):
                parts += [left, *others]
            case ast.Call(ast.Name(name), args) if name in _LOOKING:
                parts += args
            case ast.Assert(part) | ast.If(part) | ast.UnaryOp(ast.Not(), part):
                parts.append(part)
            case ast.BoolOp(values=values):
                parts += values
            case ast.Assign([ast.Attribute(ast.Name(owner))], value):  # a part of it is replaced
                found = [inner for inner in ast.walk(value) if isinstance(inner, ast.Attribute)]
                parts += [one.value for one in found if ast.unparse(one.value) == owner]
            case ast.Attribute(part, attr) if attr[:4] != "test" and id(node) not in called:
                parts.append(part)
            case _:
                pass
    aliases = [found for node in body for found in _aliases(node)]
    own = {getattr(node, "name", "") for node in body} | {alias for alias, _ in aliases}
    idle = {id(part) for part in parts if isinstance(part, ast.Name) and part.id in own}
    while more := [one for alias, one in aliases if loads.get(alias, set()) <= idle]:
        aliases = [found for found in aliases if found[1] not in more]
        idle |= {id(one) for one in more}
    return idle


_IDENTITY = (ast.Is, ast.IsNot)
_LOOKING = frozenset(
    {"bool", "callable", "dir", "hasattr", "id", "isinstance", "issubclass", "len", "print"}
    | {"repr", "str", "type"}
)


def _aliases(node: ast.stmt) -> Iterator[tuple[str, ast.Name]]:
    """Yield the name that an assignment gives to something, and the name that this has."""
    match node:
        case ast.Assign([ast.Name(alias)], value) | ast.AnnAssign(ast.Name(alias), _, value):
            values = (
                value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [value])
            )
            yield from ((alias, one) for one in values if isinstance(one, ast.Name))
        case _:
            pass


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


def names_left_out(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names of classes and functions whose `__test__` the code sets to False."""
    values: dict[str, bool] = {}
    for node in body:
        match node:
            case ast.ClassDef(name=name, bases=bases, body=inner):
                named = [ast.unparse(base) for base in bases]
                values[name] = all(values.get(base, True) for base in named)
                for one in inner:
                    match one:
                        case ast.Assign([ast.Name("__test__")], ast.Constant(bool(value))):
                            values[name] = value
                        case _:
                            pass
            case ast.Assign([ast.Attribute(ast.Name(name), "__test__")], ast.Constant(bool(value))):
                values[name] = value
            case _:
                pass
    yield from (name for name, value in values.items() if not value)
