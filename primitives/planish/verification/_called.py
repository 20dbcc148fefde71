"""Results of `Cases`: what the entry point gave, compared here."""

from collections.abc import Mapping
from typing import Any

from planish.data.execution import Failure, TestResult
from planish.data.literal import parse_literal, to_source
from planish.data.tests import Case, Cases
from planish.guest.protocol import Rules, difference
from planish.verification._asserted import ended
from planish.verification._bounds import VALUE, bounded
from planish.verification._records import Run, Seen

__all__ = ["called"]


def called(tests: Cases, entry: str, run: Run, stop: Failure | None) -> tuple[TestResult, ...]:
    """Return the result of every case, in order."""
    return tuple(
        _case(tests, case, entry, run.seen(number), stop) for number, case in enumerate(tests.cases)
    )


def _case(tests: Cases, case: Case, entry: str, seen: Seen, stop: Failure | None) -> TestResult:
    status, message = ended(seen, stop)
    value = seen.value
    if status == "passed":
        reason = None if value is None else _reason(tests, case, value)
        if value is None:
            status, message = "error", "the result was not reported"
        elif reason is not None:
            status, message = "failed", reason or _why(case, value)
    wanted = case.predicate if case.predicate is not None else to_source(case.expected)
    return TestResult(
        name=case.title(entry),
        status=status,
        expected=bounded(wanted, VALUE),
        actual=None if value is None else bounded(value["shown"], VALUE),
        message=message,
        duration=seen.end.get("seconds") if seen.end else None,
    )


def _reason(tests: Cases, case: Case, value: Mapping[str, Any]) -> str | None:
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


def _why(case: Case, value: Mapping[str, Any]) -> str:
    if case.predicate is not None:
        return f"{case.predicate} is not true of the result"
    if value.get("iterator"):
        return f"it gave a {value['type']}: give its items, as a {type(case.expected).__name__}"
    got, wanted = value["type"], type(case.expected).__name__
    return "" if got == wanted else f"it gave a value of type {got}, not {wanted}"
