"""Admit model calls to the budgets of their scope: at once, in turn, or not at all.

A call needs room in all of its budgets at the same time. A waiting call reserves nothing, so
calls cannot deadlock. The call that ends admits those that wait, in the order in which they were
made. A call overtakes another one only if they do not wait for the same limit of the same budget.
"""

from collections.abc import Sequence
from itertools import count

import anyio

from planish.context.budget import Budget, Reservation
from planish.context.demand import Demand
from planish.data.usage import Usage
from planish.errors import BudgetExceededError

__all__ = ["Admission", "Waiter", "admit", "charge"]

_Limit = tuple[Budget, str]
_numbers = count()


class Admission:
    """The reservations of one call in flight, one in each of its budgets.

    Args:
        reservations: They are made here.
    """

    __slots__ = ("_reservations",)

    def __init__(self, reservations: Sequence[tuple[Budget, Reservation]]) -> None:
        self._reservations = reservations
        for budget, reservation in reservations:
            budget.reserve(reservation)

    def settle(self, used: Usage) -> None:
        """Release the reservations, charge what was used, and admit waiting calls."""
        for budget, reservation in self._reservations:
            budget.settle(reservation, used)
        _admit_waiters([budget for budget, _ in self._reservations])


class Waiter:
    """A call that waits for calls in flight.

    Attributes:
        number: Its place in the order in which calls were made.
        budgets: All of them must have room.
        demand: What it may use.
        limits: The limits of which it needs some.
        blocked_by: Those of its limits that it waited for when this was last computed.
        outcome: Its admission, or the error that refuses it; None while it waits.
        ended: Set when there is an outcome.
    """

    __slots__ = ("blocked_by", "budgets", "demand", "ended", "limits", "number", "outcome")

    def __init__(
        self,
        budgets: Sequence[Budget],
        demand: Demand,
        limits: set[_Limit],
        blocked_by: set[_Limit],
    ) -> None:
        self.number: int = next(_numbers)
        self.budgets: Sequence[Budget] = budgets
        self.demand: Demand = demand
        self.limits: set[_Limit] = limits
        self.blocked_by: set[_Limit] = blocked_by
        self.outcome: Admission | BudgetExceededError | None = None
        self.ended: anyio.Event = anyio.Event()
        for budget in budgets:
            budget.waiting.append(self)

    def end(self, outcome: Admission | BudgetExceededError) -> None:
        """Set the outcome and wake the call."""
        self.outcome = outcome
        self.leave()
        self.ended.set()

    def leave(self) -> None:
        """Leave the queues of all budgets."""
        for budget in self.budgets:
            budget.waiting.remove(self)


def charge(budgets: Sequence[Budget], used: Usage) -> None:
    """Charge to all budgets what calls have used that were made in an earlier process."""
    for budget in budgets:
        budget.charge(used)
    _admit_waiters(budgets)


async def admit(budgets: Sequence[Budget], demand: Demand, *, nested: bool) -> Admission:
    """Reserve what a model call may use in all budgets; wait if calls in flight may leave room.

    Args:
        budgets: The budgets of the call's scope.
        demand: What it may use.
        nested: It is made within another call that is in flight in these budgets, and so cannot
            wait.

    Raises:
        BudgetExceededError: a budget has too little left, and will not have more.
    """
    reservations, blocked_by = _plan(budgets, demand, nested=nested)
    limits = {(b, name) for b in budgets for name, most in demand.maximum.items() if most}
    if not nested:  # part of a call in flight: it cannot queue behind calls that wait for that one
        blocked_by |= {limit for limit in limits if _has_waiter(*limit)}
    if not blocked_by:
        return Admission(reservations)
    waiter = Waiter(budgets, demand, limits, blocked_by)
    try:
        await waiter.ended.wait()
    except BaseException:
        if isinstance(waiter.outcome, Admission):
            waiter.outcome.settle(Usage())
        elif waiter.outcome is None:
            waiter.leave()
            _admit_waiters(budgets)
        raise
    if isinstance(waiter.outcome, BudgetExceededError):
        raise waiter.outcome
    assert waiter.outcome is not None  # noqa: S101 - it has ended
    return waiter.outcome


def _plan(
    budgets: Sequence[Budget], demand: Demand, *, nested: bool
) -> tuple[list[tuple[Budget, Reservation]], set[_Limit]]:
    """Compute the reservation in each budget, and the limits that the call must wait for."""
    reservations: list[tuple[Budget, Reservation]] = []
    blocked_by: set[_Limit] = set()
    for budget in budgets:
        planned = budget.plan(demand, nested=nested)
        if isinstance(planned, Reservation):
            reservations.append((budget, planned))
        else:
            blocked_by.update((budget, name) for name in planned)
    return reservations, blocked_by


def _has_waiter(budget: Budget, name: str) -> bool:
    return any((budget, name) in waiter.blocked_by for waiter in budget.waiting)


def _admit_waiters(budgets: Sequence[Budget]) -> None:
    """Admit or refuse the calls that wait for these budgets, as far as this is decided now."""
    if not any(budget.waiting for budget in budgets):
        return
    # The limits for which an earlier call goes on waiting. Calls in flight use some of each, so
    # the end of one of them calls this function again.
    closed: set[_Limit] = set()
    waiting = {waiter for budget in budgets for waiter in budget.waiting}
    for waiter in sorted(waiting, key=lambda waiter: waiter.number):
        if not_yet := closed & waiter.limits:
            waiter.blocked_by = not_yet
            continue
        try:
            reservations, waiter.blocked_by = _plan(waiter.budgets, waiter.demand, nested=False)
        except BudgetExceededError as error:
            waiter.end(error)
            continue
        closed |= waiter.blocked_by
        if not waiter.blocked_by:
            waiter.end(Admission(reservations))
