"""What a step costs: untraced beside a plain await, traced beside a bare span."""

from collections.abc import Sequence
from functools import reduce

import pytest
from measure import compare
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from planish import Primitive, step
from planish.context.scope import override_context

pytestmark = pytest.mark.benchmark

STEPS = 100


async def same(value: int) -> int:
    return value


def chain() -> Primitive[int, int]:
    steps: list[Primitive[int, int]] = [step(same) for _ in range(STEPS)]
    return reduce(lambda first, second: first >> second, steps)


class Nowhere(SpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        del spans
        return SpanExportResult.SUCCESS


def test_an_untraced_step_costs_at_most_ten_plain_awaits() -> None:
    pipeline = chain()

    async def plain() -> None:
        for _ in range(20):
            value = 1
            for _ in range(STEPS):
                value = await same(value)

    async def ours() -> None:
        for _ in range(20):
            await pipeline.run(1)

    measured = compare({"plain": plain, "ours": ours})
    micros = measured.seconds["ours"] / (20 * STEPS) * 1e6
    ratio = measured.ratio("ours", "plain")
    print(f"untraced step: {micros:.2f} µs, {ratio:.1f} plain awaits")
    # A plain await takes 0.1 µs where this was set: ten of them are the 1 µs a step may cost.
    assert ratio <= 10


def test_a_traced_step_costs_at_most_a_quarter_more_than_a_bare_span() -> None:
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Nowhere()))
    tracer = provider.get_tracer("bare")
    pipeline = chain()

    async def bare() -> None:
        for _ in range(5):
            value = 1
            with (
                tracer.start_as_current_span("invoke_workflow"),
                tracer.start_as_current_span("planish.sequential"),
            ):
                for _ in range(STEPS):
                    attributes = {"planish.step": "same"}
                    with tracer.start_as_current_span("planish.same", attributes=attributes):
                        value = await same(value)

    async def traced() -> None:
        with override_context(tracer_provider=provider):
            for _ in range(5):
                await pipeline.run(1)

    measured = compare({"bare": bare, "traced": traced})
    provider.shutdown()
    ratio = measured.ratio("traced", "bare")
    print(f"traced step: {ratio:.2f} bare spans")
    assert ratio <= 1.25
