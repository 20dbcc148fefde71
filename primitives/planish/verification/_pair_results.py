"""Results of `StdioPairs`: outputs compared here, or by the user's checker."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from planish.data.execution import Failure, TestResult
from planish.data.program import Completed
from planish.data.status import TestStatus
from planish.data.tests import Stdio, StdioPairs
from planish.guest.protocol import VALUE, bounded
from planish.verification._output import text, wrong_output

__all__ = [
    "CHECKED",
    "Checked",
    "checked_pairs",
    "checker_failure",
    "is_broken",
    "pairs_stop",
    "printed",
]


CHECKED = "checked.jsonl"
_JUDGED = ("right", "wrong")
_FIELDS = {"pair", "state", "message"}


@dataclass(frozen=True, slots=True)
class Checked:
    """What the user's checker found about one pair.

    Attributes:
        state: "right", "wrong", "broken" (it refuses the expected output itself) or "begun"
            (it did not come to an end).
        message: Why it is not right.
    """

    state: str
    message: str = ""


def checked_pairs(checked: Sequence[Completed]) -> Mapping[int, Checked]:
    """Return what the checker found, by the index of the pair."""
    found: dict[int, Checked] = {}
    for completed in checked:
        for row in _rows(completed.files.get(CHECKED, b"")):
            found[row["pair"]] = Checked(row["state"], bounded(row["message"], VALUE))
        for pair, one in found.items():
            if one.state == "begun":
                how = f"limit of {completed.limit}" if completed.limit else "own end"
                found[pair] = Checked("begun", f"the checker was stopped at its {how}")
    return found


def checker_failure(checked: Sequence[Completed]) -> Failure | None:
    """Return the failure of a checker that did not judge an output."""
    unjudged = (one for one in checked_pairs(checked).values() if one.state not in _JUDGED)
    first = next(unjudged, None)
    return None if first is None else Failure(name="CheckerError", message=first.message)


def is_broken(checked: Sequence[Completed]) -> bool:
    """Return whether the checker refused an expected output itself."""
    return any(one.state == "broken" for one in checked_pairs(checked).values())


def pairs_stop(tests: StdioPairs, completed: Sequence[Completed]) -> Failure | None:
    """Return the failure of pairs that are left when the time of all is used up."""
    ran, count = len(completed), len(tests.pairs)
    if ran == count or tests.seconds is None or any(one.limit for one in completed):
        return None
    message = f"the {tests.seconds:g} s for all pairs were used up after {ran} of {count}"
    return Failure(name="Timeout", message=message)


def why_not_run(tests: StdioPairs, *, failed: bool) -> str:
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
    *lines, _ = data.split(b"\n")  # the last one may be cut short
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue  # a checker that writes to the file itself
        if isinstance(row, dict) and set(cast("dict[str, Any]", row)) == _FIELDS:
            yield cast("dict[str, Any]", row)


_NOT_CHECKED = Checked("", "the checker did not come to it")


def printed(
    tests: StdioPairs,
    completed: Sequence[Completed],
    failures: Sequence[Failure | None],
    checked: Sequence[Completed] = (),
) -> tuple[TestResult, ...]:
    """Return the result of every pair, in order; those without a run have not run.

    Args:
        tests: The pairs.
        completed: The runs, in their order; there may be fewer.
        failures: What went wrong in each run, the output left aside.
        checked: The runs of the checker.
    """
    found = checked_pairs(checked)
    done = [
        _pair(tests, index, one, failure, found.get(index, _NOT_CHECKED))
        for index, (one, failure) in enumerate(zip(completed, failures, strict=False))
    ]
    failed = any(result.status != "passed" for result in done)
    message = why_not_run(tests, failed=failed) if completed else ""
    rest = [
        TestResult(
            name=_name(pair, index),
            status="not_run",
            expected=_shown(pair.stdout),
            message=message,
        )
        for index, pair in enumerate(tests.pairs)
        if index >= len(done)
    ]
    return (*done, *rest)


def _pair(
    tests: StdioPairs,
    index: int,
    completed: Completed,
    failure: Failure | None,
    checked: Checked,
) -> TestResult:
    pair = tests.pairs[index]
    wrote = completed.stdout.decode("utf-8", "replace")
    status: TestStatus
    if failure is not None:
        status, message = "error", f"{failure.name}: {failure.message}"
    elif tests.checker is not None:
        status, message = _by_checker(checked)
    else:
        reason = wrong_output(tests, wrote, pair.stdout)
        status, message = ("passed", "") if reason is None else ("failed", reason)
    return TestResult(
        name=_name(pair, index),
        status=status,
        expected=_shown(pair.stdout),
        actual=_shown(wrote),
        message=message,
        duration=completed.duration,
    )


def _by_checker(checked: Checked) -> tuple[TestStatus, str]:
    """Return what the checker makes of a pair: what it did not judge has not passed."""
    if checked.state == "right":
        return "passed", ""
    return ("failed" if checked.state == "wrong" else "error"), checked.message


def _name(pair: Stdio, index: int) -> str:
    return pair.name or f"pair {index + 1}"


def _shown(output: str) -> str:
    return text(output.encode("utf-8", "replace"), VALUE)
