"""Send events to the listeners and the log, with trace and span id; add some to the span.

The log is structlog's; nothing is logged unless the program has configured it.
"""

import sys
import time
from collections.abc import Generator, MutableMapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from opentelemetry import trace

from planish.context.path import current_path, format_path
from planish.context.scope import current
from planish.data.events import Event, SandboxChanged, TokensReceived
from planish.telemetry.spans import add_sandbox_event

__all__ = ["add_run_context", "emit", "is_logging", "noting_listener_errors"]


def emit(event: Event) -> None:
    """Call every listener of the scope with an event, then log it.

    Its path, attempt, run id, time and ids of trace and span are filled in where they are not
    set. A `SandboxChanged` is an event of the current span too. Without a listener, a log and a
    span, nothing happens.

    Args:
        event: The event, of planish or of a class of your own.
    """
    if isinstance(event, SandboxChanged):
        add_sandbox_event(event)
    listeners = current().listeners
    logging = is_logging()
    if not listeners and not logging:
        return
    event = _with_place(event)
    for listener in listeners:
        listener(event)
    if logging:
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
        error.add_note(f"a listener raised {listener_error!r} when it received this")


def _with_place(event: Event) -> Event:
    """Return an event with what is known of the place and time where it is emitted."""
    scope = current()
    span = trace.get_current_span().get_span_context()
    return replace(
        event,
        path=event.path or current_path(),
        attempt=event.attempt or scope.attempt,
        run_id=event.run_id or scope.run_id,
        time=event.time or time.time(),
        trace_id=event.trace_id or (f"{span.trace_id:032x}" if span.is_valid else None),
        span_id=event.span_id or (f"{span.span_id:016x}" if span.is_valid else None),
    )


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
    fields: dict[str, Any] = dict(add_run_context(None, "info", dict(event.fields())))
    sys.modules["structlog"].get_logger("planish").info(event.kind, **fields)
