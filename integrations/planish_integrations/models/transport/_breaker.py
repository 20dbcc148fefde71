"""Leaving a broken provider alone for a while."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from planish.abc import Clock
from planish.clock import SYSTEM_CLOCK
from planish.errors import CircuitOpenError

__all__ = ["Breaker"]


@dataclass(slots=True, kw_only=True)
class Breaker:
    """Refuses requests at once while a provider is down; share one between models of it.

    After `failures` in a row it opens: each request is then a `CircuitOpenError` without being
    sent. After `seconds` one request is let through as a probe; its answer closes the breaker,
    its failure opens it again. Only overload and broken connections count as failures: a 429
    or a refused request shows that somebody is there.

    A model has none of its own: backoff is patience, a breaker is haste, for those who have
    somebody else to ask (`Fallback`, `Race`).

    Attributes:
        failures: Failures in a row that open it.
        seconds: How long it stays open before a probe.
        clock: What time it is; None (the default) for real time.

    Raises:
        ValueError: `failures` below 1, or `seconds` not above 0.
    """

    failures: int = 5
    seconds: float = 30.0
    clock: Clock | None = field(default=None, repr=False)
    _in_a_row: int = field(default=0, init=False, repr=False)
    _probe_at: float | None = field(default=None, init=False, repr=False)
    _probing: bool = field(default=False, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.failures < 1:
            raise ValueError(f"Breaker(failures={self.failures!r}): must be at least 1")
        if not self.seconds > 0:
            raise ValueError(f"Breaker(seconds={self.seconds!r}): must be above 0 seconds")

    @property
    def state(self) -> Literal["closed", "open", "half-open"]:
        """Closed: requests go through. Half-open: the next one, or one under way, is a probe."""
        with self._lock:
            if self._probe_at is None:
                return "closed"
            return "half-open" if self._probing or self._now() >= self._probe_at else "open"

    def enter(self, whom: str) -> None:
        """Ask to send a request; `passed`, `failed` or `left` must follow.

        Args:
            whom: Who is asked, for the message.

        Raises:
            CircuitOpenError: it is open, or somebody else's probe is under way.
        """
        with self._lock:
            if self._probe_at is None:
                return
            left = self._probe_at - self._now()
            if left > 0 or self._probing:
                raise CircuitOpenError(
                    f"{whom} is left alone after {self._in_a_row} failures in a row; "
                    f"it is probed {f'in {left:.1f} s' if left > 0 else 'at this moment'}",
                    retry_after=max(0.0, left),
                )
            self._probing = True

    def passed(self) -> None:
        """It was answered, be it with a refusal."""
        with self._lock:
            self._in_a_row, self._probe_at, self._probing = 0, None, False

    def failed(self) -> None:
        """It was not: overload, or a broken connection."""
        with self._lock:
            self._in_a_row += 1
            if self._probing or self._in_a_row >= self.failures:
                self._probe_at = self._now() + self.seconds
            self._probing = False

    def left(self) -> None:
        """Nothing is known: the request was cancelled."""
        with self._lock:
            self._probing = False

    def _now(self) -> float:
        return (self.clock or SYSTEM_CLOCK).now()
