"""How often to try again, and how long to wait before."""

from dataclasses import dataclass
from math import isfinite

__all__ = ["Backoff"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff with full jitter, for trouble that passes.

    The n-th wait is drawn from 0 to `first` x 2^(n-1) seconds ("full jitter", Brooker,
    "Exponential Backoff And Jitter", AWS Architecture Blog, 2015), or is what the provider
    asks for, and up to `first` more, so that many who were told the same do not come back
    at once.

    Attributes:
        tries: How often a request is sent, the first time included.
        first: Upper bound of the first wait in seconds; 0.5 is that of OpenAI's own client.
        longest: The longest single wait in seconds. When a provider asks for more, the error
            is raised at once: the caller may know better than to sit and wait. 60 outlasts
            the per-minute limits that providers set.

    Raises:
        ValueError: `tries` below 1, or a time that is negative or not finite.
    """

    tries: int = 6
    first: float = 0.5
    longest: float = 60.0

    def __post_init__(self) -> None:
        if self.tries < 1:
            raise ValueError(f"Backoff(tries={self.tries!r}): must be at least 1")
        for name in ("first", "longest"):
            value: float = getattr(self, name)
            if not (value >= 0 and isfinite(value)):
                raise ValueError(f"Backoff({name}={value!r}): must be from 0 and finite")

    def wait(self, failures: int, asked: float | None, chance: float) -> float | None:
        """Seconds to wait before the next try; None to give up.

        Args:
            failures: How many tries have failed, from 1.
            asked: Seconds the provider asks to wait; None where it does not say.
            chance: From 0 to 1, drawn by the caller.
        """
        if failures >= self.tries or (asked is not None and asked > self.longest):
            return None
        if asked is not None:
            return asked + chance * self.first
        doubled = self.first * 2.0 ** min(failures - 1, 60)  # 2^60 s: past any `longest`
        return chance * min(self.longest, doubled)
