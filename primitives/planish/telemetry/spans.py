"""Spans that are current for a `with` block, cheaper than the API's own context manager."""

from collections.abc import Mapping
from contextvars import Token
from types import TracebackType

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue

from planish.context.scope import Scope, current
from planish.data.events import SandboxChanged
from planish.data.usage import Usage
from planish.telemetry import names

__all__ = [
    "SCOPE",
    "Attributes",
    "SpanScope",
    "add_sandbox_event",
    "error_type",
    "span_scope",
    "tracer_of",
    "usage_attributes",
    "without_none",
]

Attributes = Mapping[str, AttributeValue]

SCOPE = ("planish", "0.1.0")
"""Name and version of the instrumentation scope; the version is `planish.__version__`."""


def error_type(error: BaseException) -> str:
    """Return the value of the attribute `error.type` for an exception."""
    kind = type(error)
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def usage_attributes(usage: Usage) -> dict[str, AttributeValue | None]:
    """Return the attributes of the tokens and the cost of a call; None for those to omit.

    Args:
        usage: What the call used, its failed tries included.
    """
    return {
        names.INPUT_TOKENS: usage.input_tokens,
        names.OUTPUT_TOKENS: usage.output_tokens,
        names.CACHED_TOKENS: usage.cached_tokens or None,
        names.CACHE_WRITE_TOKENS: usage.cache_write_tokens or None,
        names.REASONING_TOKENS: usage.reasoning_tokens or None,
        names.ESTIMATED_TOKENS: usage.estimated_tokens or None,
        names.COST: usage.usd or None,
    }


class SpanScope:
    """A `with` block in which a span is current; the span ends with the block.

    Args:
        span: The span, started.
    """

    __slots__ = ("_token", "span")

    def __init__(self, span: Span) -> None:
        self.span: Span = span

    def __enter__(self) -> Span:
        self._token: Token[Context] = otel_context.attach(trace.set_span_in_context(self.span))
        return self.span

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace_: TracebackType | None,
    ) -> None:
        otel_context.detach(self._token)
        if error is not None:
            _set_error(self.span, error)
        self.span.end()


def _set_error(span: Span, error: BaseException) -> None:
    span.set_attribute(names.ERROR_TYPE, error_type(error))
    # Cancellation, as of a race's other branches, is not an error: the status stays unset.
    if isinstance(error, Exception):
        span.set_status(Status(StatusCode.ERROR, _message(error)))


def _message(error: Exception) -> str:
    try:
        return str(error)[:200]
    except Exception:  # noqa: BLE001 - the run must not depend on a user's `__str__`
        return type(error).__name__


class _NoSpan:
    __slots__ = ()

    def __enter__(self) -> Span:
        return trace.INVALID_SPAN

    def __exit__(self, *_: object) -> None:
        return None


_NO_SPAN = _NoSpan()


def tracer_of(scope: Scope) -> Tracer:
    """Return the tracer of the scope's tracer provider, or of the global one."""
    return trace.get_tracer(*SCOPE, tracer_provider=scope.tracer_provider)


def span_scope(
    name: str, attributes: Attributes, kind: SpanKind = SpanKind.INTERNAL
) -> SpanScope | _NoSpan:
    """Start a span below the current one for a `with` block; do nothing if the run is not traced.

    Args:
        name: The span's name.
        attributes: Its attributes from the start.
        kind: Its kind: `CLIENT` for calls that leave the process.
    """
    tracer = current().tracer
    if tracer is None:
        return _NO_SPAN
    return SpanScope(tracer.start_span(name, kind=kind, attributes=attributes))


def without_none(values: Mapping[str, AttributeValue | None]) -> dict[str, AttributeValue]:
    """Return the attributes that have a value."""
    return {name: value for name, value in values.items() if value is not None}


def add_sandbox_event(event: SandboxChanged) -> None:
    """Add a change of a sandbox to the current span, for users of traces only."""
    span = trace.get_current_span()
    if not span.is_recording():  # also one that has ended
        return
    values: dict[str, AttributeValue | None] = {
        names.SANDBOX_NAME: event.sandbox,
        names.SANDBOX_ID: event.sandbox_id,
        names.SANDBOX_STATE: event.state,
        names.SANDBOX_DURATION: event.duration,
    }
    span.add_event(names.SANDBOX_CHANGED, without_none(values))
