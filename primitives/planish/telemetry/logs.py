"""Send events to the listeners and to the log, with trace and span id.

The log is structlog's; nothing is logged unless the program has configured it.
"""

import sys
from collections.abc import Generator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace

from planish.context.path import current_path, format_path
from planish.context.scope import current
from planish.data.events import (
    AttemptStarted,
    BranchEnded,
    CandidateJudged,
    CodeExecuted,
    CodeGenerated,
    Event,
    LoopStopped,
    ModelCallEnded,
    ModelCallStarted,
    RunEnded,
    RunStarted,
    SandboxRunEnded,
    SandboxRunStarted,
    TokensReceived,
)

__all__ = ["add_run_context", "emit", "is_logging", "noting_listener_errors"]


def emit(event: Event) -> None:
    """Call every listener of the scope with an event, then log it."""
    for listener in current().listeners:
        listener(event)
    if is_logging():
        _log(event)


@contextmanager
def noting_listener_errors(error: BaseException) -> Generator[None]:
    """Add what a listener raises in a `with` block to an error, as a note.

    Args:
        error: The error of the run, which is about to be raised: it comes first.
    """
    try:
        yield
    except Exception as listener_error:  # noqa: BLE001 - a listener may raise anything
        error.add_note(f"a listener raised {listener_error!r} when it was told of this")


def is_logging() -> bool:
    """Return whether the program has configured structlog, whose default prints."""
    # A program that has configured structlog has imported it. To import it here would take a third
    # of planish's import time: structlog imports asyncio, and rich where that is installed.
    is_configured = getattr(sys.modules.get("structlog"), "is_configured", None)
    return is_configured is not None and is_configured()


def add_run_context(
    logger: object, method: str, entry: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Add `trace_id`, `span_id`, `path` and `attempt` to a log entry, where known.

    This is a structlog processor. Add it to yours to find your own steps' log entries by trace.
    """
    del logger, method
    span = trace.get_current_span().get_span_context()
    if span.is_valid:
        entry.setdefault("trace_id", f"{span.trace_id:032x}")
        entry.setdefault("span_id", f"{span.span_id:016x}")
    scope = current()
    path = current_path()
    if path:
        entry.setdefault("path", format_path(path))
    if scope.attempt:
        entry.setdefault("attempt", scope.attempt)
    return entry


def _log(event: Event) -> None:
    if isinstance(event, TokensReceived):  # too many to log
        return
    fields: dict[str, Any] = dict(add_run_context(None, "info", _fields(event)))
    sys.modules["structlog"].get_logger("planish").info(event.kind, **fields)


_PLAIN_FIELDS: Mapping[type[Event], tuple[str, ...]] = {
    RunStarted: ("pipeline",),
    RunEnded: ("pipeline", "error"),
    AttemptStarted: ("maximum",),
    LoopStopped: ("reason", "passed", "score"),
    ModelCallStarted: ("model", "provider"),
    ModelCallEnded: ("model", "provider", "error"),
    SandboxRunStarted: ("sandbox",),
    SandboxRunEnded: ("sandbox", "sandbox_id", "seconds", "limit", "error"),
}
"""The fields of an event that are logged as they are. None of them holds content."""


def _fields(event: Event) -> dict[str, Any]:
    match event:
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
        case _:
            return {name: getattr(event, name) for name in _PLAIN_FIELDS.get(type(event), ())}
