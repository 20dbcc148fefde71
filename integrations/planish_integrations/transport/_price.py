"""What one answer cost."""

from dataclasses import dataclass
from math import isfinite

from planish.data.usage import Usage

__all__ = ["Price"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs, in US dollars per million tokens, as its provider's price list says.

    Attributes:
        input: Of input tokens.
        output: Of output tokens, reasoning ones included.
        cached: Of input tokens read from the provider's cache; None (the default) for the
            price of the others.
        written: Of input tokens written to the provider's cache; None (the default) for the
            price of the others.

    Raises:
        ValueError: a price is negative or not finite.
    """

    input: float
    output: float
    cached: float | None = None
    written: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached", "written"):
            value: float | None = getattr(self, name)
            if value is not None and not (value >= 0 and isfinite(value)):
                raise ValueError(f"Price({name}={value!r}): must be from 0 and finite")

    def of(self, usage: Usage, *, written: int = 0) -> float:
        """What `usage` costs in US dollars.

        Args:
            usage: What was used.
            written: Of its input tokens, those written to the provider's cache.
        """
        # Some servers count hidden prompts as cached but not as input (recorded: 161 of 7).
        hits = min(usage.cached_tokens, usage.input_tokens)
        stored = min(written, usage.input_tokens - hits)
        sent = (usage.input_tokens - hits - stored) * self.input
        sent += hits * (self.input if self.cached is None else self.cached)
        sent += stored * (self.input if self.written is None else self.written)
        return (sent + usage.output_tokens * self.output) / 1_000_000
