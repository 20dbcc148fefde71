"""How long to wait for each thing."""

from dataclasses import dataclass
from math import isnan

__all__ = ["Timeouts"]

_CONNECT = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds after which waiting ends; the request is then tried again, but for `total`.

    Attributes:
        connect: To open a connection; a server that is there accepts within one.
        first: From the sent request to the first byte of the answer. The default is that of
            OpenAI's own client: a reasoning model asked for a whole answer is silent for
            minutes.
        between: From one piece of an answer to the next.
        total: For the answer with all tries and waits; None (the default) for no limit.
            `planish.Timeout` is the same for a whole pipeline.

    Raises:
        ValueError: one is not above 0.
    """

    connect: float = _CONNECT
    first: float = 600.0
    between: float = 600.0
    total: float | None = None

    def __post_init__(self) -> None:
        for name in ("connect", "first", "between", "total"):
            value: float | None = getattr(self, name)
            if value is not None and (isnan(value) or not value > 0):
                raise ValueError(f"Timeouts({name}={value!r}): must be above 0 seconds")

    @classmethod
    def of_silence(cls, seconds: float) -> "Timeouts":
        """Those that give up after so many seconds without a byte.

        Raises:
            ValueError: `seconds` is not above 0.
        """
        if not seconds > 0:
            raise ValueError(f"timeout={seconds!r}: must be above 0 seconds")
        return cls(connect=min(seconds, _CONNECT), first=seconds, between=seconds)
