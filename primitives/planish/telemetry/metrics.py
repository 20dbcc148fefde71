"""Metrics of model requests, sandbox runs, loops and pipeline runs."""

import time
from functools import lru_cache
from types import TracebackType

from opentelemetry import metrics
from opentelemetry.metrics import Counter, Histogram, MeterProvider
from opentelemetry.util.types import AttributeValue

from planish.context.scope import Scope
from planish.data.usage import Usage
from planish.telemetry import names
from planish.telemetry.spans import SCOPE, error_type

__all__ = ["Instruments", "instruments", "timed"]


class Instruments:
    """The instruments of one meter provider.

    Args:
        provider: The meter provider; None for the global one.
    """

    def __init__(self, provider: MeterProvider | None) -> None:
        meter = metrics.get_meter(*SCOPE, meter_provider=provider)

        def histogram(name: str, unit: str, description: str) -> Histogram:
            return meter.create_histogram(
                name,
                unit,
                description,
                explicit_bucket_boundaries_advisory=names.BUCKETS[name],
            )

        self.workflow: Histogram = histogram(
            names.WORKFLOW_DURATION, "s", "Duration of pipeline runs"
        )
        self.agent: Histogram = histogram(
            names.AGENT_DURATION, "s", "Duration of loops and generators"
        )
        self.tool: Histogram = histogram(names.TOOL_DURATION, "s", "Duration of sandbox runs")
        self.chat: Histogram = histogram(names.CHAT_DURATION, "s", "Duration of model requests")
        self.first_chunk: Histogram = histogram(
            names.FIRST_CHUNK_DURATION, "s", "Time to the first piece of a streamed answer"
        )
        self.tokens: Histogram = histogram(
            names.TOKEN_USAGE, "{token}", "Tokens used by model requests"
        )
        self.attempts: Histogram = histogram(
            names.ATTEMPTS_METRIC, "{attempt}", "Attempts until a loop stopped"
        )
        self.verdicts: Counter = meter.create_counter(
            names.VERDICTS_METRIC, "{verdict}", "Verdicts by label and status"
        )
        self.cost: Counter = meter.create_counter(names.COST_METRIC, "USD", "Cost, as far as known")
        self.sandbox_seconds: Counter = meter.create_counter(
            names.SANDBOX_SECONDS_METRIC, "s", "Wall seconds of programs in sandboxes"
        )
        self.branches: Counter = meter.create_counter(
            names.BRANCHES_METRIC, "{branch}", "Branches by how they ended"
        )

    def count_usage(self, usage: Usage, dims: dict[str, AttributeValue]) -> None:
        """Record the tokens and the cost of a call; nothing if it used nothing.

        Args:
            usage: What the call used, its failed tries included.
            dims: The attributes of the data points.
        """
        if usage == Usage():
            return
        for kind, count in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            self.tokens.record(count, {**dims, names.TOKEN_TYPE: kind})
        if usage.usd:
            self.cost.add(usage.usd, dims)


class timed:  # noqa: N801 - reads as what it does: `with timed(histogram, dims):`
    """Record how long a `with` block takes.

    Args:
        histogram: A histogram of seconds.
        dims: The attributes of the data point; the block may add to them. If the block raises,
            `error.type` is added.
    """

    __slots__ = ("_begin", "_dims", "_histogram")

    def __init__(self, histogram: Histogram, dims: dict[str, AttributeValue]) -> None:
        self._histogram = histogram
        self._dims = dims

    def __enter__(self) -> None:
        self._begin = time.perf_counter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self._dims[names.ERROR_TYPE] = error_type(error)
        self._histogram.record(time.perf_counter() - self._begin, self._dims)


@lru_cache(maxsize=32)
def _instruments(provider: MeterProvider | None) -> Instruments:
    return Instruments(provider)


def instruments(scope: Scope) -> Instruments:
    """Return the instruments of the scope's meter provider, or of the global one."""
    return _instruments(scope.meter_provider)
