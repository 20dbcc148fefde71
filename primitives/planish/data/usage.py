"""What a run has used: tokens, calls, sandbox time, money."""

from dataclasses import dataclass

from planish.data._record import Record

__all__ = ["Usage"]


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
