"""Stop sending requests to a provider that is down, for a while."""

from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Literal

from planish.abc import Clock
from planish.clock import SYSTEM_CLOCK
from planish.data.usage import is_amount
from planish.errors import CircuitOpenError

__all__ = ["Breaker"]


@dataclass(slots=True, kw_only=True)
class Breaker:
    """A circuit breaker: fails requests at once while a provider is down. Share one between models.

    After `failures` consecutive failures it opens: each request raises `CircuitOpenError` without
    being sent. After `seconds` one request is sent as a probe; its success closes the breaker, its
    failure opens it again. Only overload and broken connections are failures: a 429 or another
    error response shows that the provider is up.

    A model has no breaker by default. Use one when there is another model to call (`Fallback`,
    `Race`); without one, backoff waits.

    Attributes:
        failures: Consecutive failures that open it.
        seconds: How long it stays open before a probe.
        clock: Tells the time; None (the default) for real time.

    Raises:
        ValueError: `failures` is no whole number of at least 1, or `seconds` is not above 0.
    """

    failures: int = 5
    seconds: float = 30.0
    clock: Clock | None = field(default=None, repr=False)
    _consecutive: int = field(default=0, init=False, repr=False)
    _probe_at: float | None = field(default=None, init=False, repr=False)
    _probing: bool = field(default=False, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if type(self.failures) is not int or self.failures < 1:
            raise ValueError(
                f"Breaker(failures={self.failures!r}): must be at least 1, a whole number"
            )
        if not (is_amount(self.seconds) and self.seconds > 0):
            raise ValueError(f"Breaker(seconds={self.seconds!r}): must be above 0 seconds")

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy on another machine begins closed: nothing is known of the provider there.
        make = partial(Breaker, failures=self.failures, seconds=self.seconds, clock=self.clock)
        return make, ()

    @property
    def state(self) -> Literal["closed", "open", "half-open"]:
        """Closed: requests are sent. Half-open: the next request, or one under way, is a probe."""
        with self._lock:
            if self._probe_at is None:
                return "closed"
            return "half-open" if self._probing or self._now() >= self._probe_at else "open"

    def enter(self, subject: str) -> None:
        """Check that a request may be sent; one of the `record_...` methods must follow.

        Args:
            subject: How the error message begins.

        Raises:
            CircuitOpenError: the breaker is open, or another request's probe is under way.
        """
        with self._lock:
            if self._probe_at is None:
                return
            remaining = self._probe_at - self._now()
            if remaining > 0 or self._probing:
                raise CircuitOpenError(
                    f"{subject} no request is sent after {self._consecutive} consecutive "
                    f"failures; the next probe is "
                    f"{f'in {remaining:.1f} s' if remaining > 0 else 'under way'}",
                    retry_after=max(0.0, remaining),
                )
            self._probing = True

    def record_success(self) -> None:
        """Record that the provider responded, if only with an error."""
        with self._lock:
            self._consecutive, self._probe_at, self._probing = 0, None, False

    def record_failure(self) -> None:
        """Record overload or a broken connection."""
        with self._lock:
            self._consecutive += 1
            if self._probing or self._consecutive >= self.failures:
                self._probe_at = self._now() + self.seconds
            self._probing = False

    def record_cancellation(self) -> None:
        """Record that the request was cancelled, which shows nothing about the provider."""
        with self._lock:
            self._probing = False

    def _now(self) -> float:
        return (self.clock or SYSTEM_CLOCK).now()
