"""Metrics: what is measured, once per model request, sandbox run, loop and run."""

from functools import lru_cache

from opentelemetry import metrics
from opentelemetry.metrics import Counter, Histogram, MeterProvider
from opentelemetry.util.types import AttributeValue

from planish.scopes.scope import Scope
from planish.tracing import names

__all__ = ["Instruments", "instruments"]


class Instruments:
    """The instruments of one meter provider."""

    def __init__(self, provider: MeterProvider | None) -> None:
        meter = metrics.get_meter("planish", meter_provider=provider)

        def histogram(name: str, unit: str, description: str) -> Histogram:
            return meter.create_histogram(
                name,
                unit,
                description,
                explicit_bucket_boundaries_advisory=names.BUCKETS[name],
            )

        self.workflow = histogram(names.WORKFLOW_DURATION, "s", "Duration of pipeline runs")
        self.agent = histogram(names.AGENT_DURATION, "s", "Duration of loops and generators")
        self.tool = histogram(names.TOOL_DURATION, "s", "Duration of sandbox runs")
        self.chat = histogram(names.CHAT_DURATION, "s", "Duration of model requests")
        self.first_chunk = histogram(
            names.FIRST_CHUNK_DURATION, "s", "Time to the first piece of a streamed answer"
        )
        self.tokens = histogram(names.TOKEN_USAGE, "{token}", "Tokens used by model requests")
        self.attempts = histogram(
            names.ATTEMPTS_METRIC, "{attempt}", "Attempts until a loop stopped"
        )
        self.verdicts: Counter = meter.create_counter(
            names.VERDICTS_METRIC, "{verdict}", "Verdicts by label and status"
        )
        self.cost: Counter = meter.create_counter(names.COST_METRIC, "USD", "Cost, as far as known")

    def count_tokens(self, used: dict[str, int], dims: dict[str, AttributeValue]) -> None:
        """Record tokens by type."""
        for kind, count in used.items():
            self.tokens.record(count, {**dims, names.TOKEN_TYPE: kind})


@lru_cache(maxsize=32)
def _instruments(provider: MeterProvider | None) -> Instruments:
    return Instruments(provider)


def instruments(scope: Scope) -> Instruments:
    """The scope's instruments, or those of the global meter provider."""
    return _instruments(scope.meter_provider)
