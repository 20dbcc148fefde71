"""What an account may ask of E2B."""

from dataclasses import dataclass

__all__ = ["HOBBY", "PRO", "Plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The limits of an account, and how patient to be with the service.

    The figures of `HOBBY` and `PRO` are those of https://e2b.dev/docs/sandbox/rate-limits and
    https://e2b.dev/docs/sandbox, read in November 2026.

    Attributes:
        concurrency: Sandboxes alive at once; more runs wait.
        rate: Sandboxes made in a second.
        longest: Seconds a sandbox may live without a pause.
        patience: Seconds to go on trying where E2B is busy (429, 503) or not to be reached.

    Raises:
        ValueError: one of them is not more than 0.
    """

    concurrency: int = 20
    rate: float = 1.0
    longest: float = 3600.0
    patience: float = 60.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise ValueError(f"Plan({name}={getattr(self, name)!r}): must be more than 0")


HOBBY = Plan()
"""The free plan: 20 sandboxes at once, one made a second, an hour each."""

PRO = Plan(concurrency=100, rate=5.0, longest=86_400.0)
"""The paid plan: 100 sandboxes at once, five made a second, a day each."""
