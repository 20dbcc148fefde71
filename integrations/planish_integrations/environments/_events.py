"""Each installation as an event of the span around."""

from collections.abc import Iterable

from opentelemetry import trace
from opentelemetry.util.types import AttributeValue

from ._records import Install

__all__ = ["INSTALL", "tell"]

INSTALL = "planish.environment.install"


def tell(installs: Iterable[Install]) -> None:
    """Add the events to the current span, if there is one that is kept."""
    span = trace.get_current_span()
    if not span.is_recording():
        return
    for one in installs:
        values: dict[str, AttributeValue] = {
            "planish.environment.distribution": one.distribution,
            "planish.environment.fingerprint": one.fingerprint,
            "planish.environment.outcome": one.outcome,
            "planish.environment.cached": one.cached,
            "planish.environment.seconds": one.seconds,
        }
        if one.version is not None:
            values["planish.environment.version"] = one.version
        if one.reason:
            values["planish.environment.reason"] = one.reason
        span.add_event(INSTALL, values)
