"""Static analysis of test code: what it checks, compares, skips and looks at."""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from planish.compiling import without_warnings
from planish.data.tests import Assertions, Cases, PytestFile, StdioPairs, Tests
from planish.data.tests.checks import Check, find_checks
from planish.guest.protocol import VALUE, bounded

__all__ = [
    "Mark",
    "assert_at",
    "asserts_of",
    "author_marks",
    "checks_of",
    "compares",
    "pytest_tests",
    "sides",
    "tree_of",
    "why_together",
]
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
_TURNED = {"Lt": "> ", "LtE": ">= ", "Gt": "< ", "GtE": "<= ", "In": "with ", "NotIn": "without "}
# Calls of these make no difference: they are on both sides of many a comparison.
_PLAIN = frozenset(
    {"abs", "bool", "bytes", "dict", "float", "frozenset", "int", "len", "list", "max", "min"}
    | {"repr", "round", "set", "sorted", "str", "sum", "tuple"}
)


@lru_cache(maxsize=64)
def tree_of(code: str) -> ast.Module:
    """The tree of test code; many candidates are judged by the same."""
    with without_warnings():
        return ast.parse(code)


@lru_cache(maxsize=64)
def checks_of(code: str) -> tuple[Check, ...]:
    """The checks of test code."""
    return find_checks(tree_of(code))


# What tests look at with these lives in one process: log records, warnings, descriptors, the
# signatures of classes, objects whose equality is that of their class.
_LOGS = ("assertLogs", "assertNoLogs", "caplog")
_WARNINGS = ("assertWarns", "assertWarnsRegex", "catch_warnings", "deprecated_call", "recwarn")
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(_LOGS, "log records"),
    **dict.fromkeys((*_WARNINGS, "warns"), "warnings"),
    **dict.fromkeys(("capfd", "capfdbinary"), "what is written to descriptors"),
    **dict.fromkeys(("create_autospec", "autospec"), "signatures of the code's classes"),
    "SimpleNamespace": "objects of a library's own class",
}


def why_together(tests: Tests | None) -> str:
    """Say why tests have to run in the candidate's process; "" where they do not.

    Only the tests decide: a candidate cannot choose to be judged in its own process.

    Args:
        tests: The tests of a task.
    """
    match tests:
        case Assertions():
            return _why_together(tests.code)
        case PytestFile():
            sources = [tests.source]
            sources += [text for path, text in tests.files.items() if path.endswith(".py")]
            reasons = [_why_together(source) for source in sources]
            return next((reason for reason in reasons if reason), "")
        case _:
            return ""


@lru_cache(maxsize=64)
def _why_together(code: str) -> str:
    for node in ast.walk(tree_of(code)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                pass
            case ast.keyword(arg=str(name)) | ast.alias(name=name):
                pass
            case _:
                continue
        if name in _REASONS:
            return (
                f"the tests look at {_REASONS[name]} with {name!r}, which is possible in the "
                "candidate's own process only: they ran there"
            )
    return ""


_COMPARING = ("assert", "raises", "fail", "check", "expect", "verify", "warns", "approx")


def compares(tests: Tests | None) -> bool:
    """Tell whether anything in the tests compares: an assert, or a call named like one."""
    match tests:
        case Assertions():
            return _compares(tree_of(tests.code))
        case PytestFile():
            return _compares(tree_of(tests.source))
        case Cases() | StdioPairs():
            return True
        case _:
            return False


def _compares(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if any(word in name.lower() for word in _COMPARING):
                return True
    return False


@lru_cache(maxsize=64)
def asserts_of(code: str) -> Mapping[int, ast.stmt]:
    """For each line of test code, the assert statement or call that it is part of."""
    found: dict[int, ast.stmt] = {}
    for node in ast.walk(tree_of(code)):
        if isinstance(node, ast.Assert | ast.Expr):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = node
    return found


def assert_at(code: str, line: int | None) -> ast.Assert | None:
    """The assert statement that a line of test code is part of."""
    node = asserts_of(code).get(line or 0)
    return node if isinstance(node, ast.Assert) else None


def pytest_tests(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The tests that can be seen in the source."""
    seen: set[str] = set()
    for node in tree.body:
        for name, line in _pytest_tests(node):
            if name not in seen:
                seen.add(name)
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


Mark = Literal["skip", "xfail"]
_MARKS: dict[str, Mark] = {"skip": "skip", "xfail": "xfail", "expectedFailure": "xfail"}
_CONDITIONAL = ("skipif", "skipIf", "skipUnless")
_KNOWN = ("sys", "os", "platform", "None", "True", "False", "bool", "not", "tuple", "int", "str")


@lru_cache(maxsize=64)
def author_marks(code: str) -> Mapping[str, Mark]:
    """Give the tests that a decorator skips or expects to fail: "test_x", "Class.test_y".

    A condition of a skip counts only where it speaks of nothing but `sys`, `os` and `platform`:
    those of the process that judges, which the candidate cannot change.

    Args:
        code: Test code that parses.
    """
    tree = tree_of(code)
    return dict(_marked(tree.body, "", _module_mark(tree.body)))


def _marked(body: list[ast.stmt], owner: str, around: Mark | None) -> Iterator[tuple[str, Mark]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            mark = around or _first(node.decorator_list)
            if mark is not None:
                yield f"{owner}{node.name}", mark
        elif isinstance(node, ast.ClassDef):
            mark = around or _first(node.decorator_list)
            yield from _marked(node.body, f"{node.name}.", mark)


def _module_mark(body: list[ast.stmt]) -> Mark | None:
    """The mark of `pytestmark = pytest.mark.skip(...)`, alone or in a list."""
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                return _first(value.elts if isinstance(value, ast.List | ast.Tuple) else [value])
            case _:
                continue
    return None


def _first(marks: list[ast.expr]) -> Mark | None:
    for one in marks:
        mark = _mark(one)
        if mark is not None:
            return mark
    return None


def _mark(decorator: ast.expr) -> Mark | None:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    conditions = decorator.args[:1] if isinstance(decorator, ast.Call) else []
    if name in _CONDITIONAL:
        return "skip" if conditions and _decided(conditions[0]) else None
    mark = _MARKS.get(name)
    return None if mark == "xfail" and conditions else mark


def _decided(condition: ast.expr) -> bool:
    names = (node.id for node in ast.walk(condition) if isinstance(node, ast.Name))
    return all(name in _KNOWN for name in names)


def sides(code: str, values: Mapping[str, Any] | None) -> tuple[str | None, str | None]:
    """What a comparison expected and what it got, as source text.

    The side that calls something is what it got, a literal is what it expected; where that
    does not decide, the left side is what it got.
    """
    if values is None:
        return None, None
    operator, left = values["operator"], bounded(values["left"], VALUE)
    if "right" not in values:
        wanted = {"": ("False", "True"), "Not": ("True", "False")}[operator]
        return (wanted[1] if left == wanted[0] else None), left
    right = bounded(values["right"], VALUE)
    if _turned(asserts_of(code).get(values["line"] or 0)):
        return _TURNED.get(operator, _SYMBOLS.get(operator, "")) + left, right
    return _SYMBOLS.get(operator, "") + right, left


def _turned(node: ast.stmt | None) -> bool:
    match node:
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            pass
        case ast.Expr(value=ast.Call(args=[left, right, *_])):
            pass
        case _:
            return False
    if _calls(left) != _calls(right):
        return _calls(right)
    return isinstance(left, ast.Constant) and not isinstance(right, ast.Constant)


def _calls(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Call)
        and not (isinstance(inner.func, ast.Name) and inner.func.id in _PLAIN)
        for inner in ast.walk(node)
    )
