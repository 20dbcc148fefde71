"""Sets that iterate on both sides in the same order.

The order of a set follows from the hashes of its members, which are equal in both processes, from
the size of its table and from the order of insertion where two members want the same place. The
size is known; the order is found by trying.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["base_size", "fill_set", "frozen_set"]

_SET: Any = set

_BARE = set().__sizeof__()  # bytes: of a set whose table is part of it
_ENTRY = 16  # bytes: of one place in a table
_NEAR = 12  # places that a member tries one after the other, and some more
_TURNS = 24  # orders that are tried beside the plain ones


def fill_set(value: Any, items: Any, size: int | None = None) -> None:
    """Put members into a set, so that they come out in this order if that can be done.

    Args:
        value: A set, or an instance of a class that derives from it.
        items: The members, in the order in which the other side's set has them.
        size: What `__sizeof__` says of that one, if known.
    """
    wanted = list(items)
    for made in _made(wanted):
        _SET.clear(value)
        _SET.update(value, made)
        if _like(list(_SET.__iter__(value)), wanted) and size in (None, base_size(value)):
            return
    if size is not None and _in_large_table(value, wanted, size):
        return
    for made in _made(wanted):  # the size of the table matters less than the order
        _SET.clear(value)
        _SET.update(value, made)
        if _like(list(_SET.__iter__(value)), wanted):
            return


def base_size(value: Any) -> int:
    """Return the bytes of a set and its table, whatever a class that derives from it says."""
    size: int = _SET.__sizeof__(value)
    return size


def frozen_set(items: Any, size: int) -> frozenset[Any]:
    """Return a frozenset whose members come out in this order if that can be done.

    Args:
        items: The members, in order.
        size: What `__sizeof__` says of the other side's set.
    """
    wanted = list(items)
    for made in _made(wanted):
        found = frozenset(made)
        if _like(list(found), wanted) and found.__sizeof__() == size:
            return found
    made = map(frozenset, _made(wanted))
    return next((one for one in made if _like(list(one), wanted)), frozenset(wanted))


def _in_large_table(value: Any, wanted: list[Any], size: int) -> bool:
    """Fill a set that had more members once, and has their table still.

    Numbers that want places of their own make the table, and are taken out again.
    """
    places = (size - _BARE) // _ENTRY
    if not places:
        return False
    taken = {(hash(one) + near) % places for one in wanted for near in range(_NEAR)}
    free = [place for place in range(places) if place not in taken][: places * 3 // 8]
    _SET.clear(value)
    _SET.update(value, frozenset(free))
    for place in free:
        _SET.discard(value, place)
    _SET.update(value, wanted)
    return _like(list(_SET.__iter__(value)), wanted)


def _like(found: list[Any], wanted: list[Any]) -> bool:
    return len(found) == len(wanted) and all(map(_is, found, wanted))


def _is(one: object, other: object) -> bool:
    return one is other


def _made(wanted: list[Any]) -> Iterator[Any]:
    """Yield ways to insert: one by one, or at once from a set or dict (another table)."""
    yield wanted
    yield frozenset(wanted)
    yield set(wanted)
    yield dict.fromkeys(wanted)
    turned = list(reversed(wanted))
    yield turned
    yield frozenset(turned)
    for turn in range(1, min(len(wanted), _TURNS)):
        turned = wanted[turn:] + wanted[:turn]
        yield turned
        yield frozenset(turned)
        yield dict.fromkeys(turned)
