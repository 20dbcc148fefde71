"""A span that is current for a while, at less cost than the API's own context manager."""

from collections.abc import Mapping
from contextvars import Token
from types import TracebackType

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue

from planish.context.scope import Scope, current
from planish.telemetry import names

__all__ = ["Attributes", "Section", "error_type", "section", "tracer_of"]

Attributes = Mapping[str, AttributeValue]

_SCOPE_NAME = "planish"


def error_type(error: BaseException) -> str:
    """What `error.type` says of an exception."""
    kind = type(error)
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


class Section:
    """A span that is current from entering to leaving."""

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
    # A cancelled loser is not an error of the run: its status stays unset.
    if isinstance(error, Exception):
        span.set_status(Status(StatusCode.ERROR, _message(error)))


def _message(error: Exception) -> str:
    try:
        return str(error)[:200]
    except Exception:  # noqa: BLE001 - a stranger's `__str__`; the run must not depend on it
        return type(error).__name__


class _Nothing:
    __slots__ = ()

    def __enter__(self) -> Span:
        return trace.INVALID_SPAN

    def __exit__(self, *_: object) -> None:
        return None


_NOTHING = _Nothing()


def tracer_of(scope: Scope) -> Tracer:
    """The scope's own tracer provider's, or the global one's."""
    return trace.get_tracer(_SCOPE_NAME, tracer_provider=scope.tracer_provider)


def section(
    name: str, attributes: Attributes, kind: SpanKind = SpanKind.INTERNAL
) -> Section | _Nothing:
    """A new span below the current one if this run is traced; else nothing at all."""
    tracer = current().tracer
    if tracer is None:
        return _NOTHING
    return Section(tracer.start_span(name, kind=kind, attributes=attributes))
