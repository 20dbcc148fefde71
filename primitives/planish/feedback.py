"""Findings of an execution, and feedback policies for `Retry(feedback=...)`."""

from itertools import takewhile

from planish.configuration import Configured
from planish.data.execution import Execution, TestResult
from planish.data.feedback import Feedback
from planish.data.report import Report
from planish.data.status import Status
from planish.data.verdict import Finding

__all__ = ["execution_findings", "restart_after"]


def execution_findings(execution: Execution) -> tuple[Finding, ...]:
    """Return the findings of a run: its failures, and remarks on its tests and its sandbox.

    Args:
        execution: The run.

    Returns:
        Findings, most important first: that it repeats an earlier run, the failure or the failed
        tests, tests that did not run, tests that do not count, notes of the sandbox.
    """
    failed = [test for test in execution.tests if test.status in ("failed", "error")]
    findings = [
        Finding(message=_message(test), test=test.name, expected=test.expected, actual=test.actual)
        for test in failed
    ]
    refusals = execution.candidate.refusals
    findings += [Finding(message=one.issue, fix=one.fix, test=one.test) for one in refusals]
    failure = execution.failure
    if failure is not None and (not findings or failure.name == "Tampering"):
        where = f" (line {failure.line}: {failure.text.strip()})" if failure.line else ""
        findings.insert(0, Finding(message=f"{failure.name}: {failure.message}{where}"))
    if execution.repeats is not None:
        findings.insert(
            0,
            Finding(
                message=f"the code is the same as in attempt {execution.repeats}: it was not run "
                "again, and this is the result of that run",
                severity="warning",
                fix="change the code: the same code gives the same result",
            ),
        )
    not_run = [test.name for test in execution.tests if test.status == "not_run"]
    if not_run and failure is None:
        message = f"{len(not_run)} tests did not run: {', '.join(not_run[:5])}"
        findings.append(Finding(message=message))
    findings += _neutral_findings(execution)
    findings += (Finding(message=text, severity="warning") for text in execution.findings)
    return tuple(findings)


def _neutral_findings(execution: Execution) -> list[Finding]:
    """Return findings that name the tests that do not count."""
    findings: list[Finding] = []
    vacuous = [test.name for test in execution.tests if test.status == "no_evidence"]
    if vacuous:
        findings.append(
            Finding(
                message=f"{len(vacuous)} tests used nothing of the candidate and are no "
                f"evidence: {', '.join(vacuous[:5])}",
                severity="warning",
                fix="have each test call the code",
            )
        )
    skipped = [test.name for test in execution.tests if test.status == "skipped"]
    if skipped:
        findings.append(
            Finding(
                message=f"{len(skipped)} tests are skipped by their author: "
                f"{', '.join(skipped[:5])}",
                severity="info",
            )
        )
    return findings


def _message(test: TestResult) -> str:
    if test.message:
        return test.message
    return "it gave the wrong value" if test.status == "failed" else "it raised an exception"


_NO_ERROR = (Status.SUCCESS, Status.PARTIAL_SUCCESS)


class restart_after(Configured):
    """A feedback policy that starts from scratch after a number of errors in a row.

    Models often keep repairing code that should be discarded. After so many errors the next
    request has no earlier code, and a line on what went wrong in each of those attempts. In all
    other rounds the policy does not change the feedback.

    Args:
        errors: Number of attempts in a row whose status is neither SUCCESS nor PARTIAL_SUCCESS;
            3 by default.

    Raises:
        ValueError: errors is less than 1.
    """

    def __init__(self, errors: int = 3) -> None:
        if errors < 1:
            raise ValueError(f"restart_after({errors!r}): must be at least 1")
        self.errors = errors

    def __call__(self, report: Report) -> Feedback | None:
        """Return new feedback after so many errors, else None."""
        attempts = report.feedback.previous_attempts
        failed = list(takewhile(lambda one: one.status not in _NO_ERROR, reversed(attempts)))
        if not failed or len(failed) % self.errors:
            return None
        summaries = "\n".join(f"- {one.summary}" for one in reversed(failed[: self.errors]))
        return Feedback(
            text=f"The last {self.errors} attempts failed. Start from scratch. They failed with:\n"
            f"{summaries}",
            attempt=report.feedback.attempt,
            previous_attempts=attempts,
        )
