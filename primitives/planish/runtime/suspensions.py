"""Let the siblings of a suspended branch finish before the suspension is raised."""

from planish.errors import Suspended

__all__ = ["Suspensions"]


class Suspensions:
    """The suspensions of the branches of one combinator, in the order in which they were raised."""

    __slots__ = ("_raised",)

    def __init__(self) -> None:
        self._raised: list[Suspended] = []

    def add(self, suspended: Suspended) -> None:
        """Keep a suspension, and do not raise it yet."""
        self._raised += [suspended, *suspended.others]

    def raise_first(self) -> None:
        """Raise the first suspension, with the others on it; do nothing if there is none.

        Raises:
            Suspended: there is one.
        """
        if self._raised:
            first, *others = self._raised
            first.others = tuple(others)
            raise first
