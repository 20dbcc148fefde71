"""Test results of a `PytestFile`, made from the records of a run."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from planish.data.execution import Failure, TestResult
from planish.data.status import NEUTRAL_STATUSES, TestStatus
from planish.data.tests import PytestFile
from planish.errors import UnsupportedError
from planish.guest.protocol import VALUE, bounded
from planish.verification._analysis import (
    MARKS,
    Mark,
    author_marks,
    comparison_values,
    marks_parameters,
    pytest_tests,
    tree_of,
)
from planish.verification._raised import raised_facts, raised_record
from planish.verification._records import RunRecord, TestRecord
from planish.verification._results import end_status

__all__ = ["failure_texts", "pytest_results"]

_NO_FIXTURE = re.compile(r"\('(\w+)', <\w*Request\b[^\n]*>\)")


def pytest_results(
    tests: PytestFile, run: RunRecord, stop: Failure | None
) -> tuple[TestResult, ...]:
    """Return the results of the tests that pytest collected, then of those it did not collect.

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
    # The names of tests in other files include the file.
    names = {nodeid.removeprefix(start): (nodeid, line) for nodeid, line in run.collected}
    known = {name.split("[")[0] for name in names}
    found = [
        _with_fixture_fault(
            tests, nodeid, _pytest_result(tests, name, line, run.test(nodeid), stop)
        )
        for name, (nodeid, line) in names.items()
    ]
    # What ended pytest itself, as a hook of a conftest.py does that raises after the tests.
    ended = run.collection or run.setup  # the second may be the exit code that the first led to
    missing = [
        _uncollected_result(name, line, ended)
        for name, line in _expected_tests(tests, run)
        if name not in known
    ]
    results = (*found, *missing) or (_uncollected_result(tests.filename, 1, ended),)
    acceptable = {"passed", *NEUTRAL_STATUSES}
    if ended is None or any(result.status not in acceptable for result in results):
        return results
    return (*results, replace(_uncollected_result("the end of the tests", 1, ended), line=None))


def _expected_tests(tests: PytestFile, run: RunRecord) -> Iterator[tuple[str, int]]:
    """Yield the name and line of each test that the texts of the files show.

    Not those of a file that has skipped itself, whatever the candidate is.
    """
    yield from pytest_tests(tree_of(tests.source))
    for path, text in tests.files.items():
        name = PurePosixPath(path).name
        collected = fnmatchcase(name, "test*.py") or fnmatchcase(name, "*_test.py")
        if collected and run.test(path).end is None:
            for test, line in pytest_tests(tree_of(text)):
                yield f"{path}::{test}", line


def _pytest_result(
    tests: PytestFile, name: str, line: int, record: TestRecord, stop: Failure | None
) -> TestResult:
    function = name.partition("[")[0].replace("::", ".")
    status, message = end_status(record, stop, _mark(tests.source, function, record))
    values = next(iter(record.values.values()), None) if status == "failed" else None
    expected, actual = comparison_values(tests.source, values)
    return TestResult(
        name=bounded(name, VALUE),
        status=status,
        expected=expected,
        actual=actual,
        message=message,
        line=line,
        duration=record.end.get("seconds") if record.end else None,
        **raised_facts(tests.source, raised_record(record), record, stop),
    )


def _fixture_fault(tests: PytestFile, name: str, message: str) -> str:
    """Return what pytest says of a fixture that it cannot make; "" for any other exception.

    Args:
        tests: The tests.
        name: Name of the exception's class.
        message: Its message: the fixture's name, and the repr of an object of pytest's.
    """
    found = _NO_FIXTURE.fullmatch(message) if name == "FixtureLookupError" else None
    if found is None:
        return ""
    definition = re.compile(rf"^\s*(?:async )?def {found[1]}\b", re.MULTILINE)
    if any(map(definition.search, (tests.source, *tests.files.values()))):
        return f"recursive dependency involving fixture {found[1]!r} detected"
    return f"fixture {found[1]!r} not found"


def failure_texts(tests: object, record: Mapping[str, Any]) -> tuple[str, str]:
    """Return message and traceback of a failure; of a missing fixture they are as pytest says.

    Args:
        tests: The tests.
        record: The record of the failure.
    """
    message, traceback = record["message"], record.get("traceback", "")
    if not isinstance(tests, PytestFile):
        return message, traceback
    fault = _fixture_fault(tests, record["name"], message)
    return (fault, traceback.replace(message, fault)) if fault else (message, traceback)


def _with_fixture_fault(tests: PytestFile, nodeid: str, result: TestResult) -> TestResult:
    """Return a result that says which fixture the test lacks, and where the test is."""
    message = result.message.removeprefix(f"{result.exception}: ")
    fault = _fixture_fault(tests, result.exception, message)
    if not fault:
        return result
    file = nodeid.partition("::")[0]
    return replace(result, message=bounded(f"{fault} ({file}, line {result.line})", VALUE))


def _mark(code: str, function: str, record: TestRecord) -> Mark | None:
    """Return the mark that the author gave to a test, or to its parameters."""
    mark = author_marks(code).get(function)
    if mark is None and record.end is not None and marks_parameters(code):
        mark = MARKS.get(record.end.get("mark", ""))
    return mark


def _uncollected_result(name: str, line: int, collection: dict[str, Any] | None) -> TestResult:
    status: TestStatus = "not_run"
    message = ""
    if collection is not None:
        status = "not_run" if collection["exits"] else "error"
        message = f"{collection['name']}: {collection['message']}"
    facts = raised_facts("", collection, TestRecord(), None)
    return TestResult(name=name, status=status, message=message, line=line, **facts)
