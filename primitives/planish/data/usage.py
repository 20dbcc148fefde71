"""`Usage` of models and sandboxes, and the `Price` of a model."""

from dataclasses import dataclass, fields
from math import ceil, inf, isfinite
from typing import Literal

from planish.arguments import is_number, require_number
from planish.data.record import Record

__all__ = [
    "CHARS_PER_TOKEN",
    "FREE",
    "ModelPrice",
    "Price",
    "Usage",
    "attach_usage",
    "estimate_tokens",
    "is_amount",
    "require_price",
    "take_usage",
    "uncounted_usage",
    "usage_of",
]

CHARS_PER_TOKEN = 4
"""How many characters of English or of code a token stands for, roughly."""


def estimate_tokens(characters: int) -> int:
    """Return a rough number of tokens of a text, for want of a provider's count.

    Args:
        characters: The length of the text.
    """
    return ceil(characters / CHARS_PER_TOKEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(Record):
    """Tokens, calls, sandbox time and money used by a run. Add two of them with `+`.

    Attributes:
        input_tokens: Tokens sent, including cached ones.
        output_tokens: Tokens received, including reasoning tokens.
        cached_tokens: The part of the input tokens that was read from the provider's cache.
        cache_write_tokens: The part of the input tokens that was written to the provider's cache.
        reasoning_tokens: The part of the output tokens that was spent on reasoning.
        estimated_tokens: The part of input and output tokens that no provider reported, and that
            was estimated from the length of the texts: of failed and cancelled calls, mostly.
        model_calls: Requests that a model replied to.
        failed_calls: Requests that were sent and brought no usable reply: failed tries, and
            calls that were cancelled.
        sandbox_runs: Programs run in a sandbox.
        sandbox_seconds: Wall-clock seconds of those programs.
        usd: Cost in US dollars, including that of estimated tokens. Calls of unknown price count
            0.0.

    Raises:
        ValueError: one of them is no number.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    estimated_tokens: int = 0
    model_calls: int = 0
    failed_calls: int = 0
    sandbox_runs: int = 0
    sandbox_seconds: float = 0.0
    usd: float = 0.0

    def __post_init__(self) -> None:
        for name in _AMOUNTS:
            if type(value := getattr(self, name)) not in (int, float):
                require_number("Usage", name, value)

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            estimated_tokens=self.estimated_tokens + other.estimated_tokens,
            model_calls=self.model_calls + other.model_calls,
            failed_calls=self.failed_calls + other.failed_calls,
            sandbox_runs=self.sandbox_runs + other.sandbox_runs,
            sandbox_seconds=self.sandbox_seconds + other.sandbox_seconds,
            usd=self.usd + other.usd,
        )


_AMOUNTS = tuple(each.name for each in fields(Usage))


def is_amount(value: object) -> bool:
    """Return whether a budget can be charged with a value: a finite number of at least 0."""
    return isinstance(value, int | float) and 0 <= value < inf  # NaN is not


def attach_usage(error: BaseException, usage: Usage) -> None:
    """Store on an exception what the model call that it ended has used.

    A model that is cancelled, or fails after it sent something, calls this for the exception
    before it leaves `Model.reply`; `planish.effects.ask` counts the usage.
    """
    vars(error)["planish_usage"] = usage
    vars(error).pop("planish_usage_counted", None)


def usage_of(error: BaseException) -> Usage | None:
    """Return what a failed or cancelled model call has used; None if its model does not say.

    It is part of the usage of the run's report already.

    Args:
        error: The exception that ended the call.
    """
    return vars(error).get("planish_usage")


def uncounted_usage(error: BaseException) -> Usage:
    """Return `usage_of(error)` until `take_usage` has counted it, and no usage after that.

    Args:
        error: The exception that ended the call.
    """
    usage = usage_of(error)
    return Usage() if usage is None or "planish_usage_counted" in vars(error) else usage


def take_usage(error: BaseException) -> Usage:
    """Return `uncounted_usage(error)`, and mark it as counted.

    An exception may end several calls, one within the other: its usage is counted once.

    Args:
        error: The exception that ended the call.
    """
    usage = uncounted_usage(error)
    vars(error)["planish_usage_counted"] = True
    return usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Price(Record):
    """A model's price in US dollars per million tokens, as in its provider's price list.

    Attributes:
        input: Price of input tokens.
        output: Price of output tokens, including reasoning tokens.
        cache_read: Price of input tokens read from the provider's cache; None (the default) for
            the price of other input tokens.
        cache_write: Price of input tokens written to the provider's cache; None (the default)
            for the price of other input tokens.

    Raises:
        ValueError: a price is negative, not finite or no number.
    """

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cache_read", "cache_write"):
            value: float | None = getattr(self, name)
            if value is None and name.startswith("cache"):
                continue
            if value is None or not (is_number(value) and value >= 0 and isfinite(value)):
                raise ValueError(f"Price({name}={value!r}): must be 0 or more and finite")

    def cost(self, usage: Usage) -> float:
        """Return the cost of `usage` in US dollars.

        Args:
            usage: The tokens used.
        """
        # Some servers count hidden prompts as cached but not as input (recorded: 161 of 7).
        reads = min(usage.cached_tokens, usage.input_tokens)
        writes = min(usage.cache_write_tokens, usage.input_tokens - reads)
        cost = (usage.input_tokens - reads - writes) * self.input
        cost += reads * (self.input if self.cache_read is None else self.cache_read)
        cost += writes * (self.input if self.cache_write is None else self.cache_write)
        return (cost + usage.output_tokens * self.output) / 1_000_000

    def max_cost(self, input_tokens: float, output_tokens: float) -> float:
        """Return the highest possible cost of so many tokens, in US dollars.

        Token counts may be infinite: infinitely many tokens of price 0 cost 0.0.
        """
        highest = max(self.input, self.cache_read or 0.0, self.cache_write or 0.0)
        parts = ((highest, input_tokens), (self.output, output_tokens))
        # `if price`: 0 times infinity would be NaN.
        return sum(price * count for price, count in parts if price) / 1_000_000


FREE = Price(input=0.0, output=0.0)
"""The price of a model that costs nothing, such as a local server or a script."""

ModelPrice = Price | Literal["reported"] | None
"""A model's price: per token; or "reported" if only `Usage.usd` of each reply states the cost; or
None if unknown."""


def require_price(owner: str, price: object, name: str = "price") -> None:
    """Check that an argument is the price of a model.

    Args:
        owner: The class of the model, for the message.
        price: The argument.
        name: The parameter, for the message.

    Raises:
        TypeError: it is no `ModelPrice`; the message says what to write.
    """
    if price is not None and price != "reported" and not isinstance(price, Price):
        raise TypeError(
            f"{owner}({name}={price!r:.80}): must be a Price(input=3.0, output=15.0) of "
            "planish.data, in US dollars per million tokens; 'reported'; or None"
        )
