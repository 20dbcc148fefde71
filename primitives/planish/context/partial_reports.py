"""Reports of runs that were cut short, or that reached nothing."""

from dataclasses import replace
from typing import Any

from planish.data.attempt import Attempt
from planish.data.candidate import Candidate
from planish.data.execution import Execution, Failure
from planish.data.report import Report
from planish.data.status import Status
from planish.data.task import Task
from planish.data.usage import Usage
from planish.data.verdict import Finding, Verdict

__all__ = ["Entry", "empty_report", "report_of_entry", "returns_report"]

Entry = Candidate | Execution | Report
"""What a step has come to, as a ledger records it."""


def empty_report(value: object, stop_reason: str, usage: Usage) -> Report | None:
    """Return the report of a run that reached nothing; None if its input is not a `Task`.

    Args:
        value: The input of the run.
        stop_reason: What stopped it: "budget", "timeout".
        usage: What it used.
    """
    if not isinstance(value, Task):
        return None
    return Report(task=value, stop_reason=stop_reason, usage=usage)


def returns_report(signature: tuple[Any, Any]) -> bool:
    """Return whether a signature's output type is `Report`.

    Args:
        signature: Input type and output type of a step.
    """
    output = signature[1]
    return isinstance(output, type) and issubclass(output, Report)


def report_of_entry(entry: Entry) -> Report:
    """Return the report of one entry of a ledger; of what was not judged, that it was cut short."""
    match entry:
        case Report():
            return entry
        case Execution():
            return _unverified_report(entry, "the run was cut short before this was judged")
        case Candidate():
            reason = "the run was cut short before the execution of this had ended"
            failure = Failure(name="NotRun", message=reason)
            execution = Execution(candidate=entry, status=Status.INFRA_ERROR, failure=failure)
            return _unverified_report(execution, reason)


def _unverified_report(execution: Execution, reason: str) -> Report:
    finding = Finding(message=reason, severity="info")
    verdict = Verdict(execution=execution, label="unverified", findings=(finding,), judge="none")
    task = replace(execution.candidate.task, feedback=None)
    return Report(task=task, history=(Attempt(index=1, verdict=verdict),))
