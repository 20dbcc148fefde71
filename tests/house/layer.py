"""What is said of one part of the house."""

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Layer"]


@dataclass(frozen=True, slots=True)
class Layer:
    """One part of the house.

    Attributes:
        name: A module and all below it: "planish.data".
        because: Why it stands where it stands.
        uses: The other modules, with all below them, that it may import.
        packages: What it may import that neither we nor Python ship.
        apart: Its members do not know each other: one folder or file, one idea.
        outside: It lives as a user's code lives: on public names of public modules only.
        alone: The name is this one module, not all below it.
    """

    name: str
    because: str
    uses: Iterable[str] = ()
    packages: Iterable[str] = ()
    apart: bool = False
    outside: bool = False
    alone: bool = False
