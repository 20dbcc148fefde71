"""Failures of a provider, as data, and a random choice of them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Literal

from ._request import ReceivedRequest

__all__ = ["Fault", "FaultKind", "RandomFaults", "RetryForm"]

FaultKind = Literal[
    "closed",
    "dropped",
    "duplicated",
    "ended",
    "error",
    "error_event",
    "half_character",
    "malformed",
    "mistyped",
    "reset",
    "slow",
    "stalled",
    "truncated",
]
"""The kinds of faults; the method of `Fault` with the same name explains each."""

RetryForm = Literal["none", "seconds", "date", "milliseconds", "words", "retry_info"]
"""Where an error states the wait: nowhere; in `Retry-After` in seconds, or as an HTTP date; in
`retry-after-ms`; as "Please try again in 1.5s" in the message; in `google.rpc.RetryInfo`."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fault:
    """One failure of a provider, made by the class methods.

    Attributes:
        kind: What goes wrong.
        after: The number of body bytes that are sent before; None for about half of them.
        seconds: How long; None for as long as the client waits.
        status: The HTTP status of an error.
        message: The error's message; None for the default of the status.
        form: Where the error states how long to wait.
        content_type: The content type that a body of another type is sent with.
    """

    kind: FaultKind
    after: int | None = None
    seconds: float | None = None
    status: int = 500
    message: str | None = None
    form: RetryForm = "none"
    content_type: str = "text/html"

    @property
    def harmless(self) -> bool:
        """Whether the correct answer still arrives, only later."""
        return self.kind in ("slow", "stalled") and self.seconds is not None

    def __repr__(self) -> str:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        defaults = {field.name: field.default for field in fields(self)}
        arguments = [
            f"{name}={value!r}" for name, value in values.items() if value != defaults[name]
        ]
        return f"Fault({', '.join(arguments)})"

    @classmethod
    def dropped(cls) -> "Fault":
        """Reset the connection before the first byte of the answer.

        For refused connections, use `LoopbackProvider.refusing`: there the server sees no request.
        """
        return cls(kind="dropped")

    @classmethod
    def slow(cls, seconds: float | None = None) -> "Fault":
        """Send nothing for `seconds`; None (the default) for ever."""
        return cls(kind="slow", seconds=seconds)

    @classmethod
    def stalled(cls, after: int | None = None, *, seconds: float | None = None) -> "Fault":
        """Send nothing for `seconds` in the middle of the body, then the rest."""
        return cls(kind="stalled", after=after, seconds=seconds)

    @classmethod
    def reset(cls, after: int | None = None) -> "Fault":
        """Reset the connection in the middle of the body."""
        return cls(kind="reset", after=after)

    @classmethod
    def closed(cls, after: int | None = None) -> "Fault":
        """Close the connection in the middle of the body, which HTTP's framing detects."""
        return cls(kind="closed", after=after)

    @classmethod
    def truncated(cls, after: int | None = None) -> "Fault":
        """Declare a Content-Length, send fewer bytes and close the connection."""
        return cls(kind="truncated", after=after)

    @classmethod
    def ended(cls, after: int | None = None) -> "Fault":
        """End the body correctly for HTTP, but too early for the provider's protocol.

        Args:
            after: The number of bytes to send; None for all but the last event.
        """
        return cls(kind="ended", after=after)

    @classmethod
    def half_character(cls) -> "Fault":
        """End the body in the middle of a UTF-8 character."""
        return cls(kind="half_character")

    @classmethod
    def malformed(cls) -> "Fault":
        """Send invalid JSON; in a stream, one invalid event."""
        return cls(kind="malformed")

    @classmethod
    def mistyped(cls, content_type: str = "text/html") -> "Fault":
        """Send a proxy's login page: another content type, with a matching body."""
        return cls(kind="mistyped", content_type=content_type)

    @classmethod
    def duplicated(cls) -> "Fault":
        """Send one event in the middle of a stream twice; no effect on other answers."""
        return cls(kind="duplicated")

    @classmethod
    def error(cls, status: int = 500, message: str | None = None) -> "Fault":
        """Send an HTTP error status with a body in the protocol's format."""
        return cls(kind="error", status=status, message=message)

    @classmethod
    def rate_limit(
        cls, seconds: float = 1.0, *, form: RetryForm = "seconds", status: int = 429
    ) -> "Fault":
        """Send an error that states when to try again.

        Args:
            seconds: How long to wait. The forms "seconds" and "date" round up to whole seconds.
            form: Where the error states it.
            status: 429 by default; 503 and 529 are used for this too.
        """
        return cls(kind="error", status=status, seconds=seconds, form=form)

    @classmethod
    def error_event(
        cls, status: int = 529, message: str | None = None, *, after: int | None = 0
    ) -> "Fault":
        """Send status 200, and then an error event in place of text.

        Args:
            status: The status that the error represents.
            message: The error's message.
            after: The number of events before it; None for about half of them.
        """
        return cls(kind="error_event", status=status, message=message, after=after)


class RandomFaults:
    """Injects faults into a random part of all requests, drawn in order of arrival.

    Args:
        probability: From 0 to 1.
        faults: The faults to draw from.
        seed: The seed of the random numbers; the same seed draws the same faults.

    Raises:
        ValueError: the probability is not from 0 to 1, or there are no faults.
    """

    def __init__(self, probability: float, faults: Sequence[Fault], *, seed: int = 0) -> None:
        if not 0 <= probability <= 1:
            raise ValueError(f"RandomFaults({probability!r}): must be from 0 to 1")
        if not faults:
            raise ValueError("RandomFaults(faults=()): pass at least one fault")
        self._probability = probability
        self._faults = tuple(faults)
        self._random = Random(seed)  # noqa: S311  # reproducible on purpose

    def __call__(self, received: ReceivedRequest) -> Fault | None:
        """Return a fault for this request, or None."""
        del received
        hit = self._random.random() < self._probability
        fault = self._random.choice(
            self._faults
        )  # always drawn, so that each request uses equally many random numbers
        return fault if hit else None

    def __repr__(self) -> str:
        return f"RandomFaults({self._probability:g} of {len(self._faults)} faults)"
