"""A mapping that cannot be changed, for values that hold one."""

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

__all__ = ["Frozen", "freeze"]

K = TypeVar("K")
V = TypeVar("V")


class Frozen(dict[K, V]):
    """A dict that cannot be changed, so that it can be hashed; it travels as JSON like any."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this mapping is part of a frozen value: make a new one with dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse  # pyright: ignore[reportAssignmentType]

    def __hash__(self) -> int:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Frozen, (dict(self),)


def freeze(record: object, field: str) -> None:
    """Make the mapping that a frozen record was given one that cannot be changed."""
    given: Mapping[Any, Any] = getattr(record, field)
    object.__setattr__(record, field, Frozen(given))
