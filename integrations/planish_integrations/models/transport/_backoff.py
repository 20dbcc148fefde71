"""How long to wait before a request is sent again, and when to give up."""

from dataclasses import dataclass
from typing import Any

from planish.data.usage import is_amount

__all__ = ["Backoff", "Outage"]

_TRIES = 6  # of a request whose failures were no request to come back later


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff with full jitter, for failures that may pass.

    The n-th wait is random between 0 and `first` x 2^(n-1) seconds ("full jitter", Brooker,
    "Exponential Backoff And Jitter", AWS Architecture Blog, 2015). If the provider asks for a
    wait, it is that wait plus up to `first` seconds, so that clients that were sent the same
    wait do not return at once.

    A provider that asks to come back later (429, 503, 529) is asked again for `patience` seconds.
    That time begins with the first such response to any request of the model and ends with a
    reply to any of them: while a provider is down, a further request does not wait again.

    Attributes:
        tries: How often a request is sent at most, including the first time. None (the default):
            as often as `patience` allows if the provider asks to come back later; 6 times
            after other failures, such as a refused connection or a response that breaks off, but
            only once more after a response that cannot be read, since it is paid for, and twice
            more if nothing listens at a port of this machine.
        first: Upper bound of the first wait in seconds; 0.5 is the value of OpenAI's client.
        longest: The longest single wait in seconds. If a provider asks for more, the error is
            raised at once, so that the caller can decide. 60 outlasts per-minute limits.
        patience: Seconds after the first failure for which a request is sent again; 120 is two
            of the minutes that rate limits are counted in. Waiting for a `RateLimiter` or for
            a connection is not counted.

    Raises:
        ValueError: `tries` is below 1, or a time is negative or not finite.
    """

    tries: int | None = None
    first: float = 0.5
    longest: float = 60.0
    patience: float = 120.0

    def __post_init__(self) -> None:
        if self.tries is not None and (type(self.tries) is not int or self.tries < 1):
            raise ValueError(f"Backoff(tries={self.tries!r}): must be at least 1, a whole number")
        for name in ("first", "longest", "patience"):
            value: float = getattr(self, name)
            if not is_amount(value):
                raise ValueError(f"Backoff({name}={value!r}): must be finite and at least 0")

    def wait(
        self,
        failures: int,
        retry_after: float | None,
        jitter: float,
        *,
        elapsed: float = 0.0,
        refusals: int = 0,
    ) -> float | None:
        """Return the seconds to wait before the next attempt; None to give up.

        Args:
            failures: How many attempts have failed, from 1.
            retry_after: Seconds the provider asks to wait; None if it does not say.
            jitter: A random number from 0 to 1.
            elapsed: Seconds of `patience` that are used up.
            refusals: In how many of the failures the provider asked to come back later.
        """
        counted = failures - refusals if self.tries is None else failures
        remaining = self.patience - elapsed
        if counted >= (self.tries or _TRIES) or remaining <= 0:
            return None
        if retry_after is not None:
            longest = min(self.longest, remaining)
            return None if retry_after > longest else retry_after + jitter * self.first
        doubled = self.first * 2.0 ** min(failures - 1, 60)  # 2^60 s exceeds any `longest`
        return min(jitter * min(self.longest, doubled), remaining)


class Outage:
    """How long a provider has asked to come back later, in the requests of one model."""

    __slots__ = ("_last", "_since")

    def __init__(self) -> None:
        self._since: float | None = None
        self._last = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        return Outage, ()  # the clock of another machine is another clock

    def record_reply(self) -> None:
        """Record that the provider replied."""
        self._since = None

    def record_refusal(self, now: float, patience: float) -> float:
        """Record that the provider asked to come back later; return for how long it has done so.

        Args:
            now: The time.
            patience: Seconds without a refusal after which a refusal begins a new outage.
        """
        if self._since is None or now - self._last > patience:
            self._since = now
        self._last = now
        return now - self._since
