"""Static analysis of test code: its checks, comparisons, skips, and use of process state."""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from planish.compiling import without_warnings
from planish.data.source import all_nodes
from planish.data.tests import Assertions, Cases, PytestFile, StdioPairs, Tests
from planish.data.tests.functions import names_left_out
from planish.guest.protocol import HOST_NAMES, VALUE, bounded, is_of_host

__all__ = [
    "MARKS",
    "Mark",
    "assert_at",
    "author_marks",
    "compares",
    "comparison_values",
    "marks_parameters",
    "nodes_of",
    "pytest_tests",
    "statements_by_line",
    "tree_of",
]

Mark = Literal["skip", "xfail"]
_SYMBOLS = {
    "NotEq": "!= ",
    "Lt": "< ",
    "LtE": "<= ",
    "Gt": "> ",
    "GtE": ">= ",
    "IsNot": "is not ",
    "In": "in ",
    "NotIn": "not in ",
}
_REVERSED = {"Lt": "> ", "LtE": ">= ", "Gt": "< ", "GtE": "<= ", "In": "with ", "NotIn": "without "}
# Calls of these do not count as calls of the code: many comparisons have them on both sides.
_CONVERSIONS = frozenset(
    {"abs", "bool", "bytes", "dict", "float", "frozenset", "int", "len", "list", "max", "min"}
    | {"repr", "round", "set", "sorted", "str", "sum", "tuple"}
)
_COMPARING = ("assert", "raises", "fail", "check", "expect", "verify", "warns", "approx")
MARKS: dict[str, Mark] = {"skip": "skip", "xfail": "xfail", "expectedFailure": "xfail"}
_CONDITIONAL = ("skipif", "skipIf", "skipUnless")


@lru_cache(maxsize=64)
def tree_of(code: str) -> ast.Module:
    """Parse test code; cached, because many candidates run against the same tests."""
    with without_warnings():
        return ast.parse(code)


@lru_cache(maxsize=64)
def nodes_of(code: str) -> tuple[ast.AST, ...]:
    """Return all nodes of test code; cached."""
    return tuple(all_nodes(tree_of(code)))


def compares(tests: Tests | None) -> bool:
    """Return whether tests compare anything: by `assert`, `raise`, or a call named like one."""
    match tests:
        case Assertions():
            return _compares(tests.code)
        case PytestFile():
            return _compares(tests.source)
        case Cases() | StdioPairs():
            return True
        case None:
            return False


@lru_cache(maxsize=64)
def _compares(code: str) -> bool:
    for node in nodes_of(code):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if any(word in name.lower() for word in _COMPARING):
                return True
    return False


@lru_cache(maxsize=64)
def statements_by_line(code: str) -> Mapping[int, ast.stmt]:
    """Map each line of test code to the assert or expression statement that includes it."""
    found: dict[int, ast.stmt] = {}
    for node in nodes_of(code):
        if isinstance(node, ast.Assert | ast.Expr):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = node
    return found


def assert_at(code: str, line: int | None) -> ast.Assert | None:
    """Return the assert statement that includes a line of test code; None if there is none."""
    node = statements_by_line(code).get(line or 0)
    return node if isinstance(node, ast.Assert) else None


def pytest_tests(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the id and line of each test function that pytest would collect by default names.

    Not those for which `__test__ = False` says that they are none.
    """
    names: set[str] = set(names_left_out(tree.body))
    for node in tree.body:
        for name, line in _pytest_tests(node):
            if name not in names and name.partition("::")[0] not in names:
                names.add(name)
                yield name, line


def _pytest_tests(node: ast.stmt) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if node.name.startswith("test"):
            yield node.name, node.lineno
    elif isinstance(node, ast.ClassDef):
        bases = [ast.unparse(base) for base in node.bases]
        if node.name.startswith("Test") or any(base.endswith("TestCase") for base in bases):
            for inner in node.body:
                for name, line in _pytest_tests(inner):
                    yield f"{node.name}::{name}", line


@lru_cache(maxsize=64)
def author_marks(code: str) -> Mapping[str, Mark]:
    """Return the tests that their author skips or expects to fail: "test_x", "Class.test_y".

    A conditional mark counts only if its condition uses nothing but `sys`, `os` and `platform`,
    and no fact of them that the candidate can change. The verifier evaluates it in its own process.

    Args:
        code: Test code that parses.
    """
    if _replaces_host(code):
        return {}
    tree = tree_of(code)
    marks = _collect_marks(tree.body, _module_mark(tree.body))
    blocks = (node for node in tree.body if not isinstance(node, _DEFINITIONS))
    again = {getattr(inner, "name", "") for node in blocks for inner in all_nodes(node)}
    return {
        name: mark
        for name, mark in marks.items()
        if mark is not None and name.partition(".")[0] not in again
    }


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _replaces_host(code: str) -> bool:
    """Return whether test code gives a name such as `sys` to something else than the module."""
    for node in nodes_of(code):
        match node:
            case ast.Import(names):
                bound = [alias.asname for alias in names if alias.asname != alias.name]
            case ast.ImportFrom(names=names):
                bound = [alias.asname or alias.name for alias in names]
            case ast.Name(name, ast.Store()) | ast.arg(name):
                bound = [name]
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                bound = [name]
            case _:
                continue
        if not HOST_NAMES.isdisjoint(bound):
            return True
    return False


@lru_cache(maxsize=64)
def marks_parameters(code: str) -> bool:
    """Return whether the author of tests marks parameters: `pytest.param(..., marks=...)`.

    False if one of these marks depends on anything but `sys`, `os` and `platform`.

    Args:
        code: Test code that parses.
    """
    values = [
        node.value
        for node in nodes_of(code)
        if isinstance(node, ast.keyword) and node.arg == "marks"
    ]
    return bool(values) and all(_marks_in(value) for value in values)


def _marks_in(value: ast.expr) -> bool:
    marks = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    return all(_mark(mark) is not None for mark in marks)


def _collect_marks(body: list[ast.stmt], outer: Mark | None) -> dict[str, Mark | None]:
    """Return the marks of functions and of methods, also of those that a class inherits."""
    found: dict[str, Mark | None] = {}
    classes: dict[str, tuple[Mark | None, dict[str, Mark | None]]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = outer or _first_mark(node.decorator_list)
        elif isinstance(node, ast.ClassDef):
            names = [ast.unparse(base) for base in node.bases]
            bases = [classes[name] for name in names if name in classes]
            mark = outer or _first_mark(node.decorator_list)
            for inherited_mark, _ in bases:
                mark = mark or inherited_mark
            methods: dict[str, Mark | None] = {}
            for _, inherited in reversed(bases):
                methods.update((name, mark or own) for name, own in inherited.items())
            methods.update(_collect_marks(node.body, mark))
            classes[node.name] = mark, methods
            found.update((f"{node.name}.{name}", one) for name, one in methods.items())
    return found


def _module_mark(body: list[ast.stmt]) -> Mark | None:
    """Return the mark that `pytestmark` sets for the module, alone or in a list."""
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                return _first_mark(
                    value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
                )
            case _:
                continue
    return None


def _first_mark(marks: list[ast.expr]) -> Mark | None:
    for one in marks:
        mark = _mark(one)
        if mark is not None:
            return mark
    return None


def _mark(decorator: ast.expr) -> Mark | None:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    conditions: list[ast.expr] = []
    if isinstance(decorator, ast.Call):
        named = [one.value for one in decorator.keywords if one.arg == "condition"]
        conditions = [*decorator.args[:1], *named]
    on_host = all(is_of_host(condition) for condition in conditions)
    if name in _CONDITIONAL:
        return "skip" if conditions and on_host else None
    mark = MARKS.get(name)
    return None if mark == "xfail" and not on_host else mark


def comparison_values(code: str, values: Mapping[str, Any] | None) -> tuple[str | None, str | None]:
    """Return the expected and the actual value of a failed comparison, as source text.

    The side with a call is the actual value, a literal the expected one. If both or neither
    side has a call, the left side is the actual value.

    Args:
        code: The test code.
        values: The record of the comparison; None if it has none.
    """
    if values is None:
        return None, None
    operator, left = values["operator"], bounded(values["left"], VALUE)
    if "right" not in values:
        truth_values = {"": ("False", "True"), "Not": ("True", "False")}[operator]
        return (truth_values[1] if left == truth_values[0] else None), left
    right = bounded(values["right"], VALUE)
    if _is_reversed(statements_by_line(code).get(values["line"])):
        return _REVERSED.get(operator, _SYMBOLS.get(operator, "")) + left, right
    return _SYMBOLS.get(operator, "") + right, left


def _is_reversed(node: ast.stmt | None) -> bool:
    """Return whether the right side of a comparison is the actual value."""
    match node:
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            pass
        case ast.Expr(value=ast.Call(args=[left, right, *_])):
            pass
        case _:
            return False
    if _has_call(left) != _has_call(right):
        return _has_call(right)
    return isinstance(left, ast.Constant) and not isinstance(right, ast.Constant)


def _has_call(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Call)
        and not (isinstance(inner.func, ast.Name) and inner.func.id in _CONVERSIONS)
        for inner in ast.walk(node)
    )
