"""Catch the spans, metrics and evaluation events of runs, without touching global providers."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, MetricsData
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from planish.context.scope import override_context

__all__ = ["Captured", "capture"]


@dataclass(frozen=True, slots=True)
class Captured:
    """What was caught. Needs the OpenTelemetry SDK: `pip install planish[otel]`."""

    _exporter: InMemorySpanExporter
    _reader: InMemoryMetricReader

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        """Every span that has ended, in the order in which they started."""
        return sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    def named(self, name: str) -> Sequence[ReadableSpan]:
        """The spans of that name; a name that ends in `*` is a prefix."""
        if name.endswith("*"):
            return [span for span in self.spans if span.name.startswith(name[:-1])]
        return [span for span in self.spans if span.name == name]

    def tree(self, *attributes: str) -> str:
        """The spans as an indented tree, one a line.

        Args:
            attributes: Which of their attributes to show, where they have them.
        """
        known = {span.context.span_id for span in self.spans if span.context}
        roots = [s for s in self.spans if s.parent is None or s.parent.span_id not in known]
        return "\n".join(line for root in roots for line in self._lines(root, 0, attributes))

    def _lines(self, span: ReadableSpan, depth: int, shown: Sequence[str]) -> Iterable[str]:
        known = span.attributes or {}
        found = [f"{name.rpartition('.')[2]}={known[name]!s}" for name in shown if name in known]
        yield " ".join(["  " * depth + span.name, *found])
        for child in self.spans:
            if child.parent and span.context and child.parent.span_id == span.context.span_id:
                yield from self._lines(child, depth + 1, shown)

    def metrics(self) -> set[str]:
        """The names of all metrics that have a point."""
        data: MetricsData | None = self._reader.get_metrics_data()
        return {
            metric.name
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


@contextmanager
def capture() -> Generator[Captured]:
    """Catch the telemetry of the runs inside a `with` block."""
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    meters = MeterProvider(metric_readers=[reader])
    try:
        with override_context(tracer_provider=tracers, meter_provider=meters):
            yield Captured(exporter, reader)
    finally:
        tracers.shutdown()
        meters.shutdown()
