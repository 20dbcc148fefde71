"""What a verdict rests on, in two words: whose tests or opinion, and how apart it was judged."""

from dataclasses import dataclass
from functools import total_ordering
from typing import Literal

from planish.data._record import Record

__all__ = ["ORIGINS", "SEPARATIONS", "Evidence", "EvidenceOrigin", "Separation"]

EvidenceOrigin = Literal["none", "review", "generated", "user"]
Separation = Literal["none", "exit_code", "shared_process", "isolated"]

ORIGINS: tuple[EvidenceOrigin, ...] = ("none", "review", "generated", "user")
"""The origins, weakest first."""

SEPARATIONS: tuple[Separation, ...] = ("none", "exit_code", "shared_process", "isolated")
"""The separations, weakest first."""


@total_ordering
@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Record):
    """What a verdict rests on. Two of them compare by separation, then by origin.

    `docs/verdicts.md` says which kind of tests on which sandbox gives which words.

    Attributes:
        origin: Who wrote what was checked: "user" (the task's tests), "generated" (tests that a
            model wrote), "review" (the opinion of a judge), "none".
        separation: How far the candidate's code was kept from what decided. "isolated": another
            process decided, which no byte of the candidate reached, on values that were
            compared there. "shared_process": the tests ran, but the candidate's code, or an
            object of its making, could take part in the decision. "exit_code": only the way in
            which the program ended was looked at. "none": nothing was run.

    Example:
        >>> Evidence(origin="user", separation="isolated") > Evidence(origin="user")
        True
    """

    origin: EvidenceOrigin = "none"
    separation: Separation = "none"

    def __lt__(self, other: "Evidence") -> bool:
        return self._rank() < other._rank()

    def _rank(self) -> tuple[int, int]:
        return SEPARATIONS.index(self.separation), ORIGINS.index(self.origin)

    def __str__(self) -> str:
        return f"{self.origin}, {self.separation}"
