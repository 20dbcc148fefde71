"""What one answer used, and what it cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from planish.data.usage import Usage
from planish_integrations.openai._json import as_count, as_map

__all__ = ["Price", "usage_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs, in US dollars per million tokens, as its provider's price list says.

    None is built in: a table in a library is wrong the day a provider changes it.

    Attributes:
        input: Of input tokens.
        output: Of output tokens, reasoning ones included.
        cached: Of input tokens read from the provider's cache; None (the default) for the
            price of the others.

    Raises:
        ValueError: a price is negative or not finite.
    """

    input: float
    output: float
    cached: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached"):
            value: float | None = getattr(self, name)
            if value is not None and not (value >= 0 and isfinite(value)):
                raise ValueError(f"Price({name}={value!r}): must be from 0 and finite")

    def of(self, usage: Usage) -> float:
        """What `usage` costs in US dollars."""
        cached = self.input if self.cached is None else self.cached
        # Some servers count hidden prompts as cached but not as input (recorded: 161 of 7).
        hits = min(usage.cached_tokens, usage.input_tokens)
        sent = (usage.input_tokens - hits) * self.input + hits * cached
        return (sent + usage.output_tokens * self.output) / 1_000_000


def usage_of(told: Mapping[str, object], price: Price | None) -> Usage:
    """The usage of one answer; what the provider does not tell counts as 0.

    Args:
        told: The answer's `usage` object; empty where there is none.
        price: What the model costs, where known.
    """
    usage = Usage(
        input_tokens=as_count(told.get("prompt_tokens")),
        output_tokens=as_count(told.get("completion_tokens")),
        cached_tokens=_cached(told),
        reasoning_tokens=as_count(
            as_map(told.get("completion_tokens_details")).get("reasoning_tokens")
        ),
        model_calls=1,
    )
    return usage if price is None else usage + Usage(usd=price.of(usage))


def _cached(told: Mapping[str, object]) -> int:
    # OpenAI's place first; DeepSeek and Together have names of their own.
    return (
        as_count(as_map(told.get("prompt_tokens_details")).get("cached_tokens"))
        or as_count(told.get("prompt_cache_hit_tokens"))
        or as_count(told.get("cached_tokens"))
    )
