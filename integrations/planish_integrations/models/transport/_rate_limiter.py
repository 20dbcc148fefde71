"""Keep requests within a provider's rate limit."""

from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

from planish.abc import Clock
from planish.clock import SYSTEM_CLOCK
from planish.data.usage import is_amount

__all__ = ["RateLimiter"]

_MINUTE = 60.0


@dataclass(slots=True)
class _Rate:
    """One limit: units per second, and the time at which all units taken so far are earned."""

    per_second: float
    earned: float = float("-inf")

    def take(self, start: float, amount: float) -> None:
        self.earned = max(self.earned, start) + amount / self.per_second

    def refund(self, amount: float) -> None:
        self.earned -= amount / self.per_second


@dataclass(slots=True, kw_only=True)
class RateLimiter:
    """Spreads requests over time to keep limits per minute; share one between models.

    First come, first served. A resent request counts again, as it does for the provider. When a
    provider asks to wait (429), all models that share the limiter wait.

    Attributes:
        requests: Requests per minute; None (the default) for no limit.
        tokens: Input and output tokens per minute; None (the default) for no limit. A request
            is estimated as a quarter of its characters plus the most it may output, and
            corrected by its usage.
        burst: After a pause, as many requests may go at once as fit in this many seconds; one
            always may.
        clock: How to wait; None (the default) for real time.

    Raises:
        ValueError: a limit is not above 0, or `burst` is negative.
    """

    requests: float | None = None
    tokens: float | None = None
    burst: float = 1.0
    clock: Clock | None = field(default=None, repr=False)
    _rates: dict[str, _Rate] = field(default_factory=dict[str, _Rate], init=False, repr=False)
    _paused_until: float = field(default=float("-inf"), init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("requests", "tokens"):
            value: float | None = getattr(self, name)
            if value is not None:
                if not (is_amount(value) and value > 0):
                    raise ValueError(f"RateLimiter({name}={value!r}): must be above 0 per minute")
                self._rates[name] = _Rate(value / _MINUTE)
        if not is_amount(self.burst):
            raise ValueError(f"RateLimiter(burst={self.burst!r}): must be at least 0 seconds")

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy on another machine keeps the limit for itself: requests are counted per process.
        make = partial(
            RateLimiter,
            requests=self.requests,
            tokens=self.tokens,
            burst=self.burst,
            clock=self.clock,
        )
        return make, ()

    async def acquire(self, tokens: float) -> None:
        """Wait until a request of so many tokens may be sent.

        If the wait is cancelled, the request's share is refunded.
        """
        clock = self.clock or SYSTEM_CLOCK
        amounts = {"requests": 1.0, "tokens": tokens}
        with self._lock:
            now = clock.now()
            free = (rate.earned - self.burst for rate in self._rates.values())
            start = max(now, self._paused_until, *free)
            for name, rate in self._rates.items():
                rate.take(start, amounts[name])
            wait = start - now
        if wait <= 0:
            return
        try:
            await clock.sleep(wait)
        except BaseException:
            with self._lock:
                for name, rate in self._rates.items():
                    rate.refund(amounts[name])
            raise

    def correct(self, estimated: float, used: float) -> None:
        """Count the tokens that a request used in place of its estimate."""
        with self._lock:
            if rate := self._rates.get("tokens"):
                rate.refund(estimated - used)

    def pause(self, seconds: float) -> None:
        """Send no request for so many seconds, as the provider asks."""
        clock = self.clock or SYSTEM_CLOCK
        with self._lock:
            self._paused_until = max(self._paused_until, clock.now() + seconds)
