"""Recognise failures that are the tests' own: they would fail whatever the candidate does."""

import re

from planish.data.execution import Execution
from planish.data.tests import Assertions, PytestFile, Tests
from planish.feedback._independent import independent_statements
from planish.feedback._raised import Raised

__all__ = ["is_fault_of_tests", "missing_plugin"]

_FRAME = re.compile(r'^[ |]*File "([^"\n]*)", line ', re.MULTILINE)
_NO_ATTRIBUTE = re.compile(r"^'(\w+)' object has no attribute ")
_NO_NAME = re.compile(r"^name '(\w+)' is not defined")
_NO_PLUGIN = "ERROR: Error importing plugin "
_OF_PYTEST = frozenset({"CollectError", "Failed", "FixtureLookupError", "UsageError"})


def is_fault_of_tests(raised: Raised) -> bool:
    """Return whether an exception shows that the tests are broken.

    They raised it in a statement that uses nothing of the candidate, or they lack a name or an
    attribute that only they can have; or pytest could not prepare them.
    """
    execution, tests = raised.execution, raised.execution.candidate.task.tests
    if not isinstance(tests, Assertions | PytestFile):
        return False
    if raised.place is None:
        return isinstance(tests, PytestFile) and _is_of_files(raised, tests)
    if raised.place != "tests":
        return False
    if raised.statement and raised.statement in _independent(execution, tests):
        return True
    source = _source(tests)
    owner = _NO_ATTRIBUTE.match(raised.message)
    if owner is not None and raised.exception == "AttributeError":
        own = rf"^\s*class {owner[1]}\b"
        return _has_line(own, source) and not _has_line(own, execution.candidate.code)
    name = _NO_NAME.match(raised.message)
    return name is not None and isinstance(tests, PytestFile) and " import *" not in source


def missing_plugin(execution: Execution) -> str:
    """Return what pytest says of a plugin that the tests need and that is not there; else ""."""
    tests = execution.candidate.task.tests
    unrun = all(test.status == "not_run" for test in execution.tests)
    if not isinstance(tests, PytestFile) or not tests.plugins or not unrun:
        return ""
    line = execution.stderr.lstrip().partition("\n")[0]
    return line.removeprefix("ERROR: ") if line.startswith(_NO_PLUGIN) else ""


def _source(tests: Assertions | PytestFile) -> str:
    return tests.code if isinstance(tests, Assertions) else tests.source


def _has_line(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.MULTILINE) is not None


def _independent(execution: Execution, tests: Assertions | PytestFile) -> frozenset[str]:
    """Return the statements of the tests that use nothing of the candidate."""
    if isinstance(tests, PytestFile) and _uses_candidate(execution, tests):
        return frozenset()
    return independent_statements(
        _source(tests), _modules(execution), free=isinstance(tests, Assertions)
    )


def _modules(execution: Execution) -> frozenset[str]:
    """Return the modules that are the candidate's."""
    tests: Tests | None = execution.candidate.task.tests
    own = tests.module if isinstance(tests, PytestFile) else "solution"
    files = (path for path in execution.candidate.files if path.endswith(".py"))
    stems = {path.removesuffix(".py").replace("/", ".") for path in files}
    return frozenset({own, *stems, *(stem.partition(".")[0] for stem in stems)})


def _uses_candidate(execution: Execution, tests: PytestFile) -> bool:
    """Return whether other files of the tests use the candidate's modules."""
    words = "|".join(map(re.escape, _modules(execution)))
    return any(re.search(rf"\b(?:{words})\b", text) for text in tests.files.values())


def _is_of_files(raised: Raised, tests: PytestFile) -> bool:
    """Return whether pytest, or a further file of the tests, raised an exception."""
    if raised.exception in _OF_PYTEST:
        return True
    files = _FRAME.findall(raised.traceback)
    frames = {file.rpartition("/")[2] for file in files if not file.startswith("<")}
    own = {tests.filename, *(path.rpartition("/")[2] for path in tests.files)}
    return bool(frames) and frames <= own and not _uses_candidate(raised.execution, tests)
