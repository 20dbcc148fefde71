"""Find what test code uses: the names it calls or reads, and what it reaches through functions."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from planish.data.source import all_nodes

__all__ = ["Function", "Uses", "idle_names", "reachable"]

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Uses:
    """What code uses, found in one walk.

    Args:
        node: The code.
        idle: The ids of the names in it that are not used.

    Attributes:
        called: The names that it calls, also as attributes.
        used: The names that it calls or reads.
        asserts: The lines of its assert statements.
        asserting: True if it asserts or raises.

    A class that it only sets something in is not used.
    """

    def __init__(self, node: ast.AST, idle: set[int]) -> None:
        self.called: set[str] = set()
        self.used: set[str] = set()
        self.asserts: list[int] = []
        self.asserting: bool = False
        changed = set(idle)
        for inner in all_nodes(node):
            match inner:
                case ast.Name(id=name, ctx=ast.Load()):
                    if id(inner) not in changed:  # a node comes after the one that has it
                        self.used.add(name)
                case ast.Attribute(value=owner, ctx=ast.Store()):
                    changed.add(id(owner))
                case ast.Call(func=ast.Name(id="setattr"), args=[owner, *_]):
                    self.called.add("setattr")
                    changed.add(id(owner))
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                    self.called.add(name)
                case ast.Assert(lineno=line):
                    self.asserts.append(line)
                case ast.Raise():
                    self.asserting = True
                case _:
                    pass
        self.used |= self.called
        self.asserting = self.asserting or bool(self.asserts)


def reachable(name: str, functions: Mapping[str, Uses]) -> list[Uses]:
    """Return what the named function and all functions that it uses, also indirectly, use."""
    reachable: dict[str, Uses] = {}
    pending = [name]
    while pending:
        name = pending.pop()
        if name in functions and name not in reachable:
            reachable[name] = functions[name]
            pending += functions[name].used
    return list(reachable.values())


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
