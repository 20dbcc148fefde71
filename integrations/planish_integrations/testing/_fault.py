"""The ways in which a provider fails, as data."""

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
"""What goes wrong; each is explained at the method of `Fault` that has its name."""

RetryForm = Literal["none", "seconds", "date", "milliseconds", "words", "retry_info"]
"""Where a refusal says how long to wait: nowhere; `Retry-After` in seconds, or as an HTTP date;
`retry-after-ms`; "Please try again in 1.5s" in the message; `google.rpc.RetryInfo`."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fault:
    """One failure of a provider. Made by the methods below.

    Attributes:
        kind: What goes wrong.
        after: Bytes of the body that come through before; None for about half of them.
        seconds: How long; None for as long as the client waits.
        status: The HTTP status of an error.
        message: What the error says; None for one of the status's own.
        form: Where the error says how long to wait.
        content_type: Said of a body that is something else.
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
        """The right answer comes all the same, only later."""
        return self.kind in ("slow", "stalled") and self.seconds is not None

    def __repr__(self) -> str:
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        usual = {field.name: field.default for field in fields(self)}
        said = [f"{name}={value!r}" for name, value in told.items() if value != usual[name]]
        return f"Fault({', '.join(said)})"

    @classmethod
    def dropped(cls) -> "Fault":
        """The connection is reset before a byte of the answer.

        A connection that is refused outright is `LoopbackProvider.refusing`: no request is
        seen then.
        """
        return cls(kind="dropped")

    @classmethod
    def slow(cls, seconds: float | None = None) -> "Fault":
        """No byte comes for so many seconds; None (the default) for ever."""
        return cls(kind="slow", seconds=seconds)

    @classmethod
    def stalled(cls, after: int | None = None, *, seconds: float | None = None) -> "Fault":
        """In the middle of the body nothing comes for so long, and then the rest."""
        return cls(kind="stalled", after=after, seconds=seconds)

    @classmethod
    def reset(cls, after: int | None = None) -> "Fault":
        """In the middle of the body the connection is reset."""
        return cls(kind="reset", after=after)

    @classmethod
    def closed(cls, after: int | None = None) -> "Fault":
        """In the middle of the body the connection is closed; HTTP's own framing tells."""
        return cls(kind="closed", after=after)

    @classmethod
    def truncated(cls, after: int | None = None) -> "Fault":
        """A Content-Length, fewer bytes than that, and the connection is closed."""
        return cls(kind="truncated", after=after)

    @classmethod
    def ended(cls, after: int | None = None) -> "Fault":
        """The body ends well for HTTP, but early for the protocol.

        Args:
            after: Bytes after which; None for all but the last event.
        """
        return cls(kind="ended", after=after)

    @classmethod
    def half_character(cls) -> "Fault":
        """The body ends in the middle of a UTF-8 character."""
        return cls(kind="half_character")

    @classmethod
    def malformed(cls) -> "Fault":
        """JSON that is none: of a stream, one event of it."""
        return cls(kind="malformed")

    @classmethod
    def mistyped(cls, content_type: str = "text/html") -> "Fault":
        """The answer of a proxy's login page: another content type, with a body to match."""
        return cls(kind="mistyped", content_type=content_type)

    @classmethod
    def duplicated(cls) -> "Fault":
        """Of a stream, one event in the middle comes twice; of a whole answer, nothing."""
        return cls(kind="duplicated")

    @classmethod
    def error(cls, status: int = 500, message: str | None = None) -> "Fault":
        """An HTTP status, with a body in the protocol's own shape."""
        return cls(kind="error", status=status, message=message)

    @classmethod
    def rate_limit(
        cls, seconds: float = 1.0, *, form: RetryForm = "seconds", status: int = 429
    ) -> "Fault":
        """A refusal that says when to come again.

        Args:
            seconds: How long to wait. Of whole seconds only "seconds" and "date" can speak.
            form: Where it says so.
            status: 429 by default; 503 and 529 say it too.
        """
        return cls(kind="error", status=status, seconds=seconds, form=form)

    @classmethod
    def error_event(
        cls, status: int = 529, message: str | None = None, *, after: int | None = 0
    ) -> "Fault":
        """Status 200, and then an error where text should come.

        Args:
            status: The status the error stands for.
            message: What it says.
            after: Events of the stream that come before; None for about half of them.
        """
        return cls(kind="error_event", status=status, message=message, after=after)


class RandomFaults:
    """Gives a part of all requests a fault, drawn in the order in which they arrive.

    Args:
        probability: From 0 to 1.
        faults: Of which one is drawn.
        seed: Of the draws; the same seed draws the same again.

    Raises:
        ValueError: the probability is none, or there are no faults.
    """

    def __init__(self, probability: float, faults: Sequence[Fault], *, seed: int = 0) -> None:
        if not 0 <= probability <= 1:
            raise ValueError(f"RandomFaults({probability!r}): must be from 0 to 1")
        if not faults:
            raise ValueError("RandomFaults(faults=()): give the faults to draw from")
        self._probability = probability
        self._faults = tuple(faults)
        self._random = Random(seed)  # noqa: S311  # repeatable on purpose

    def __call__(self, received: ReceivedRequest) -> Fault | None:
        """A fault for this request, or None."""
        del received
        hit = self._random.random() < self._probability
        fault = self._random.choice(self._faults)  # drawn always: one draw each, hit or not
        return fault if hit else None

    def __repr__(self) -> str:
        return f"RandomFaults({self._probability:g} of {len(self._faults)} faults)"
