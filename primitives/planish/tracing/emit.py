"""One road for events: to the listeners, then to the log."""

from planish.scopes.events import Event
from planish.scopes.scope import current
from planish.tracing.logs import log, logging

__all__ = ["emit"]


def emit(event: Event) -> None:
    """Tell everyone who listens."""
    for listener in current().listeners:
        listener(event)
    if logging():
        log(event)
