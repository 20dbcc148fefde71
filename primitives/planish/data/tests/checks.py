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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from planish.data.source import all_nodes, idle_names, statement_title
from planish.errors import TaskError

__all__ = ["Check", "find_checks", "is_main_block", "names_in_use", "statements"]

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
_FIXTURES = frozenset(
    {
        *("capfd", "caplog", "capsys", "monkeypatch", "recwarn", "request"),
        *("tmp_path", "tmp_path_factory", "tmpdir"),
    }
)
"""Parameters that pytest alone gives a value."""

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


class _Uses:
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
        self.asserting = False
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


def find_checks(tree: ast.Module) -> tuple[Check, ...]:
    """Return the checks of test code, in the order in which they run.

    Raises:
        TaskError: a test is defined in a way that only pytest runs.
    """
    body = statements(tree)
    _require_reached(tree, body)
    found, used = _statements(body)
    unused = (check for check in _test_functions(body) if check.name.split(".")[0] not in used)
    return (*found, *unused)


def names_in_use(tree: ast.Module) -> frozenset[str] | None:
    """Return the names that the statements of test code use: what has them is no test by itself.

    None if the code runs its classes itself.
    """
    found, used = _statements(statements(tree))
    return None if found and used & _RUNNERS else frozenset(used)


def _statements(body: list[ast.stmt]) -> tuple[list[Check], set[str]]:
    """Return the checks that are statements, and what these and all others use, if there are any.

    Where the code runs its classes itself, it uses all of them.
    """
    idle = idle_names(body)
    functions = {node.name: _Uses(node, idle) for node in body if isinstance(node, _Function)}
    asserting = _asserting_functions(functions)
    found: list[Check] = []
    used: set[str] = set()
    for index, node in enumerate(body):
        if isinstance(node, _Function | ast.ClassDef):
            continue
        uses = _Uses(node, idle)
        used |= uses.used
        if isinstance(node, _SETUP):
            continue
        if uses.asserting or uses.used & asserting or _calls_assertion(uses, functions):
            reached = [function for name in uses.used for function in _reachable(name, functions)]
            lines = {line for function in reached for line in function.asserts}
            found.append(Check(statement_title(node), node.lineno, index, tuple(sorted(lines))))
    if not found:
        return [], set()
    for name in used & functions.keys():
        for function in _reachable(name, functions):
            used |= function.used
    if used & _RUNNERS:  # the code runs its classes itself
        used |= {node.name for node in body if isinstance(node, ast.ClassDef)}
    return found, used


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


def _test_functions(body: list[ast.stmt]) -> Iterator[Check]:
    """Yield a check for each test function and each test method of a unittest class.

    A class has the methods of those classes of the code that it derives from, too.
    """
    cases: set[str] = set()
    methods: dict[str, dict[str, int]] = {}
    deleted = {
        target.id
        for node in body
        if isinstance(node, ast.Delete)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in body:
        if isinstance(node, _Function) and node.name.startswith("test"):
            if not _required_parameters(node):
                yield Check(node.name, node.lineno, None)
        elif isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base) for base in node.bases]
            found = methods[node.name] = _test_methods(node, [methods.get(b, {}) for b in bases])
            if any(base.endswith("TestCase") or base in cases for base in bases):
                cases.add(node.name)
                if node.name in deleted:  # a base of others only
                    continue
                for name, line in found.items():
                    yield Check(f"{node.name}.{name}", line, None)


def _test_methods(node: ast.ClassDef, inherited: list[dict[str, int]]) -> dict[str, int]:
    """Return the test methods that a class has, and their lines.

    Args:
        node: The class.
        inherited: The same of its bases, in order.
    """
    found: dict[str, int] = {}
    for base in reversed(inherited):
        found |= base
    for inner in node.body:
        if isinstance(inner, _Function) and inner.name.startswith("test"):
            found[inner.name] = inner.lineno
        elif isinstance(inner, ast.Assign):  # as `test_a = None`, which leaves one out
            for target in inner.targets:
                found.pop(ast.unparse(target), None)
    return found


def _require_reached(tree: ast.Module, body: list[ast.stmt]) -> None:
    """Refuse tests that only pytest would call, because they would not run.

    A function with parameters may be a helper, if pytest is not used and they are no fixtures.
    """
    used = _Uses(tree, idle_names(body)).used
    for node in body:
        lost = ""
        if isinstance(node, _Function) and node.name.startswith("test"):
            fixtures = "pytest" in used or _FIXTURES.intersection(one.arg for one in node.args.args)
            lost = node.name if fixtures and _required_parameters(node) else ""
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test") and not node.bases:
            lost = node.name if _test_methods(node, []) else ""
        if lost and lost not in used:
            raise TaskError(
                f"line {node.lineno} of the test code: {lost!r} takes fixtures or is no "
                "unittest.TestCase, and nothing uses it, so it would not run: give tests that "
                "are written for pytest as a PytestFile"
            )


def _required_parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function cannot be called without arguments.

    Decorators give some, as `patch` and Hypothesis's `given` do; those of pytest do not.
    """
    if not all(ast.unparse(one).startswith("pytest.") for one in node.decorator_list):
        return False
    parameters = node.args
    positional = len(parameters.posonlyargs) + len(parameters.args)
    return positional > len(parameters.defaults) or None in parameters.kw_defaults


def _asserting_functions(functions: Mapping[str, _Uses]) -> set[str]:
    """Return the names of functions that assert or raise, themselves or by using another one."""
    found = {
        name
        for name, uses in functions.items()
        if uses.asserting or _calls_assertion(uses, functions)
    }
    while more := {name for name in functions if functions[name].used & found} - found:
        found |= more
    return found


def _calls_assertion(uses: _Uses, functions: Mapping[str, _Uses]) -> bool:
    """Return whether code calls something named like an assertion and defined elsewhere."""
    return any(
        word in name.lower()
        for name in uses.called
        if name not in functions
        for word in _ASSERTION_WORDS
    )


def _reachable(name: str, functions: Mapping[str, _Uses]) -> list[_Uses]:
    """Return what the named function and all functions that it uses, also indirectly, use."""
    reachable: dict[str, _Uses] = {}
    pending = [name]
    while pending:
        name = pending.pop()
        if name in functions and name not in reachable:
            reachable[name] = functions[name]
            pending += functions[name].used
    return list(reachable.values())
