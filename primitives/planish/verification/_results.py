"""Results of tests from the records: of `Assertions`, `Cases` and `PytestFile`."""

from collections.abc import Iterator, Mapping
from typing import Any

from planish.data.execution import Failure, TestResult
from planish.data.literal import parse_literal, to_source
from planish.data.source import statement_title
from planish.data.status import NEUTRAL_STATUSES, TestStatus
from planish.data.tests import Assertions, Case, Cases, PytestFile
from planish.data.tests.checks import Check
from planish.errors import UnsupportedError
from planish.guest.protocol import VALUE, Rules, bounded, difference
from planish.verification._analysis import (
    Mark,
    assert_at,
    asserts_of,
    author_marks,
    checks_of,
    pytest_tests,
    sides,
    tree_of,
)
from planish.verification._records import Run, Seen

__all__ = ["asserted", "called", "collected"]


def asserted(tests: Assertions, run: Run, stop: Failure | None) -> tuple[TestResult, ...]:
    """Every expected test, in order.

    Where all of them passed, but other test code raised, that has failed too.
    """
    results = tuple(
        result
        for number, check in enumerate(checks_of(tests.code))
        for result in _check(tests.code, check, run.seen(number), stop)
    )
    fine = {"passed", *NEUTRAL_STATUSES}
    if run.setup is None or any(result.status not in fine for result in results):
        return results
    line = run.setup["line"]
    node = asserts_of(tests.code).get(line)
    message = f"{run.setup['name']}: {run.setup['message']}"
    name = statement_title(node) if node else f"line {line} of the tests"
    return (*results, TestResult(name=name, status="error", message=message, line=line))


def ended(seen: Seen, stop: Failure | None, mark: Mark | None = None) -> tuple[TestStatus, str]:
    """How a test ended, and what it says.

    Args:
        seen: What is on record of it.
        stop: What stopped the program.
        mark: What its author has marked it with.

    One that an exit interrupts has not run; one that a limit or a signal interrupts has failed
    on the way.
    """
    end = seen.end
    if end is None:
        if not seen.begun or stop is None:
            return "not_run", ""
        return ("not_run" if stop.name == "EarlyExit" else "error"), stop.message
    if end["kind"] == "raised":
        if end["exits"]:
            return "not_run", end["message"]
        if end["failed"]:
            return "failed", end["message"]
        return "error", f"{end['name']}: {end['message']}"
    if end["kind"] == "passed":
        return ("no_evidence" if seen.unused else "passed"), ""
    # A skip that the mark has not made is none of its author's, whoever raised it.
    own = mark == "xfail" if end.get("expected") else mark == "skip" and end.get("untouched")
    return ("skipped" if own else "not_run"), end["message"]


def _check(code: str, check: Check, seen: Seen, stop: Failure | None) -> Iterator[TestResult]:
    if len(check.asserts) <= 1:
        yield _whole(code, check, seen, stop)
    elif seen.end is not None and seen.end["kind"] == "passed" and not seen.unused:
        reached = [line for line in check.asserts if line in seen.states]
        for line in reached:
            yield TestResult(name=_name(code, line), status="passed", line=line)
        if not reached:
            yield _whole(code, check, seen, stop)
    else:
        yield from _parts(code, check, seen, stop)


def _whole(code: str, check: Check, seen: Seen, stop: Failure | None) -> TestResult:
    status, message = ended(seen, stop, author_marks(code).get(check.name))
    raised = seen.end if seen.end is not None and seen.end["kind"] == "raised" else None
    expected = actual = None
    if status == "failed" and raised is not None:
        values = seen.values.get(_start(code, raised["line"]))
        expected, actual = sides(code, values)
    return TestResult(
        name=check.name,
        status=status,
        expected=expected,
        actual=actual,
        message=message,
        line=check.line,
        duration=seen.end.get("seconds") if seen.end else None,
    )


def _parts(code: str, check: Check, seen: Seen, stop: Failure | None) -> Iterator[TestResult]:
    """One for each assert of a check that did not pass, or did not run."""
    status, message = ended(seen, stop)
    broken = _broken(code, check, seen)
    for line in check.asserts:
        state = seen.states.get(line)
        if line in broken:
            yield _part(code, line, seen, status, message)
        elif state in ("passed", "repeated"):
            yield _part(code, line, seen, "passed")
        elif state == "failed":  # the test code caught it, and went on
            yield _part(code, line, seen, "failed")
        else:
            yield _part(code, line, seen, "not_run")
    if seen.begun and not broken:
        yield _whole(code, check, seen, stop)


def _part(code: str, line: int, seen: Seen, status: TestStatus, message: str = "") -> TestResult:
    values = seen.values.get(line) if status == "failed" else None
    expected, actual = sides(code, values)
    return TestResult(
        name=_name(code, line),
        status=status,
        expected=expected,
        actual=actual,
        message=message,
        line=line,
    )


def _broken(code: str, check: Check, seen: Seen) -> list[int]:
    """The lines of the asserts in which a check broke off.

    That is the one that raised; else those that were being evaluated, or evaluated again; else
    the first that was not reached, on the way to which it broke.
    """
    if not seen.begun:
        return []
    if seen.end is not None:
        line = _start(code, seen.end.get("line"))
        if line in check.asserts:
            return [line]
    else:
        found = [n for n in check.asserts if seen.states.get(n) in ("begun", "repeated")]
        if found:
            return found
    return [line for line in check.asserts if line not in seen.states][:1]


def _start(code: str, line: int | None) -> int:
    """The line on which the statement begins that a line is part of."""
    node = assert_at(code, line)
    return node.lineno if node else line or 0


def _name(code: str, line: int) -> str:
    node = assert_at(code, line)
    return statement_title(node) if node else f"line {line}"


def called(tests: Cases, entry: str, run: Run, stop: Failure | None) -> tuple[TestResult, ...]:
    """Return the result of every case, in order."""
    return tuple(
        _case(tests, case, entry, run.seen(number), stop) for number, case in enumerate(tests.cases)
    )


def _case(tests: Cases, case: Case, entry: str, seen: Seen, stop: Failure | None) -> TestResult:
    status, message = ended(seen, stop)
    value = seen.value
    if status == "passed":
        reason = None if value is None else _case_reason(tests, case, value)
        if value is None:
            status, message = "error", "the result was not reported"
        elif reason is not None:
            status, message = "failed", reason or _case_message(case, value)
    wanted = case.predicate if case.predicate is not None else to_source(case.expected)
    return TestResult(
        name=case.title(entry),
        status=status,
        expected=bounded(wanted, VALUE),
        actual=None if value is None else bounded(value["shown"], VALUE),
        message=message,
        duration=seen.end.get("seconds") if seen.end else None,
    )


def _case_reason(tests: Cases, case: Case, value: Mapping[str, Any]) -> str | None:
    """Return why a value is wrong ("" where its type or the value itself says it), else None.

    A value that travelled whole is compared here; of another the sandbox says whether it is
    the expected one.
    """
    if "source" not in value:
        return None if value["equal"] else bounded(value.get("reason", ""), VALUE)
    try:
        got = parse_literal(value["source"])
    except ValueError:
        return ""
    if got == case.expected:
        return None
    tolerance = tests.tolerance_of(case)
    rules = Rules(tolerance.absolute, tolerance.relative, any_sequence=tests.sequences == "any")
    reason = difference(got, case.expected, rules)
    return reason if reason is None else bounded(reason, VALUE)


def _case_message(case: Case, value: Mapping[str, Any]) -> str:
    if case.predicate is not None:
        return f"{case.predicate} is not true of the result"
    if value.get("iterator"):
        return f"it gave a {value['type']}: give its items, as a {type(case.expected).__name__}"
    got, wanted = value["type"], type(case.expected).__name__
    return "" if got == wanted else f"it gave a value of type {got}, not {wanted}"


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
        _pytest_test(tests, name, line, run.seen(nodeid), stop)
        for name, (nodeid, line) in names.items()
    ]
    missing = [
        _missing(name, line, run.collection)
        for name, line in pytest_tests(tree_of(tests.source))
        if name not in known
    ]
    return (*found, *missing) or (_missing(tests.filename, 1, run.collection),)


def _pytest_test(
    tests: PytestFile, name: str, line: int, seen: Seen, stop: Failure | None
) -> TestResult:
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
