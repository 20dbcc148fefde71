"""What a trace looks like, and whether all of it has ended."""

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider

from planish.context.scope import override_context

__all__ = ["Counted", "counting", "shape"]

Shape = tuple[str, tuple[Any, ...]]


def shape(spans: Sequence[ReadableSpan]) -> list[Shape]:
    """The trees of names, children sorted: what runs at once starts in any order."""
    children: dict[int | None, list[ReadableSpan]] = {}
    known = {span.context.span_id for span in spans if span.context}
    for span in spans:
        above = span.parent.span_id if span.parent else None
        children.setdefault(above if above in known else None, []).append(span)

    def tree(span: ReadableSpan) -> Shape:
        assert span.context is not None
        return (span.name, tuple(sorted(map(tree, children.get(span.context.span_id, [])))))

    return sorted(map(tree, children.get(None, [])))


class Counted(SpanProcessor):
    """Counts spans as they start and end."""

    def __init__(self) -> None:
        self.open: Counter[str] = Counter()
        self.started = 0

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002
        self.started += 1
        self.open[span.name] += 1

    def on_end(self, span: ReadableSpan) -> None:
        self.open[span.name] -= 1

    @property
    def left_open(self) -> list[str]:
        """The names of the spans that have not ended."""
        return [name for name, count in self.open.items() if count]


@contextmanager
def counting() -> Generator[Counted]:
    """Count the spans of the runs in a `with` block."""
    counted = Counted()
    provider = TracerProvider()
    provider.add_span_processor(counted)
    try:
        with override_context(tracer_provider=provider):
            yield counted
    finally:
        provider.shutdown()
