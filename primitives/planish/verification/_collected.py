"""Results of a `PytestFile`: what pytest collected, and what it should have."""

import ast
from collections.abc import Iterator
from typing import Any

from planish.data.execution import Failure, TestResult
from planish.data.status import TestStatus
from planish.data.tests import PytestFile
from planish.errors import UnsupportedError
from planish.verification._asserted import ended
from planish.verification._plan import tree_of
from planish.verification._records import Run, Seen
from planish.verification._sides import sides
from planish.verification._skips import author_marks

__all__ = ["collected"]


def collected(tests: PytestFile, run: Run, stop: Failure | None) -> tuple[TestResult, ...]:
    """Every test pytest collected, then those of the file that it did not, in order.

    Raises:
        UnsupportedError: the sandbox has no pytest.
    """
    if run.unsupported is not None:
        raise UnsupportedError(
            f"pytest is not installed in the sandbox's Python {run.unsupported['python']} "
            f"({run.unsupported['message']}): install it there, or give the tests as "
            "Assertions or Cases"
        )
    start = f"{tests.filename}::"
    # Tests of further files keep the file in their names.
    names = {nodeid.removeprefix(start): (nodeid, line) for nodeid, line in run.collected}
    known = {name.split("[")[0] for name in names}
    found = [
        _one(tests, name, line, run.seen(nodeid), stop) for name, (nodeid, line) in names.items()
    ]
    missing = [
        _missing(name, line, run.collection)
        for name, line in _static(tree_of(tests.source))
        if name not in known
    ]
    return (*found, *missing) or (_missing(tests.filename, 1, run.collection),)


def _one(tests: PytestFile, name: str, line: int, seen: Seen, stop: Failure | None) -> TestResult:
    plain = name.partition("[")[0].replace("::", ".")
    status, message = ended(seen, stop, author_marks(tests.source).get(plain))
    values = next(iter(seen.values.values()), None) if status == "failed" else None
    expected, actual = sides(tests.source, values)
    return TestResult(
        name=name,
        status=status,
        expected=expected,
        actual=actual,
        message=message,
        line=line,
        duration=seen.end.get("seconds") if seen.end else None,
    )


def _missing(name: str, line: int, collection: dict[str, Any] | None) -> TestResult:
    status: TestStatus = "not_run"
    message = ""
    if collection is not None:
        status = "not_run" if collection["exits"] else "error"
        message = f"{collection['name']}: {collection['message']}"
    return TestResult(name=name, status=status, message=message, line=line)


def _static(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The tests that can be seen in the source."""
    seen: set[str] = set()
    for node in tree.body:
        for name, line in _tests(node):
            if name not in seen:
                seen.add(name)
                yield name, line


def _tests(node: ast.stmt) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if node.name.startswith("test"):
            yield node.name, node.lineno
    elif isinstance(node, ast.ClassDef):
        bases = [ast.unparse(base) for base in node.bases]
        if node.name.startswith("Test") or any(base.endswith("TestCase") for base in bases):
            for inner in node.body:
                for name, line in _tests(inner):
                    yield f"{node.name}::{name}", line
