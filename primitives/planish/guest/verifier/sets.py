"""Sets that iterate on both sides in the same order.

The order of a set follows from the hashes of its members, which are equal in both processes, from
the size of its table and from the order of insertion where two members want the same place. The
size is known. The order is found by trying, and, where that does not do, by laying out the table:
`layouts` says which members to insert in which order, and where others stood that are gone.
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
_LEAST = 8  # places: of the table that is part of a set
_GROWS = 5  # members, for which that table is too small


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
    if _lay_out(value, wanted, _places(base_size(value) if size is None else size)):
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
    for found in _laid_out(wanted, _places(size)):
        if _like(list(found), wanted):
            return found
    made = map(frozenset, _made(wanted))
    return next((one for one in made if _like(list(one), wanted)), frozenset(wanted))


def _places(size: int) -> int:
    """Return how many places the table of a set has, of which `__sizeof__` says this."""
    return max((size - _BARE) // _ENTRY, _LEAST)


def _lay_out(value: Any, wanted: list[Any], places: int) -> bool:
    """Fill a set so that its table has so many places, and the members stand in this order."""
    from .table_layout import layouts  # noqa: PLC0415  # few sets need it

    for layout in layouts(wanted, places):
        _put(value, wanted, layout, places)
        for one in layout.others():
            _SET.discard(value, one)
        if _like(list(_SET.__iter__(value)), wanted):
            return True
    return False


def _put(value: Any, wanted: list[Any], layout: Any, places: int) -> None:
    """Put members and the others of a layout into a set, each into its place.

    Others stand in all places first. A place that one leaves is the next to be used.
    """
    at_once = max(places // 2 - 1, _GROWS - 1)
    first = layout.all_taken()
    _SET.clear(value)
    _SET.update(value, dict.fromkeys(first[:at_once]))  # makes the table
    for one in first[at_once:]:
        _SET.add(value, one)
    for other, one in zip(first, wanted):  # noqa: B905  # Python 3.9
        _SET.discard(value, other)
        _SET.add(value, one)


def _laid_out(wanted: list[Any], places: int) -> Iterator[frozenset[Any]]:
    """Yield frozensets whose tables have so many places, and the members stand in this order."""
    from .table_layout import layouts  # noqa: PLC0415  # few sets need it

    for layout in layouts(wanted, places):
        if layout.order is not None and not layout.needed:
            yield frozenset(layout.order)  # of the sizes that a table takes as it grows
            yield frozenset(dict.fromkeys(layout.order))
        made: set[Any] = set()
        _put(made, wanted, layout, places)
        yield frozenset(made).difference(layout.others())


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
