"""Let model calls into the budgets around them: at once, in turn, or not at all.

A call needs room in all of its budgets at the same moment; while it waits it holds nothing, so
calls cannot block each other for good. Those that wait are let in by whichever call ends, in the
order in which they came. A call overtakes another one only where they do not wait for the same
limit of the same budget.
"""

from collections.abc import Sequence
from itertools import count

import anyio

from planish.context.budget import Budget, Reservation
from planish.context.demand import Demand
from planish.data.usage import Usage
from planish.errors import BudgetExceededError

__all__ = ["Admission", "Waiter", "admit"]

_Limit = tuple[Budget, str]
_numbers = count()


class Admission:
    """A part of each budget, held while one call is in flight."""

    __slots__ = ("_held",)

    def __init__(self, held: Sequence[tuple[Budget, Reservation]]) -> None:
        self._held = held
        for budget, reservation in held:
            budget.reserve(reservation)

    def settle(self, used: Usage) -> None:
        """Give the reservations back, charge what was used, and let in calls that wait."""
        for budget, reservation in self._held:
            budget.settle(reservation, used)
        _advance([budget for budget, _ in self._held])


class Waiter:
    """A call that waits for calls in flight.

    Attributes:
        number: Its place in the order in which calls came.
        budgets: All of them must have room.
        demand: What it may use.
        needs: The limits it needs some of.
        lacking: Of these, those of which there was no room when this was last computed.
        outcome: What came of it; None while it waits.
        ended: Set once there is an outcome.
    """

    __slots__ = ("budgets", "demand", "ended", "lacking", "needs", "number", "outcome")

    def __init__(
        self, budgets: Sequence[Budget], demand: Demand, needs: set[_Limit], lacking: set[_Limit]
    ) -> None:
        self.number: int = next(_numbers)
        self.budgets: Sequence[Budget] = budgets
        self.demand: Demand = demand
        self.needs: set[_Limit] = needs
        self.lacking: set[_Limit] = lacking
        self.outcome: Admission | BudgetExceededError | None = None
        self.ended: anyio.Event = anyio.Event()
        for budget in budgets:
            budget.waiting.append(self)

    def end(self, outcome: Admission | BudgetExceededError) -> None:
        """Let it go on."""
        self.outcome = outcome
        self.leave()
        self.ended.set()

    def leave(self) -> None:
        """Wait no longer."""
        for budget in self.budgets:
            budget.waiting.remove(self)


async def admit(budgets: Sequence[Budget], demand: Demand, *, nested: bool) -> Admission:
    """Reserve what a call may use in all budgets; wait where calls in flight may leave room.

    Args:
        budgets: The budgets around the call.
        demand: What it may use.
        nested: It is made within another call that is in flight in these budgets, and so cannot
            wait.

    Raises:
        BudgetExceededError: a budget has no room and will have none.
    """
    held, lacking = _room(budgets, demand, nested=nested)
    needs = {(b, name) for b in budgets for name, most in demand.most.items() if most}
    if not nested:  # what is part of a call in flight cannot queue behind calls that wait for it
        lacking |= {one for one in needs if _is_waited_for(*one)}
    if not lacking:
        return Admission(held)
    waiter = Waiter(budgets, demand, needs, lacking)
    try:
        await waiter.ended.wait()
    except BaseException:
        if isinstance(waiter.outcome, Admission):
            waiter.outcome.settle(Usage())
        elif waiter.outcome is None:
            waiter.leave()
            _advance(budgets)
        raise
    if isinstance(waiter.outcome, BudgetExceededError):
        raise waiter.outcome
    assert waiter.outcome is not None  # noqa: S101 - it has ended
    return waiter.outcome


def _room(
    budgets: Sequence[Budget], demand: Demand, *, nested: bool
) -> tuple[list[tuple[Budget, Reservation]], set[_Limit]]:
    """Compute what to reserve in each budget, and the limits of which there is no room yet."""
    held: list[tuple[Budget, Reservation]] = []
    lacking: set[_Limit] = set()
    for budget in budgets:
        room = budget.room(demand, nested=nested)
        if isinstance(room, Reservation):
            held.append((budget, room))
        else:
            lacking.update((budget, name) for name in room)
    return held, lacking


def _is_waited_for(budget: Budget, name: str) -> bool:
    return any((budget, name) in waiter.lacking for waiter in budget.waiting)


def _advance(budgets: Sequence[Budget]) -> None:
    """Let in, or refuse, the calls that wait for these budgets, as far as can be said now."""
    if not any(budget.waiting for budget in budgets):
        return
    # The limits for which an earlier call goes on waiting. Calls in flight use some of each, so
    # that the end of one of these comes back here.
    closed: set[_Limit] = set()
    waiting = {waiter for budget in budgets for waiter in budget.waiting}
    for waiter in sorted(waiting, key=lambda one: one.number):
        if before := closed & waiter.needs:
            waiter.lacking = before
            continue
        try:
            held, waiter.lacking = _room(waiter.budgets, waiter.demand, nested=False)
        except BudgetExceededError as error:
            waiter.end(error)
            continue
        closed |= waiter.lacking
        if not waiter.lacking:
            waiter.end(Admission(held))
