"""Keeping to a rate limit before the provider has to say so."""

from dataclasses import dataclass, field
from math import isfinite
from threading import Lock

from planish.abc import Clock
from planish.clock import SYSTEM_CLOCK

__all__ = ["Pace"]

_MINUTE = 60.0


@dataclass(slots=True)
class _Rate:
    """One limit: units a second, and when what was let go so far will have been earned."""

    per_second: float
    earned: float = float("-inf")

    def take(self, start: float, amount: float) -> None:
        """So much goes at that moment."""
        self.earned = max(self.earned, start) + amount / self.per_second

    def give_back(self, amount: float) -> None:
        self.earned -= amount / self.per_second


@dataclass(slots=True, kw_only=True)
class Pace:
    """Spreads requests so that they keep to a limit per minute; share one between models.

    Whoever comes first goes first. A request sent again counts again, as it does for the
    provider. When a provider asks to wait (429), all who share the pace wait.

    Attributes:
        requests: Requests a minute; None for any number.
        tokens: Tokens a minute, in and out: estimated before a request as a quarter of its
            characters and the most it may answer, corrected by what it used.
        burst: After a pause, as many may go at once as these seconds allow; one always may.
        clock: How to wait; None (the default) for real time.

    Raises:
        ValueError: a limit is not above 0, or `burst` is negative.
    """

    requests: float | None = None
    tokens: float | None = None
    burst: float = 1.0
    clock: Clock | None = field(default=None, repr=False)
    _rates: dict[str, _Rate] = field(default_factory=dict[str, _Rate], init=False, repr=False)
    _closed_until: float = field(default=float("-inf"), init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("requests", "tokens"):
            value: float | None = getattr(self, name)
            if value is not None:
                if not (value > 0 and isfinite(value)):
                    raise ValueError(f"Pace({name}={value!r}): must be above 0 a minute")
                self._rates[name] = _Rate(value / _MINUTE)
        if not self.burst >= 0:
            raise ValueError(f"Pace(burst={self.burst!r}): must be from 0 seconds")

    async def take(self, tokens: float) -> None:
        """Wait until one request of so many tokens may go.

        When the wait is cancelled, what was set aside for it is given back.
        """
        clock = self.clock or SYSTEM_CLOCK
        amounts = {"requests": 1.0, "tokens": tokens}
        with self._lock:
            now = clock.now()
            free = (rate.earned - self.burst for rate in self._rates.values())
            start = max(now, self._closed_until, *free)
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
                    rate.give_back(amounts[name])
            raise

    def correct(self, estimated: float, used: float) -> None:
        """Count the tokens a request used instead of those it was estimated to use."""
        with self._lock:
            if rate := self._rates.get("tokens"):
                rate.give_back(estimated - used)

    def hold(self, seconds: float) -> None:
        """Let nobody go for so long: the provider has asked for it."""
        clock = self.clock or SYSTEM_CLOCK
        with self._lock:
            self._closed_until = max(self._closed_until, clock.now() + seconds)
