"""What a step's result says on its span, in metrics and as an event.

Steps know nothing of this: it is read off the values they give.
"""

from collections.abc import Mapping
from typing import Any

from opentelemetry._logs import LogRecord, get_logger
from opentelemetry.trace import Span
from opentelemetry.util.types import AttributeValue

from planish.context.scope import Scope
from planish.data.candidate import Candidate
from planish.data.events import CandidateJudged, CodeExecuted, CodeGenerated, Event
from planish.data.execution import Execution
from planish.data.report import Report
from planish.telemetry import names
from planish.telemetry.metrics import instruments

__all__ = ["attributes_of", "evaluate", "event_of"]


def attributes_of(result: object) -> Mapping[str, AttributeValue]:
    """What is put on the span of the step that gave this."""
    match result:
        case Candidate():
            found: dict[str, AttributeValue] = {
                names.CANDIDATE: result.task.candidate,
                names.CANDIDATE_DIGEST: result.digest,
            }
            if result.problem:
                found[names.CANDIDATE_PROBLEM] = result.problem
            return found
        case Execution():
            found = {names.STATUS: result.status.value}
            if result.repeats is not None:
                found[names.REPEATS] = result.repeats
            return found
        case Report():
            return _report(result)
        case _:
            return {}


def _report(report: Report) -> Mapping[str, AttributeValue]:
    found: dict[str, AttributeValue] = {
        names.PASSED: report.passed,
        names.ATTEMPTS: report.attempts,
        names.STOP_REASON: report.stop_reason,
    }
    if report.status is not None:
        found[names.STATUS] = report.status.value
    if report.score is not None:
        found[names.SCORE] = report.score
    if report.evidence is not None:
        found[names.EVIDENCE_ORIGIN] = report.evidence.origin
        found[names.EVIDENCE_SEPARATION] = report.evidence.separation
    return found


def event_of(result: object, operation: str, context: dict[str, Any]) -> Event | None:
    """The event that a step's result is, if it is one.

    Args:
        result: What the step gave.
        operation: What kind of step it is; only an "evaluate" step's report is a judgement.
        context: `path` and `attempt`.
    """
    match result:
        case Candidate():
            return CodeGenerated(candidate=result, **context)
        case Execution():
            return CodeExecuted(execution=result, **context)
        case Report() if operation == "evaluate":
            return CandidateJudged(report=result, **context)
        case _:
            return None


def evaluate(report: Report, scope: Scope, span: Span) -> None:
    """The verdict as OpenTelemetry's evaluation event, and counted."""
    verdict = report.verdict
    if verdict is None:
        return
    found: dict[str, AttributeValue] = {
        names.EVALUATION_NAME: verdict.judge,
        names.EVALUATION_LABEL: {"passed": "pass", "failed": "fail"}.get(
            verdict.label, verdict.label
        ),
    }
    if verdict.score is not None:
        found[names.EVALUATION_SCORE] = float(verdict.score)
    if verdict.findings:
        found[names.EVALUATION_EXPLANATION] = verdict.findings[0].message[:500]
    reply = verdict.execution.candidate.reply
    if reply is not None and reply.id:
        found[names.RESPONSE_ID] = reply.id
    span.set_attribute(names.VERDICT, verdict.label)
    span.set_attribute(names.EVIDENCE_ORIGIN, verdict.evidence.origin)
    span.set_attribute(names.EVIDENCE_SEPARATION, verdict.evidence.separation)
    # As a log record, which is what the convention asks for, and as a span event, for the
    # many who look at traces only.
    span.add_event(names.EVALUATION, found)
    get_logger("planish").emit(LogRecord(event_name=names.EVALUATION, attributes=found))
    dims = {names.VERDICT: verdict.label, names.STATUS: verdict.execution.status.value}
    instruments(scope).verdicts.add(1, dims)
