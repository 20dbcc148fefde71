"""The names that tests use and a candidate does not define."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from planish.compiling import without_warnings
from planish.data.execution import Execution
from planish.data.tests import Assertions, PytestFile

__all__ = ["MissingNames", "missing_name"]

_NAMES = 10  # in one message
_MISSING_NAME = re.compile(
    r"name '(\w+)' is not defined|cannot import name '(\w+)'|module '\w+' has no attribute '(\w+)'"
)
_MISSING_ENTRY = re.compile(r"the code does not define '([\w.()]+)'")


class MissingNames:
    """The names that tests use and the candidate does not define.

    Its code is parsed when that is first asked for: most failures are of other kinds.

    Args:
        execution: The run.
    """

    def __init__(self, execution: Execution) -> None:
        self.task = execution.candidate.task
        self._code = execution.candidate.code

    @cached_property
    def defined(self) -> Sequence[str]:
        """The functions and classes that the candidate defines, in order."""
        return tuple(_definitions(self._code))

    def is_of_tests(self, name: str) -> bool:
        """Return whether the tests, not the code, are to define a name."""
        tests, required = self.task.tests, self.task.required_name
        known = isinstance(tests, Assertions) and self.task.entry_point is not None
        return known and name != required and required in self.defined

    def _is_used(self, name: str) -> bool:
        """Return whether the tests mention a name."""
        match self.task.tests:
            case Assertions(code=source) | PytestFile(source=source):
                return re.search(rf"\b{re.escape(name)}\b", source) is not None
            case _:
                return False

    def explain(self, name: str) -> tuple[str, str]:
        """Return what is wrong with a missing name, and what to do about it."""
        if not self.defined:
            return f"the tests call `{name}`; your code defines no function or class", (
                f"define `{name}` at the top level"
            )
        names = ", ".join(f"`{one}`" for one in self.defined[:_NAMES])
        alone = len(self.defined) == 1 and not self._is_used(self.defined[0])
        fix = f"rename `{self.defined[0]}` to `{name}`" if alone else f"define `{name}`"
        return f"your code defines {names}; the tests call `{name}`", fix


def _definitions(code: str) -> Iterator[str]:
    """Yield the functions and classes that code defines at its top level."""
    try:
        with without_warnings():
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def missing_name(missing: MissingNames, message: str) -> str | None:
    """Return the name that a message says is missing, if the candidate does not define it."""
    found = _MISSING_NAME.search(message[:500])
    name = next((group for group in found.groups() if group), None) if found else None
    entry = _MISSING_ENTRY.search(message[:500])
    if name is None and entry is not None:
        name = entry[1]
    return name if name is not None and name not in missing.defined else None
