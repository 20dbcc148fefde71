"""Faults by chance, the same ones each time."""

from collections.abc import Sequence
from random import Random

from ._fault import Fault
from ._received import Received

__all__ = ["Chance"]


class Chance:
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
            raise ValueError(f"Chance({probability!r}): must be from 0 to 1")
        if not faults:
            raise ValueError("Chance(faults=()): give the faults to draw from")
        self._probability = probability
        self._faults = tuple(faults)
        self._random = Random(seed)  # noqa: S311  # repeatable on purpose

    def __call__(self, received: Received) -> Fault | None:
        """A fault for this request, or None."""
        del received
        hit = self._random.random() < self._probability
        fault = self._random.choice(self._faults)  # drawn always: one draw each, hit or not
        return fault if hit else None

    def __repr__(self) -> str:
        return f"Chance({self._probability:g} of {len(self._faults)} faults)"
