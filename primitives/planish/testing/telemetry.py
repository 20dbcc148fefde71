"""Capture the spans, metrics and evaluation events of runs, without the global providers."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, MetricsData
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from planish.context.scope import override_context

__all__ = ["Capture", "capture"]


@dataclass(frozen=True, slots=True)
class Capture:
    """The telemetry of a `capture` block; read with OpenTelemetry's SDK."""

    _exporter: InMemorySpanExporter
    _reader: InMemoryMetricReader

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        """The spans that have ended, in the order of their starts."""
        return sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    def by_name(self, name: str) -> Sequence[ReadableSpan]:
        """Return the spans with a name; a name that ends in `*` is a prefix."""
        if name.endswith("*"):
            return [span for span in self.spans if span.name.startswith(name[:-1])]
        return [span for span in self.spans if span.name == name]

    def tree(self, *attributes: str) -> str:
        """Return the spans as an indented tree, one per line.

        Args:
            attributes: The names of attributes to print, for spans that have them.
        """
        known = {span.context.span_id for span in self.spans if span.context}
        roots = [s for s in self.spans if s.parent is None or s.parent.span_id not in known]
        return "\n".join(line for root in roots for line in self._lines(root, 0, attributes))

    def _lines(self, span: ReadableSpan, depth: int, attributes: Sequence[str]) -> Iterable[str]:
        known = span.attributes or {}
        found = [
            f"{name.rpartition('.')[2]}={known[name]!s}" for name in attributes if name in known
        ]
        yield " ".join(["  " * depth + span.name, *found])
        for child in self.spans:
            if child.parent and span.context and child.parent.span_id == span.context.span_id:
                yield from self._lines(child, depth + 1, attributes)

    def metrics(self) -> set[str]:
        """Return the names of all metrics that have a data point."""
        data: MetricsData | None = self._reader.get_metrics_data()
        return {
            metric.name
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


@contextmanager
def capture() -> Generator[Capture]:
    """Capture the telemetry of the runs inside a `with` block."""
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    meters = MeterProvider(metric_readers=[reader])
    try:
        with override_context(tracer_provider=tracers, meter_provider=meters):
            yield Capture(exporter, reader)
    finally:
        tracers.shutdown()
        meters.shutdown()
