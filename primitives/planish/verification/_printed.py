"""Results of `StdioPairs`: what the program wrote, compared here or by the user's checker."""

from collections.abc import Sequence

from planish.data.execution import Failure, TestResult
from planish.data.program import Completed
from planish.data.status import TestStatus
from planish.data.tests import Stdio, StdioPairs
from planish.verification._bounds import STREAM, VALUE, bounded, text
from planish.verification._outputs import wrong_output
from planish.verification._pairs import Checked, checked_pairs, why_not_run

__all__ = ["exit_failure", "printed"]

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


def exit_failure(completed: Completed) -> Failure | None:
    """Return the failure of a program that ended by itself with an exit code other than 0."""
    if completed.ok:
        return None
    errors = text(completed.stderr, STREAM)
    last = errors.rstrip().rpartition("\n")[2]
    code = completed.exit_code
    return Failure(
        name="ExitCode",
        message=bounded(
            f"the program ended with exit code {code}" + (f": {last}" if last else ""), VALUE
        ),
        traceback=bounded(errors, VALUE),
    )


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
