"""Results of `Cases`: what the entry point gave, compared here."""

from collections.abc import Mapping
from typing import Any

from planish.data.execution import Failure, TestResult
from planish.data.literal import parse_literal, to_source
from planish.data.tests import Case, Cases
from planish.harness._asserted import ended
from planish.harness._bounds import VALUE, bounded
from planish.harness._records import Run, Seen

__all__ = ["called"]


def called(tests: Cases, entry: str, run: Run, stop: Failure | None) -> tuple[TestResult, ...]:
    """Every case, in order."""
    return tuple(
        _case(case, entry, run.seen(number), stop) for number, case in enumerate(tests.cases)
    )


def _case(case: Case, entry: str, seen: Seen, stop: Failure | None) -> TestResult:
    status, message = ended(seen, stop)
    value = seen.value
    if status == "passed":
        if value is None:
            status, message = "error", "the result was not reported"
        elif not _right(case, value):
            status, message = "failed", _why(case, value)
    wanted = case.predicate if case.predicate is not None else to_source(case.expected)
    return TestResult(
        name=case.title(entry),
        status=status,
        expected=bounded(wanted, VALUE),
        actual=None if value is None else bounded(value["shown"], VALUE),
        message=message,
        duration=seen.end.get("seconds") if seen.end else None,
    )


def _right(case: Case, value: Mapping[str, Any]) -> bool:
    """The host's verdict where the value travelled whole; else what the sandbox says."""
    if "source" not in value:
        return bool(value["equal"])
    try:
        return bool(parse_literal(value["source"]) == case.expected)
    except ValueError:
        return False


def _why(case: Case, value: Mapping[str, Any]) -> str:
    if case.predicate is not None:
        return f"{case.predicate} is not true of the result"
    if value.get("iterator"):
        return f"it gave a {value['type']}: give its items, as a {type(case.expected).__name__}"
    got, wanted = value["type"], type(case.expected).__name__
    return "" if got == wanted else f"it gave a value of type {got}, not {wanted}"
