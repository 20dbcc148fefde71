"""Which statements of test code check something.

Test code is split into setup (imports, definitions, assignments, seeding) and checks:
statements that assert, themselves or through a function the test code defines, or that
call something named like an assertion. Each check is one expected test: it must have run
and passed before anything counts as passed.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Check", "find_checks"]

_WORDS = ("assert", "check", "test", "verify", "expect")
_SETUP = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Delete,
    ast.Pass,
)


@dataclass(frozen=True, slots=True)
class Check:
    """One expected test.

    Attributes:
        name: What stands in the code, cut to a line.
        line: Its first line in the test code, from 1.
        statement: Its index among the top-level statements; None for a test that has to be
            called: a `test_...` function or a method of a unittest class.
        asserts: Lines of the assert statements it reaches through functions of the test code.
    """

    name: str
    line: int
    statement: int | None
    asserts: tuple[int, ...] = ()


def find_checks(tree: ast.Module) -> tuple[Check, ...]:
    """The checks of test code, in the order in which they run."""
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    asserting = _asserting(functions)
    found = tuple(_statements(tree, functions, asserting))
    return found or tuple(_collected(tree))


def _statements(
    tree: ast.Module, functions: dict[str, ast.FunctionDef], asserting: set[str]
) -> Iterator[Check]:
    for index, node in enumerate(tree.body):
        if isinstance(node, _SETUP):
            continue
        called = _called(node)
        if any(isinstance(n, ast.Assert | ast.Raise) for n in ast.walk(node)) or any(
            name in asserting or (name not in functions and _is_word(name)) for name in called
        ):
            lines = sorted({line for name in called for line in _asserts(name, functions, ())})
            yield Check(_title(node), node.lineno, index, tuple(lines))


def _collected(tree: ast.Module) -> Iterator[Check]:
    """Test functions and unittest classes, for code that only defines its tests."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            if not (node.args.args or node.args.posonlyargs or node.args.kwonlyargs):
                yield Check(node.name, node.lineno, None)
        elif isinstance(node, ast.ClassDef) and any(
            ast.unparse(base).endswith("TestCase") for base in node.bases
        ):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name.startswith("test"):
                    yield Check(f"{node.name}.{method.name}", method.lineno, None)


def _asserting(functions: dict[str, ast.FunctionDef]) -> set[str]:
    """Functions that assert or raise, themselves or through one another."""
    direct = {
        name
        for name, node in functions.items()
        if any(isinstance(n, ast.Assert | ast.Raise) for n in ast.walk(node))
        or any(name not in functions and _is_word(name) for name in _called(node))
    }
    while True:
        more = {n for n, node in functions.items() if _called(node) & direct} - direct
        if not more:
            return direct
        direct |= more


def _asserts(
    name: str, functions: dict[str, ast.FunctionDef], seen: Sequence[str]
) -> Iterator[int]:
    node = functions.get(name)
    if node is None or name in seen:
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assert):
            yield inner.lineno
    for other in _called(node):
        yield from _asserts(other, functions, (*seen, name))


def _called(node: ast.AST) -> set[str]:
    names: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            match inner.func:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    names.add(name)
                case _:
                    pass
    return names


def _is_word(name: str) -> bool:
    return any(word in name.lower() for word in _WORDS)


def _title(node: ast.stmt) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 120 else text[:117] + "..."  # noqa: PLR2004 - one line
