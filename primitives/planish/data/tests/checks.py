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
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from planish.data.source import statement_title
from planish.data.tests.functions import require_own_choice, require_reached, test_functions
from planish.data.tests.uses import Function, Uses, idle_names, reachable

__all__ = ["Check", "Checks", "find_checks", "is_main_block", "statements"]

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


class Checks(NamedTuple):
    """The checks of test code.

    Attributes:
        expected: The checks, in the order in which they run.
        used: The names that the statements use: what has them is no test by itself. None if the
            code runs its classes itself.
    """

    expected: tuple[Check, ...]
    used: frozenset[str] | None


def find_checks(tree: ast.Module) -> Checks:
    """Return the checks of test code.

    Raises:
        TaskError: a test is defined in a way that only pytest runs, or that runs nothing.
    """
    body = statements(tree)
    idle = idle_names(body)
    require_reached(body, Uses(tree, idle).used)
    found, used = _statements(body, idle)
    unused = [one for one in test_functions(body) if one[0].partition(".")[0] not in used]
    names = None if found and used & _RUNNERS else frozenset(used)
    require_own_choice(tree, {name.partition(".")[0] for name, _ in unused}, names)
    return Checks((*found, *(Check(name, line, None) for name, line in unused)), names)


def _statements(body: list[ast.stmt], idle: set[int]) -> tuple[list[Check], set[str]]:
    """Return the checks that are statements, and what these and all others use, if there are any.

    Where the code runs its classes itself, it uses all of them.

    Args:
        body: The statements.
        idle: The ids of the names in them that are not used.
    """
    functions = {node.name: Uses(node, idle) for node in body if isinstance(node, Function)}
    asserting = _asserting_functions(functions)
    found: list[Check] = []
    used: set[str] = set()
    for index, node in enumerate(body):
        if isinstance(node, Function | ast.ClassDef):
            continue
        uses = Uses(node, idle)
        used |= uses.used
        if isinstance(node, _SETUP):
            continue
        if uses.asserting or uses.used & asserting or _calls_assertion(uses, functions):
            reached = [function for name in uses.used for function in reachable(name, functions)]
            lines = {line for function in reached for line in function.asserts}
            found.append(Check(statement_title(node), node.lineno, index, tuple(sorted(lines))))
    if not found:
        return [], set()
    for name in used & functions.keys():
        for function in reachable(name, functions):
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


def _asserting_functions(functions: Mapping[str, Uses]) -> set[str]:
    """Return the names of functions that assert or raise, themselves or by using another one."""
    found = {
        name
        for name, uses in functions.items()
        if uses.asserting or _calls_assertion(uses, functions)
    }
    while more := {name for name in functions if functions[name].used & found} - found:
        found |= more
    return found


def _calls_assertion(uses: Uses, functions: Mapping[str, Uses]) -> bool:
    """Return whether code calls something named like an assertion and defined elsewhere."""
    return any(
        word in name.lower()
        for name in uses.called
        if name not in functions
        for word in _ASSERTION_WORDS
    )
