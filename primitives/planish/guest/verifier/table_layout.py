"""Find places in the table of a set in which its members can stand in an order.

CPython looks for a member in a row of places that follows from its hash (`set_add_entry` in
`Objects/setobject.c`, since Python 3.7), and puts it in the first that is empty. Each member
stands in some place of its row; those before it were taken by other members, or by what is gone.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any

__all__ = ["Layout", "layouts"]

_NEAR = 9  # places behind the first that are tried before another is jumped to
_SHIFT = 5  # bits of the hash that each jump uses up
_TRIED = 40  # places of a member's row that it may stand in
_MOST = 5_000  # members; for more it takes too long
_MANY = 500  # members, from which on fewer ways are tried
_FEW = 2
_WORD = (1 << 64) - 1
_UNTAKEN = 10  # what such a place counts, where one that is taken counts 1
_LEAST = 8  # places: of the smallest table
_FULL = 4  # members that it can hold
_ENOUGH = 5  # members that do not fit into it
_ROUNDS = 8


class Layout:
    """Say which place each member has, and which other places are taken.

    Args:
        stands: The place of each member, in the order of the members.
        needed: Places that are taken by what is gone.
        order: The members, in an order in which to insert them into an empty table for these
            places, if nothing is gone; None if there is none.
        base: An integer; those from it on have the places in their order, and are no members.
        places: Of the table.
    """

    def __init__(
        self, stands: list[int], needed: list[int], order: list[Any] | None, base: int, places: int
    ) -> None:
        self.stands = stands
        self.needed = needed
        self.order = order
        self.base = base
        taken = {*stands, *needed}
        more = max(0, max(places // 4, _ENOUGH) - len(taken)) if places > _LEAST else 0
        # As many as a table of so many places is made for.
        self.free: list[int] = [place for place in range(places) if place not in taken][:more]

    def all_taken(self) -> list[int]:
        """Return an integer for each place that is taken; for those of members first."""
        return [self.base + place for place in (*self.stands, *self.needed, *self.free)]

    def others(self) -> list[int]:
        """Return the integers for the places that no member has."""
        return [self.base + place for place in (*self.needed, *self.free)]


def layouts(wanted: list[Any], places: int) -> Iterator[Layout]:
    """Yield ways for members to stand in this order in the table of a set.

    Args:
        wanted: The members, in the order in which the set has them.
        places: Of the table, a power of two.
    """
    if len(wanted) > _MOST:
        return
    rows = [_row(hash(one), places, _TRIED) for one in wanted]
    base = _unused(wanted, places)
    for chosen in _in_least(rows) if places == _LEAST else _increasing(rows):
        pairs = list(zip(rows, chosen))  # noqa: B905  # Python 3.9
        stands = [row[at] for row, at in pairs]
        owner = {place: index for index, place in enumerate(stands)}
        before = [row[:at] for row, at in pairs]
        order = _ordered(owner, before)
        needed = {place for row in before for place in row if place not in owner}
        inserted = None if order is None else [wanted[index] for index in order]
        yield Layout(stands, sorted(needed), inserted, base, places)


def _unused(wanted: list[Any], places: int) -> int:
    """Return a multiple of the number of places, from which on so many integers are no members."""
    known = {int(one) // places for one in wanted if type(one) in (int, bool)}
    return next(n for n in range(2, len(known) + 3) if n not in known) * places


def _row(value: int, places: int, count: int) -> list[int]:
    """Return the first places in which a member of a hash is looked for."""
    found: dict[int, None] = {}
    for place in _probes(value & _WORD, places - 1):
        found[place] = None
        if len(found) == min(count, places):
            break
    return list(found)


def _probes(value: int, mask: int) -> Iterator[int]:
    place = value & mask
    for _ in range(4 * mask):
        yield place
        if place + _NEAR <= mask:
            yield from range(place + 1, place + _NEAR + 1)
        value >>= _SHIFT
        place = (place * 5 + 1 + value) & mask


def _in_least(
    rows: list[list[int]], chosen: tuple[int, ...] = (), taken: frozenset[int] = frozenset()
) -> Iterator[tuple[int, ...]]:
    """Yield all choices of places in the smallest table, as indices in the rows."""
    if len(chosen) == len(rows):
        yield chosen
        return
    row = rows[len(chosen)]
    last = rows[len(chosen) - 1][chosen[-1]] if chosen else -1
    for at, place in enumerate(row):
        more = taken.union(row[: at + 1])
        if len(more) > _FULL:
            return
        if place > last:
            yield from _in_least(rows, (*chosen, at), more)


def _increasing(rows: list[list[int]]) -> Iterator[list[int]]:
    """Yield choices of a place in each row, each place behind the last, as indices in the rows.

    First that in which the fewest places stand before the chosen ones in their rows, then others,
    in which places that the one before has chosen count little.
    """
    stands: frozenset[int] = frozenset()
    for _ in range(_ROUNDS if len(rows) < _MANY else _FEW):
        chosen = _cheapest(rows, stands)
        if chosen is None:
            return
        yield chosen
        stands = frozenset(row[at] for row, at in zip(rows, chosen))  # noqa: B905  # Python 3.9


def _cheapest(rows: list[list[int]], stands: Container[int]) -> list[int] | None:
    """Choose a place in each row, each place behind the last, at the least cost.

    Returns:
        Of each row, the index of its place; None if there are no such places.
    """
    # Of each row, (place, cost so far, index in the row, index of the choice in the row before),
    # by place, each cheaper than those before it.
    best: list[list[tuple[int, int, int, int]]] = []
    last: list[tuple[int, int, int, int]] = [(-1, 0, 0, 0)]
    for row in rows:
        found: list[tuple[int, int, int, int]] = []
        known = 0
        for place, cost, at in sorted(_costs(row, stands)):
            while known < len(last) and last[known][0] < place:
                known += 1
            total = cost + last[known - 1][1] if known else None
            if total is not None and (not found or total < found[-1][1]):
                found.append((place, total, at, known - 1))
        if not found:
            return None
        best.append(found)
        last = found
    chosen: list[int] = []
    at = len(last) - 1
    for found in reversed(best):
        chosen.append(found[at][2])
        at = found[at][3]
    return chosen[::-1]


def _costs(row: list[int], stands: Container[int]) -> Iterator[tuple[int, int, int]]:
    """Yield each place of a row, what the places before it count, and its index."""
    cost = 0
    for at, place in enumerate(row):
        yield place, cost, at
        cost += 1 if place in stands else _UNTAKEN


def _ordered(owner: dict[int, int], before: list[list[int]]) -> list[int] | None:
    """Return the members' indices so that each comes behind those that stand in its row before it.

    None if two would have to come behind each other.
    """
    waits = [{owner[place] for place in row if place in owner} for row in before]
    followers: dict[int, list[int]] = {}
    for index, others in enumerate(waits):
        for other in others:
            followers.setdefault(other, []).append(index)
    order = [index for index, others in enumerate(waits) if not others]
    for index in order:  # grows
        for follower in followers.get(index, ()):
            waits[follower].discard(index)
            if not waits[follower]:
                order.append(follower)
    return order if len(order) == len(before) else None
