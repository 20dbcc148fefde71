"""Feedback from executions: findings for a verdict, and policies for `Retry(feedback=...)`."""

from collections.abc import Callable
from itertools import takewhile

from planish.data.execution import Execution, TestResult
from planish.data.feedback import Feedback
from planish.data.report import Report
from planish.data.status import Status
from planish.data.verdict import Finding

__all__ = ["execution_findings", "restart_after"]


def execution_findings(execution: Execution) -> tuple[Finding, ...]:
    """List what went wrong in a run, and what else a reader of its verdict should know.

    Args:
        execution: The run.

    Returns:
        Findings, most important first: that it repeats an earlier run, the failure or the failed
        tests, tests that did not run, tests that count neither way, notes of the sandbox.
    """
    wrong = [test for test in execution.tests if test.status in ("failed", "error")]
    found = [
        Finding(message=_message(test), test=test.name, expected=test.expected, actual=test.actual)
        for test in wrong
    ]
    failure = execution.failure
    if failure is not None and (not found or failure.name == "Tampering"):
        where = f" (line {failure.line}: {failure.text.strip()})" if failure.line else ""
        found.insert(0, Finding(message=f"{failure.name}: {failure.message}{where}"))
    if execution.repeats is not None:
        found.insert(
            0,
            Finding(
                message=f"the code is the same as in attempt {execution.repeats}: it was not run "
                "again, and this is what that run gave",
                severity="warning",
                fix="change the code: the same code gives the same result",
            ),
        )
    missed = [test.name for test in execution.tests if test.status == "not_run"]
    if missed and execution.failure is None:
        found.append(Finding(message=f"{len(missed)} tests did not run: {', '.join(missed[:5])}"))
    found += _neutral_findings(execution)
    found += (Finding(message=text, severity="warning") for text in execution.findings)
    return tuple(found)


def _neutral_findings(execution: Execution) -> list[Finding]:
    """Name the tests that count neither way."""
    found: list[Finding] = []
    vacuous = [test.name for test in execution.tests if test.status == "no_evidence"]
    if vacuous:
        found.append(
            Finding(
                message=f"{len(vacuous)} tests used nothing of the candidate and are no "
                f"evidence: {', '.join(vacuous[:5])}",
                severity="warning",
                fix="have each test call the code",
            )
        )
    skipped = [test.name for test in execution.tests if test.status == "skipped"]
    if skipped:
        found.append(
            Finding(
                message=f"{len(skipped)} tests are skipped by their author: "
                f"{', '.join(skipped[:5])}",
                severity="info",
            )
        )
    return found


def _message(test: TestResult) -> str:
    if test.message:
        return test.message
    return "it gave the wrong value" if test.status == "failed" else "it raised"


_FINE = (Status.SUCCESS, Status.PARTIAL_SUCCESS)


def restart_after(errors: int = 3) -> Callable[[Report], Feedback | None]:
    """Start afresh after so many errors in a row: drop the failed code, keep the lessons.

    A model that has gone astray often keeps mending what should be thrown away. The next
    request then holds no earlier code, and says in a line each what went wrong; otherwise it
    is what it would have been.

    Args:
        errors: Attempts in a row that raised, did not parse or were stopped at a limit; 3 by
            default.

    Raises:
        ValueError: errors is less than 1.
    """
    if errors < 1:
        raise ValueError(f"restart_after({errors!r}): must be at least 1")

    def restart(report: Report) -> Feedback | None:
        known = report.feedback
        row = list(
            takewhile(lambda tried: tried.status not in _FINE, reversed(known.previous_attempts))
        )
        if not row or len(row) % errors:
            return None
        lessons = "\n".join(f"- {tried.summary}" for tried in reversed(row[:errors]))
        return Feedback(
            text=f"The last {errors} attempts failed. Start afresh; they taught:\n{lessons}",
            attempt=known.attempt,
            previous_attempts=known.previous_attempts,
        )

    return restart
