"""What a run used, and what models cost."""

from dataclasses import dataclass
from math import isfinite
from typing import Literal

from planish.data.record import Record

__all__ = ["FREE", "ModelPrice", "Price", "Usage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(Record):
    """What was used; two usages add up with `+`.

    Attributes:
        input_tokens: Tokens sent, cached ones included.
        output_tokens: Tokens received, reasoning ones included.
        cached_tokens: Of the input tokens, those read from the provider's cache.
        reasoning_tokens: Of the output tokens, those spent on reasoning.
        model_calls: Requests to a model that were answered.
        sandbox_runs: Programs run.
        sandbox_seconds: Wall seconds they ran.
        usd: Cost in US dollars, as far as prices are known; 0.0 where they are not.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    model_calls: int = 0
    sandbox_runs: int = 0
    sandbox_seconds: float = 0.0
    usd: float = 0.0

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            model_calls=self.model_calls + other.model_calls,
            sandbox_runs=self.sandbox_runs + other.sandbox_runs,
            sandbox_seconds=self.sandbox_seconds + other.sandbox_seconds,
            usd=self.usd + other.usd,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Price(Record):
    """What a model costs, in US dollars per million tokens, as its provider's price list says.

    Attributes:
        input: Of input tokens.
        output: Of output tokens, reasoning ones included.
        cache_read: Of input tokens read from the provider's cache; None (the default) for the
            price of the others.
        cache_write: Of input tokens written to the provider's cache; None (the default) for the
            price of the others.

    Raises:
        ValueError: a price is negative or not finite.
    """

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cache_read", "cache_write"):
            value: float | None = getattr(self, name)
            if value is not None and not (value >= 0 and isfinite(value)):
                raise ValueError(f"Price({name}={value!r}): must be from 0 and finite")

    def cost(self, usage: Usage, *, cache_write_tokens: int = 0) -> float:
        """What `usage` costs in US dollars.

        Args:
            usage: What was used.
            cache_write_tokens: Of its input tokens, those written to the provider's cache.
        """
        # Some servers count hidden prompts as cached but not as input (recorded: 161 of 7).
        hits = min(usage.cached_tokens, usage.input_tokens)
        stored = min(cache_write_tokens, usage.input_tokens - hits)
        sent = (usage.input_tokens - hits - stored) * self.input
        sent += hits * (self.input if self.cache_read is None else self.cache_read)
        sent += stored * (self.input if self.cache_write is None else self.cache_write)
        return (sent + usage.output_tokens * self.output) / 1_000_000

    def max_cost(self, input_tokens: float, output_tokens: float) -> float:
        """Compute the most that so many tokens can cost, in US dollars; 0.0 where all is free."""
        dearest = max(self.input, self.cache_read or 0.0, self.cache_write or 0.0)
        parts = ((dearest, input_tokens), (self.output, output_tokens))
        # 0 times infinity is no number: what is free is free however much of it there is.
        return sum(price * count for price, count in parts if price) / 1_000_000


FREE = Price(input=0.0, output=0.0)
"""The price of a model that costs nothing: a server of one's own, a script."""

ModelPrice = Price | Literal["reported"] | None
"""What is known of a model's price: per token; or only that each reply reports in `Usage.usd` what
it cost; or nothing (None)."""
