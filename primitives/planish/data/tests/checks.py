"""Find the checks of test code: the statements and functions that are its expected tests.

Test code consists of setup (imports, definitions, assignments, seeding) and checks. A check is
a statement that asserts, itself or through a function that the test code defines, or that
calls something named like an assertion. Test functions and unittest classes that the code
defines and never uses are checks too: they are called. Each check is one expected test: all of
them must run and pass before the candidate passes.

The body of a top-level `if __name__ == "__main__":` counts as top-level statements: it always
runs.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from planish.data.source import statement_title

__all__ = ["Check", "find_checks", "is_main_block", "statements"]

_ASSERTION_WORDS = ("assert", "check", "test", "verify", "expect")
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
_RUNNERS = {"TestLoader", "TestSuite", "TextTestRunner", "defaultTestLoader", "main", "makeSuite"}

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Check:
    """One expected test of test code.

    Attributes:
        name: Its source, cut to one line.
        line: Its first line in the test code, from 1.
        statement: Its index among the top-level `statements`; None for a test that has to be
            called: a `test_...` function or a method of a unittest class.
        asserts: Lines of the assert statements that it reaches through functions of the test
            code.
    """

    name: str
    line: int
    statement: int | None
    asserts: tuple[int, ...] = ()


def find_checks(tree: ast.Module) -> tuple[Check, ...]:
    """Return the checks of test code, in the order in which they run."""
    body = statements(tree)
    functions = {node.name: node for node in body if isinstance(node, _Function)}
    asserting = _asserting_functions(functions)
    found = tuple(_statement_checks(body, functions, asserting))
    if not found:
        return tuple(_test_functions(body))
    used = _names_used(node for node in body if not isinstance(node, _Function | ast.ClassDef))
    for name in used & functions.keys():
        used |= _names_used(_reachable(name, functions))
    if used & _RUNNERS:  # the code runs its classes itself
        used |= {node.name for node in body if isinstance(node, ast.ClassDef)}
    unused = (check for check in _test_functions(body) if check.name.split(".")[0] not in used)
    return (*found, *unused)


def statements(tree: ast.Module) -> list[ast.stmt]:
    """Return the top-level statements, with `if __name__ == "__main__":` replaced by its body."""
    body: list[ast.stmt] = []
    for node in tree.body:
        body += node.body if isinstance(node, ast.If) and is_main_block(node) else [node]
    return body


def is_main_block(node: ast.If) -> bool:
    """Return whether a statement is `if __name__ == "__main__":` without an `else`."""
    match node:
        case ast.If(
            test=ast.Compare(
                left=ast.Name(id="__name__"),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value="__main__")],
            ),
            orelse=[],
        ):
            return True
        case _:
            return False


def _statement_checks(
    body: list[ast.stmt], functions: dict[str, _Function], asserting: set[str]
) -> Iterator[Check]:
    for index, node in enumerate(body):
        if isinstance(node, _SETUP):
            continue
        used = _names_used([node])
        if _contains_assertion(node) or used & asserting or _calls_assertion(node, functions):
            lines = {line for name in used for line in _assert_lines(name, functions)}
            yield Check(statement_title(node), node.lineno, index, tuple(sorted(lines)))


def _test_functions(body: list[ast.stmt]) -> Iterator[Check]:
    """Yield a check for each test function and each test method of a unittest class."""
    cases: set[str] = set()
    for node in body:
        if isinstance(node, _Function) and node.name.startswith("test"):
            if not (node.args.args or node.args.posonlyargs or node.args.kwonlyargs):
                yield Check(node.name, node.lineno, None)
        elif isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base) for base in node.bases]
            if any(base.endswith("TestCase") or base in cases for base in bases):
                cases.add(node.name)
                for method in node.body:
                    if isinstance(method, _Function) and method.name.startswith("test"):
                        yield Check(f"{node.name}.{method.name}", method.lineno, None)


def _asserting_functions(functions: dict[str, _Function]) -> set[str]:
    """Return the names of functions that assert or raise, themselves or by using another one."""
    found = {
        name
        for name, node in functions.items()
        if _contains_assertion(node) or _calls_assertion(node, functions)
    }
    calls = {name: _names_used([node]) for name, node in functions.items()}
    while more := {name for name in functions if calls[name] & found} - found:
        found |= more
    return found


def _contains_assertion(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Assert | ast.Raise) for inner in ast.walk(node))


def _calls_assertion(node: ast.AST, functions: dict[str, _Function]) -> bool:
    """Return whether code calls something named like an assertion and defined elsewhere."""
    return any(
        word in name.lower()
        for name in _names_called(node)
        if name not in functions
        for word in _ASSERTION_WORDS
    )


def _assert_lines(name: str, functions: dict[str, _Function]) -> Iterator[int]:
    for node in _reachable(name, functions):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Assert):
                yield inner.lineno


def _reachable(name: str, functions: dict[str, _Function]) -> list[_Function]:
    """Return the named function and all functions that it uses, directly or indirectly."""
    reachable: dict[str, _Function] = {}
    pending = [name]
    while pending:
        name = pending.pop()
        if name in functions and name not in reachable:
            reachable[name] = functions[name]
            pending += _names_used([functions[name]])
    return list(reachable.values())


def _names_used(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that code calls or reads."""
    names: set[str] = set()
    for node in nodes:
        names |= _names_called(node)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                names.add(inner.id)
    return names


def _names_called(node: ast.AST) -> set[str]:
    names: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            match inner.func:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    names.add(name)
                case _:
                    pass
    return names
