"""One road for events: to the listeners, then to the log."""

from planish.context.scope import current
from planish.data.events import Event
from planish.telemetry.logs import is_logging, log

__all__ = ["emit"]


def emit(event: Event) -> None:
    """Tell everyone who listens."""
    for listener in current().listeners:
        listener(event)
    if is_logging():
        log(event)
