"""Test results of `Assertions` and `Cases`, made from the records of a run."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from planish.data.execution import Failure, TestResult
from planish.data.literal import parse_literal, to_source
from planish.data.source import statement_title
from planish.data.status import NEUTRAL_STATUSES, TestStatus
from planish.data.tests import Assertions, Case, Cases
from planish.data.tests.checks import Check
from planish.data.tests.code import checks_in
from planish.guest.protocol import VALUE, Rules, bounded, difference
from planish.verification._analysis import (
    Mark,
    assert_at,
    author_marks,
    comparison_values,
    statements_by_line,
)
from planish.verification._raised import MAX_SOURCE, raised_facts, raised_record
from planish.verification._records import RunRecord, TestRecord

__all__ = ["assertion_results", "case_results", "end_status"]


def assertion_results(
    tests: Assertions, run: RunRecord, stop: Failure | None
) -> tuple[TestResult, ...]:
    """Return the result of every check, or of every assert of a check, in order.

    If all passed and test code outside of them raised, one more result is an error.
    """
    results = tuple(
        result
        for number, check in enumerate(checks_in(tests.code).expected)
        for result in _check_results(tests.code, check, run.test(number), stop)
    )
    acceptable = {"passed", *NEUTRAL_STATUSES}
    if run.setup is None or any(result.status not in acceptable for result in results):
        return results
    line = run.setup["line"]
    node = statements_by_line(tests.code).get(line)
    message = f"{run.setup['name']}: {run.setup['message']}"
    place = "the setup or teardown" if line is None else f"line {line}"
    name = statement_title(node) if node else f"{place} of the tests"
    broken = TestResult(name=name, status="error", message=message, line=line)
    return (*results, replace(broken, **raised_facts(tests.code, run.setup, TestRecord(), None)))


def end_status(
    record: TestRecord, stop: Failure | None, mark: Mark | None = None
) -> tuple[TestStatus, str]:
    """Return the status of a test, and its message.

    A test that an exit interrupts is "not_run"; one that a limit or a signal interrupts is an
    "error".

    Args:
        record: The records of the test.
        stop: What stopped the program; None if it finished.
        mark: The mark of the test's author; None without one.
    """
    end = record.end
    if end is None:
        if not record.begun or stop is None:
            return "not_run", ""
        return ("not_run" if stop.name == "EarlyExit" else "error"), stop.message
    if end["kind"] == "raised":
        if end["exits"]:
            return "not_run", end["message"]
        if end["failed"]:
            return "failed", end["message"]
        return "error", f"{end['name']}: {end['message']}"
    if end["kind"] == "passed":
        return ("no_evidence" if record.unused else "passed"), ""
    # A skip without the author's mark may come from the candidate: the test has not run.
    own = mark == "xfail" if end.get("expected") else mark == "skip" and end.get("untouched")
    return ("skipped" if own else "not_run"), end["message"]


def _check_results(
    code: str, check: Check, record: TestRecord, stop: Failure | None
) -> Iterator[TestResult]:
    skipped = end_status(record, stop, author_marks(code).get(check.name))[0] == "skipped"
    if len(check.asserts) <= 1 or skipped:
        yield _check_result(code, check, record, stop)
    elif record.end is not None and record.end["kind"] == "passed" and not record.unused:
        reached = [line for line in check.asserts if line in record.states]
        for line in reached:
            yield TestResult(name=_assert_name(code, line), status="passed", line=line)
        if not reached:
            yield _check_result(code, check, record, stop)
    else:
        yield from _assert_results(code, check, record, stop)


def _check_result(code: str, check: Check, record: TestRecord, stop: Failure | None) -> TestResult:
    status, message = end_status(record, stop, author_marks(code).get(check.name))
    raised = raised_record(record)
    expected = actual = None
    if status == "failed" and raised is not None:
        values = record.values.get(_statement_line(code, raised["line"]))
        expected, actual = comparison_values(code, values)
    return TestResult(
        name=check.name,
        status=status,
        expected=expected,
        actual=actual,
        message=message,
        line=check.line,
        duration=record.end.get("seconds") if record.end else None,
        **raised_facts(code, raised, record, stop),
    )


def _assert_results(
    code: str, check: Check, record: TestRecord, stop: Failure | None
) -> Iterator[TestResult]:
    """Yield a result for each assert of a check that did not pass, or did not run."""
    status, message = end_status(record, stop)
    failed = _failed_lines(code, check, record)
    for line in check.asserts:
        state = record.states.get(line)
        if line in failed:
            yield _assert_result(code, line, record, status, message, stop)
        elif state in ("passed", "repeated"):
            yield _assert_result(code, line, record, "passed")
        elif state == "failed":  # the test code caught the exception, and continued
            yield _assert_result(code, line, record, "failed")
        else:
            yield _assert_result(code, line, record, "not_run")
    if record.begun and not failed:
        yield _check_result(code, check, record, stop)


def _assert_result(
    code: str,
    line: int,
    record: TestRecord,
    status: TestStatus,
    message: str = "",
    stop: Failure | None = None,
) -> TestResult:
    values = record.values.get(line) if status == "failed" else None
    expected, actual = comparison_values(code, values)
    raised = raised_record(record) if message else None
    return TestResult(
        name=_assert_name(code, line),
        status=status,
        expected=expected,
        actual=actual,
        message=message,
        line=line,
        **(raised_facts(code, raised, record, stop) if message else {}),
    )


def _failed_lines(code: str, check: Check, record: TestRecord) -> list[int]:
    """Return the lines of the asserts at which a check failed.

    That is the assert that raised; else those whose evaluation had begun, or begun again; else
    the first that was not reached.
    """
    if not record.begun:
        return []
    if record.end is not None:
        line = _statement_line(code, record.end.get("line"))
        if line in check.asserts:
            return [line]
    else:
        unfinished = [n for n in check.asserts if record.states.get(n) in ("begun", "repeated")]
        if unfinished:
            return unfinished
    return [line for line in check.asserts if line not in record.states][:1]


def _statement_line(code: str, line: int | None) -> int:
    """Return the first line of the assert statement that includes a line, else the line."""
    node = assert_at(code, line)
    return node.lineno if node else line or 0


@lru_cache(maxsize=4096)  # many candidates are judged by the same tests
def _assert_name(code: str, line: int) -> str:
    node = assert_at(code, line)
    return statement_title(node) if node else f"line {line}"


def case_results(
    tests: Cases, entry: str, run: RunRecord, stop: Failure | None
) -> tuple[TestResult, ...]:
    """Return the result of every case, in order."""
    return tuple(
        _case_result(tests, case, entry, run.test(number), stop)
        for number, case in enumerate(tests.cases)
    )


def _case_result(
    tests: Cases, case: Case, entry: str, record: TestRecord, stop: Failure | None
) -> TestResult:
    status, message = end_status(record, stop)
    value = record.value
    if status == "passed":
        reason = None if value is None else _case_reason(tests, case, value)
        if value is None:
            status, message = "error", "the result was not reported"
        elif reason is not None:
            status, message = "failed", reason or _case_message(case, value)
    expected = case.predicate if case.predicate is not None else to_source(case.expected)
    facts = raised_facts("", raised_record(record), record, stop)
    facts["source"] = "" if status == "passed" else _case_call(case, entry)
    return TestResult(
        name=case.title(entry),
        status=status,
        expected=bounded(expected, VALUE),
        actual=None if value is None else bounded(value["shown"], VALUE),
        message=message,
        duration=record.end.get("seconds") if record.end else None,
        **facts,
    )


def _case_call(case: Case, entry: str) -> str:
    """Return the call of a case as a line that can be pasted; "" if it is too long for that."""
    arguments = [to_source(arg) for arg in case.args]
    arguments += [f"{name}={to_source(value)}" for name, value in case.kwargs.items()]
    call = f"{entry}({', '.join(arguments)})"
    return call if len(call) <= MAX_SOURCE else ""


def _case_reason(tests: Cases, case: Case, value: Mapping[str, Any]) -> str | None:
    """Return why a case's result is wrong ("" if its type or value shows it); None if it is right.

    A result with a source form is compared here. For others the verifier has recorded whether
    they equal the expected value.
    """
    if "source" not in value:
        return None if value["equal"] else bounded(value.get("reason", ""), VALUE)
    try:
        actual = parse_literal(value["source"])
    except ValueError:
        return ""
    if actual == case.expected:
        return None
    tolerance = tests.tolerance_of(case)
    rules = Rules(tolerance.absolute, tolerance.relative, any_sequence=tests.sequences == "any")
    reason = difference(actual, case.expected, rules)
    return reason if reason is None else bounded(reason, VALUE)


def _case_message(case: Case, value: Mapping[str, Any]) -> str:
    if case.predicate is not None:
        return f"{case.predicate} is not true of the result"
    if value.get("iterator"):
        kind = type(case.expected).__name__
        return f"the result is a {value['type']}: return its items as a {kind}"
    actual, expected = value["type"], type(case.expected).__name__
    return "" if actual == expected else f"the result has type {actual}, not {expected}"
