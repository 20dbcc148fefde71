"""Results of `StdioPairs`: outputs are compared on the host, or by the user's checker."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from planish.data.execution import Failure, TestResult
from planish.data.program import Completed
from planish.data.status import TestStatus
from planish.data.tests import Stdio, StdioPairs
from planish.guest.protocol import VALUE, bounded
from planish.verification._output import decode_output, output_difference

__all__ = [
    "CHECKER_RECORDS",
    "CheckerResult",
    "checker_failure",
    "checker_results",
    "pair_results",
    "refuses_expected",
    "time_failure",
]


CHECKER_RECORDS = "checked.jsonl"
_DECIDED = ("right", "wrong")
_FIELDS = {"pair": int, "state": str, "message": str}


@dataclass(frozen=True, slots=True)
class CheckerResult:
    """The result of the user's checker for one pair.

    Attributes:
        state: "right", "wrong", "broken" (it refuses the expected output itself) or "begun"
            (it did not finish).
        message: Why the output is not right; "" if it is.
    """

    state: str
    message: str = ""


_UNREACHED = CheckerResult("", "the checker did not reach it")


def checker_results(checker_runs: Sequence[Completed]) -> Mapping[int, CheckerResult]:
    """Return the checker's results, by the index of the pair."""
    found: dict[int, CheckerResult] = {}
    for completed in checker_runs:
        for row in _rows(completed.files.get(CHECKER_RECORDS, b"")):
            found[row["pair"]] = CheckerResult(row["state"], bounded(row["message"], VALUE))
        for pair, one in found.items():
            if one.state == "begun":
                how = f"limit of {completed.limit}" if completed.limit else "own end"
                found[pair] = CheckerResult("begun", f"the checker was stopped at its {how}")
    return found


def checker_failure(checker_runs: Sequence[Completed]) -> Failure | None:
    """Return the failure of a checker that reached no result for an output; None without one."""
    undecided = (one for one in checker_results(checker_runs).values() if one.state not in _DECIDED)
    first = next(undecided, None)
    return None if first is None else Failure(name="CheckerError", message=first.message)


def refuses_expected(checker_runs: Sequence[Completed]) -> bool:
    """Return whether the checker refuses an expected output, so that the tests are broken."""
    return any(one.state == "broken" for one in checker_results(checker_runs).values())


def time_failure(tests: StdioPairs, completed: Sequence[Completed]) -> Failure | None:
    """Return the failure of pairs not run because the time of all was used up; None if none."""
    ran, count = len(completed), len(tests.pairs)
    if ran == count or tests.seconds is None or any(one.limit for one in completed):
        return None
    message = f"the {tests.seconds:g} s for all pairs were used up after {ran} of {count}"
    return Failure(name="Timeout", message=message)


def _not_run_reason(tests: StdioPairs, *, failed: bool) -> str:
    """Return why a pair was not run.

    Args:
        tests: The pairs.
        failed: A pair before it did not pass.
    """
    if tests.stop_at_first and failed:
        return "a pair before it did not pass"
    if tests.seconds is not None:
        return f"the {tests.seconds:g} s for all pairs were used up"
    return ""


def _rows(data: bytes) -> Iterator[dict[str, Any]]:
    *lines, _ = data.split(b"\n")  # the last line may be incomplete
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the checker's own code wrote to the file
        if not isinstance(row, dict):
            continue
        fields = cast("dict[str, Any]", row)
        if {name: type(value) for name, value in fields.items()} == _FIELDS:
            yield fields


def pair_results(
    tests: StdioPairs,
    completed: Sequence[Completed],
    failures: Sequence[Failure | None],
    checker_runs: Sequence[Completed] = (),
) -> tuple[TestResult, ...]:
    """Return the result of every pair, in order; a pair without a run is "not_run".

    Args:
        tests: The pairs.
        completed: The runs, in the order of the pairs; there may be fewer.
        failures: The failure of each run, its output not considered; None if it succeeded.
        checker_runs: The runs of the checker.
    """
    found = checker_results(checker_runs)
    done = [
        _pair_result(tests, index, one, failure, found.get(index, _UNREACHED))
        for index, (one, failure) in enumerate(zip(completed, failures, strict=False))
    ]
    failed = any(result.status != "passed" for result in done)
    message = _not_run_reason(tests, failed=failed) if completed else ""
    rest = [
        TestResult(
            name=_name(pair, index),
            status="not_run",
            expected=_bounded_output(pair.stdout),
            message=message,
        )
        for index, pair in enumerate(tests.pairs)
        if index >= len(done)
    ]
    return (*done, *rest)


def _pair_result(
    tests: StdioPairs,
    index: int,
    completed: Completed,
    failure: Failure | None,
    checker: CheckerResult,
) -> TestResult:
    pair = tests.pairs[index]
    output = completed.stdout.decode("utf-8", "replace")
    status: TestStatus
    if failure is not None:
        status, message = "error", f"{failure.name}: {failure.message}"
    elif tests.checker is not None:
        status, message = _checker_status(checker)
    else:
        reason = output_difference(tests, output, pair.stdout)
        status, message = ("passed", "") if reason is None else ("failed", reason)
    return TestResult(
        name=_name(pair, index),
        status=status,
        expected=_bounded_output(pair.stdout),
        actual=_bounded_output(output),
        message=message,
        duration=completed.duration,
    )


def _checker_status(result: CheckerResult) -> tuple[TestStatus, str]:
    """Return the status and message of a pair by its checker; without a result it is an error."""
    if result.state == "right":
        return "passed", ""
    return ("failed" if result.state == "wrong" else "error"), result.message


def _name(pair: Stdio, index: int) -> str:
    return pair.name or f"pair {index + 1}"


def _bounded_output(output: str) -> str:
    return decode_output(output.encode("utf-8", "replace"), VALUE)
