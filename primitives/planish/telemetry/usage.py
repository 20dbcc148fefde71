"""Show what a model call has used: on its span and in metrics."""

from opentelemetry.util.types import AttributeValue

from planish.context.scope import Scope
from planish.data.usage import Usage
from planish.telemetry import names
from planish.telemetry.metrics import instruments

__all__ = ["count_usage", "usage_attributes"]


def usage_attributes(usage: Usage) -> dict[str, AttributeValue | None]:
    """Return the span's attributes of the tokens and the cost of a call; None for those to omit.

    Args:
        usage: What the call used, its failed tries included.
    """
    return {
        names.INPUT_TOKENS: usage.input_tokens,
        names.OUTPUT_TOKENS: usage.output_tokens,
        names.CACHED_TOKENS: usage.cached_tokens or None,
        names.REASONING_TOKENS: usage.reasoning_tokens or None,
        names.ESTIMATED_TOKENS: usage.estimated_tokens or None,
        names.COST: usage.usd or None,
    }


def count_usage(usage: Usage, scope: Scope, dims: dict[str, AttributeValue]) -> None:
    """Add the tokens and the cost of a call to the metrics.

    Args:
        usage: What the call used, its failed tries included.
        scope: The scope of the call.
        dims: The attributes of the measurements.
    """
    if usage == Usage():
        return
    meters = instruments(scope)
    counts = {"input": usage.input_tokens, "output": usage.output_tokens}
    meters.count_tokens(counts, dims)
    if usage.usd:
        meters.cost.add(usage.usd, dims)
