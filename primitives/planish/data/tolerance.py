"""How far a number may be from the expected one."""

import math
from dataclasses import dataclass

from planish.data._record import Record
from planish.errors import TaskError

__all__ = ["Tolerance"]


@dataclass(frozen=True, slots=True)
class Tolerance(Record):
    """How far a number may be from the expected one: the larger of two allowances.

    A number is right if `abs(got - expected) <= max(absolute, relative * abs(expected))`.

    Attributes:
        absolute: The most it may differ.
        relative: The same as a part of the expected number.

    Raises:
        TaskError: one of them is negative or not finite.
    """

    absolute: float = 0.0
    relative: float = 0.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value: object = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TaskError(f"Tolerance({name}={value!r}): must be a number")
            if not 0 <= value < math.inf:
                raise TaskError(f"Tolerance({name}={value!r}): must be finite and not below 0")

    @classmethod
    def of(cls, value: "float | Tolerance") -> "Tolerance":
        """Return the tolerance that a number stands for: as absolute and as relative one."""
        return value if isinstance(value, Tolerance) else cls(value, value)
