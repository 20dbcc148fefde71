"""Events as structlog entries, with trace and span id. Silent unless structlog is configured."""

import sys
from collections.abc import MutableMapping
from typing import Any

from opentelemetry import trace

from planish.context.scope import current
from planish.data.events import (
    AttemptStarted,
    BranchEnded,
    CandidateJudged,
    CodeExecuted,
    CodeGenerated,
    Event,
    LoopStopped,
    RunEnded,
    RunStarted,
    TokensReceived,
)

__all__ = ["add_run_context", "is_logging", "log"]


def is_logging() -> bool:
    """Return whether the program has configured structlog; its default would print."""
    # Who configures structlog has imported it. To import it here would cost every program a third
    # of its start: structlog loads asyncio, and rich where that is installed.
    is_configured = getattr(sys.modules.get("structlog"), "is_configured", None)
    return is_configured is not None and is_configured()


def add_run_context(
    logger: object, method: str, entry: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """A structlog processor: adds `trace_id`, `span_id`, `path` and `attempt` where known.

    Put it among your processors, and your own steps' log entries can be found by trace.
    """
    del logger, method
    span = trace.get_current_span().get_span_context()
    if span.is_valid:
        entry.setdefault("trace_id", f"{span.trace_id:032x}")
        entry.setdefault("span_id", f"{span.span_id:016x}")
    scope = current()
    if scope.path:
        entry.setdefault("path", scope.path)
    if scope.attempt:
        entry.setdefault("attempt", scope.attempt)
    return entry


def log(event: Event) -> None:
    """One entry for an event; pieces of text are not logged."""
    if isinstance(event, TokensReceived):
        return
    fields: dict[str, Any] = dict(add_run_context(None, "info", _fields(event)))
    sys.modules["structlog"].get_logger("planish").info(event.kind, **fields)


def _fields(event: Event) -> dict[str, Any]:
    match event:
        case RunStarted(pipeline=pipeline):
            return {"pipeline": pipeline}
        case RunEnded(pipeline=pipeline, error=error):
            return {"pipeline": pipeline, "error": error}
        case AttemptStarted(maximum=maximum):
            return {"maximum": maximum}
        case CodeGenerated(candidate=candidate):
            return {"digest": candidate.digest, "problem": candidate.problem}
        case CodeExecuted(execution=execution):
            return {"status": execution.status.value, "duration": execution.duration}
        case CandidateJudged(report=report):
            verdict = report.verdict
            status = report.status
            return {
                "verdict": verdict.label if verdict else None,
                "score": report.score,
                "status": status.value if status else None,
            }
        case BranchEnded(name=name, outcome=outcome):
            return {"branch": name, "outcome": outcome}
        case LoopStopped(reason=reason, passed=passed, score=score):
            return {"reason": reason, "passed": passed, "score": score}
        case TokensReceived():
            return {}
