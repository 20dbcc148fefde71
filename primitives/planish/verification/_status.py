"""The status of a run, and how far its evidence is isolated from the candidate."""

from collections.abc import Sequence

from planish.data.candidate import Candidate
from planish.data.execution import Failure, Separation, TestResult
from planish.data.program import Completed
from planish.data.status import NEUTRAL_STATUSES, Status
from planish.data.tests import StdioPairs
from planish.verification._analysis import why_together
from planish.verification._records import Run

__all__ = ["separation_of", "status_of"]


_EXHAUSTED = ("MemoryError", "RecursionError", "ResourceLimit")


def status_of(
    tests: Sequence[TestResult],
    failure: Failure | None,
    completed: Sequence[Completed],
    runs: Sequence[Run],
    *,
    pairs: bool,
) -> Status:
    """Say in one word how it ended: the first that holds.

    A pair that has not run was left out on purpose; another test that has not was kept from it.

    The candidate does not compile in the sandbox; the record was tampered with; the tests are
    broken; a program was stopped at a limit; the first failure is for want of memory or stack;
    all tests that count passed; a program was killed; some tests passed; what was given was
    wrong; something was raised. Without tests: an exit code of 0.
    """
    limit = next((one.limit for one in completed if one.limit is not None), None)
    counted = [test for test in tests if test.status not in NEUTRAL_STATUSES]
    passed = [test.status == "passed" for test in counted]
    killed = any(one.signal is not None for one in completed)
    if any(run.failure is not None and run.failure.get("syntax") for run in runs):
        return Status.SYNTAX_ERROR
    if failure is not None and failure.name == "Tampering":
        return Status.RUNTIME_ERROR
    if any(run.broken_tests is not None for run in runs):
        return Status.TEST_ERROR
    if limit == "seconds" or any(run.timed_out for run in runs):
        return Status.TIMEOUT
    if limit is not None:
        return Status.RESOURCE_LIMIT
    if failure is not None and failure.name == "Timeout":
        return Status.TIMEOUT
    if all(passed) and (tests or failure is None):
        return Status.SUCCESS
    if failure is not None and failure.name in _EXHAUSTED:
        return Status.RESOURCE_LIMIT
    if any(passed) and not killed:
        return Status.PARTIAL_SUCCESS
    wrong = any(test.status == "failed" for test in counted) and not killed
    stopped = ("error",) if pairs else ("error", "not_run")
    raised = any(test.status in stopped for test in counted)
    return Status.WRONG_ANSWER if wrong and not raised else Status.RUNTIME_ERROR


def separation_of(
    candidate: Candidate, completed: Sequence[Completed], runs: Sequence[Run]
) -> tuple[Separation, tuple[str, ...]]:
    """Name the separation of a run, and why it is less than "isolated", a sentence each."""
    match candidate.task.tests:
        case None:
            return "exit_code", ("there are no tests: only the exit code was looked at",)
        case StdioPairs():
            reasons = _of_output(completed)
        case tests if together := why_together(tests):
            reasons = [together]
        case _:
            reasons = [reason for one in completed for reason in _of_sandbox(one)]
            reasons += [reason for run in runs for reason in run.weakened_by]
            if not reasons and not all(run.apart for run in runs):
                reasons = ["the process that judges did not report that it is kept apart"]
    found = tuple(dict.fromkeys(reasons))
    return ("shared_process" if found else "isolated"), found


def _of_output(completed: Sequence[Completed]) -> list[str]:
    """The host compares what a program wrote, so it must not see what it is compared with."""
    if all("files" in one.guarantees for one in completed):
        return []
    return ["the sandbox does not keep programs from the files of the machine that judges"]


def _of_sandbox(completed: Completed) -> list[str]:
    reasons: list[str] = []
    if completed.results is None:
        reasons.append("the sandbox has no descriptor for results: they passed through a file")
    if "results" not in completed.guarantees:
        reasons.append(
            "the sandbox does not promise that programs cannot reach the process that judges"
        )
    return reasons
