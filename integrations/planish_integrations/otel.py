"""Set up OpenTelemetry's SDK in one line, for programs that have not done so."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal

from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    ConsoleMetricExporter,
    MetricExporter,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    ConsoleSpanExporter,
    SimpleSpanProcessor,
    SpanExporter,
)

from planish.errors import MisuseError

__all__ = ["observe"]


@contextmanager
def observe(
    service: str = "planish",
    *,
    to: Literal["otlp", "console"] | SpanExporter | None = None,
    metrics_every: float = 60.0,
) -> Generator[TracerProvider]:
    """Set up OpenTelemetry's SDK for the length of a `with` block; flush at its end.

    For the outermost level of a program: it sets the global providers, so your own spans are part
    of the same traces. A library, or a program that has set up OpenTelemetry, does not need it:
    planish uses the existing providers.

    Args:
        service: `service.name` of the telemetry.
        to: "otlp": over HTTP to `OTEL_EXPORTER_OTLP_ENDPOINT` (http://localhost:4318 if it is not
            set); "console": to standard error; or your own exporter for spans. None (the default):
            "otlp" if the endpoint is set, else "console".
        metrics_every: Seconds between two exports of metrics; 60.0 by default.

    Yields:
        The tracer provider, to which processors can be added.

    Raises:
        MisuseError: global providers are set, so OpenTelemetry is set up already.
    """
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        raise MisuseError(
            "observe(): OpenTelemetry is set up already, and planish uses it; remove this call"
        )
    if to is None:
        to = "otlp" if os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") else "console"
    resource = Resource.create({"service.name": service})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(_span_processor(to))
    exporter = _metric_exporter(to)
    readers = []
    if exporter is not None:
        readers = [PeriodicExportingMetricReader(exporter, metrics_every * 1000)]
    meters = MeterProvider(metric_readers=readers, resource=resource)
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    try:
        yield tracers
    finally:
        tracers.shutdown()
        meters.shutdown()


def _span_processor(to: str | SpanExporter) -> SpanProcessor:
    if isinstance(to, SpanExporter):
        return SimpleSpanProcessor(to)
    if to == "console":
        return SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr))
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
        OTLPSpanExporter,
    )

    return BatchSpanProcessor(OTLPSpanExporter())


def _metric_exporter(to: str | SpanExporter) -> MetricExporter | None:
    if isinstance(to, SpanExporter):
        return None
    if to == "console":
        return ConsoleMetricExporter(out=sys.stderr)
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import (  # noqa: PLC0415
        OTLPMetricExporter,
    )

    return OTLPMetricExporter()
