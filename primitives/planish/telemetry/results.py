"""Derive span attributes, metrics and events from the result of a step.

Steps contain no telemetry: it is read from the values that they return.
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
from planish.telemetry.spans import SCOPE

__all__ = ["attributes_of", "event_of", "record_verdict"]


def attributes_of(result: object) -> Mapping[str, AttributeValue]:
    """Return the attributes of the span of the step that returned this result."""
    match result:
        case Candidate():
            attributes: dict[str, AttributeValue] = {
                names.CANDIDATE: result.task.candidate,
                names.CANDIDATE_DIGEST: result.digest,
            }
            if result.problem:
                attributes[names.CANDIDATE_PROBLEM] = result.problem
            return attributes
        case Execution():
            attributes = {names.STATUS: result.status.value}
            if result.repeats is not None:
                attributes[names.REPEATS] = result.repeats
            return attributes
        case Report():
            return _report(result)
        case _:
            return {}


def _report(report: Report) -> Mapping[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {
        names.PASSED: report.passed,
        names.ATTEMPTS: report.attempts,
        names.STOP_REASON: report.stop_reason,
    }
    if report.status is not None:
        attributes[names.STATUS] = report.status.value
    if report.score is not None:
        attributes[names.SCORE] = report.score
    if report.evidence is not None:
        attributes[names.EVIDENCE_ORIGIN] = report.evidence.origin
        attributes[names.EVIDENCE_SEPARATION] = report.evidence.separation
    return attributes


def event_of(result: object, operation: str, context: dict[str, Any]) -> Event | None:
    """Return the event of a step's result; None if it has none.

    Args:
        result: The result of the step.
        operation: The step's `operation`; only the report of an "evaluate" step is an event.
        context: The event's `path` and `attempt`.
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


def record_verdict(report: Report, scope: Scope, span: Span) -> None:
    """Record a report's verdict: as OpenTelemetry's evaluation event, on the span, and in metrics.

    Args:
        report: The report of a judged candidate.
        scope: The scope of the step.
        span: The span of the step.
    """
    verdict = report.verdict
    if verdict is None:
        return
    attributes: dict[str, AttributeValue] = {
        names.EVALUATION_NAME: verdict.judge,
        names.EVALUATION_LABEL: {"passed": "pass", "failed": "fail"}.get(
            verdict.label, verdict.label
        ),
    }
    if verdict.score is not None:
        attributes[names.EVALUATION_SCORE] = float(verdict.score)
    if verdict.findings:
        attributes[names.EVALUATION_EXPLANATION] = verdict.findings[0].message[:500]
    reply = verdict.execution.candidate.reply
    if reply is not None and reply.id:
        attributes[names.RESPONSE_ID] = reply.id
    span.set_attribute(names.VERDICT, verdict.label)
    span.set_attribute(names.EVIDENCE_ORIGIN, verdict.evidence.origin)
    span.set_attribute(names.EVIDENCE_SEPARATION, verdict.evidence.separation)
    # As a log record, as the convention requires, and as a span event, for users of traces only.
    span.add_event(names.EVALUATION, attributes)
    get_logger(*SCOPE).emit(LogRecord(event_name=names.EVALUATION, attributes=attributes))
    dims = {names.VERDICT: verdict.label, names.STATUS: verdict.execution.status.value}
    instruments(scope).verdicts.add(1, dims)
