"""What a call reserves of the budgets of its scope before it is made, and is charged afterwards."""

from dataclasses import dataclass, replace
from typing import Any, Protocol

from planish.context.admission import Admission, admit
from planish.context.budget import Reservation
from planish.context.demand import Demand
from planish.context.interception import Effect, Proceed, R, intercepted
from planish.context.scope import Scope
from planish.data.record import Record
from planish.data.usage import Usage
from planish.errors import BudgetExceededError

__all__ = ["Admitted", "CallReserve", "Charge", "Refusal", "Reserve"]


class Admitted(Protocol):
    """The reservations of one call in flight, one in each budget of the scope."""

    def settle(self, used: Usage) -> None:
        """Release the reservations and charge what was used."""
        ...


class Reserve(Protocol):
    """What one call needs of budgets."""

    @property
    def name(self) -> str:
        """The kind and the name of the call: budgets compare calls of the same name."""
        ...

    async def admit(self, scope: Scope) -> Admitted:
        """Reserve it in all budgets of the scope; wait if calls in flight may leave room.

        Raises:
            BudgetExceededError: a budget has too little left.
        """
        ...

    def used(self, reply: Any) -> Usage:
        """Return what a call has used that was answered with this reply."""
        ...


class CallReserve:
    """What a call of a user's own may use.

    Args:
        name: The kind and the name of the call.
        maximum: What it uses at most. It is charged, unless the reply has a `usage`.
    """

    def __init__(self, name: str, maximum: Usage) -> None:
        self.name = name
        self._maximum = maximum

    async def admit(self, scope: Scope) -> Admission:
        """Reserve the maximum in all budgets of the scope.

        Raises:
            BudgetExceededError: a budget has less left.
        """
        maximum = self._maximum
        limits = {
            "model_calls": float(maximum.model_calls),
            "tokens": float(maximum.tokens),
            "usd": maximum.usd,
            "sandbox_seconds": maximum.sandbox_seconds,
        }
        for budget in scope.budgets:
            for name, needed in limits.items():
                budget.require(name, needed)
        demand = Demand(self.name, limits, limits)
        nested = scope.calling or (scope.executing and maximum.sandbox_seconds > 0)
        return await admit(scope.budgets, demand, nested=nested)

    def used(self, reply: Any) -> Usage:
        """Return the usage that the reply reports, else the maximum."""
        reported: object = getattr(reply, "usage", None)
        return reported if isinstance(reported, Usage) else self._maximum


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal(Record):
    """Why a budget has refused a call: the arguments of `BudgetExceededError`."""

    limit: str
    allowed: float
    spent: float
    needed: float


class Charge:
    """Charges one call to the budgets and the ledger of its scope.

    Args:
        scope: The scope.
        reserve: What the call needs.
    """

    __slots__ = ("_admitted", "_reserve", "_scope")

    def __init__(self, scope: Scope, reserve: Reserve) -> None:
        self._scope = scope
        self._reserve = reserve
        self._admitted: Admitted | None = None

    async def admit(self) -> None:
        """Reserve what the call needs, if that has not been done.

        Raises:
            BudgetExceededError: a budget has too little left.
        """
        if self._scope.budgets and self._admitted is None:
            self._admitted = await self._reserve.admit(self._scope)

    async def admit_recorded(self, effect: Effect[Any]) -> None:
        """Reserve what the call needs, as an effect of its own, so that a refusal can be replayed.

        Raises:
            BudgetExceededError: a budget has too little left, or had when that was recorded.
        """
        if not self._scope.budgets:
            return
        decision = replace(
            effect, kind="reservation", name=self._reserve.name, reply_type=Refusal | None
        )
        refusal = await intercepted(decision, self._try_to_admit)
        if refusal is None:
            return
        error = BudgetExceededError(
            refusal.limit, refusal.allowed, refusal.spent, needed=refusal.needed
        )
        for budget in self._scope.budgets:
            if budget.limits(refusal.limit) and not budget.refused:
                budget.refused = str(error)
        raise error

    async def _try_to_admit(self) -> Refusal | None:
        try:
            await self.admit()
        except BudgetExceededError as error:
            return Refusal(
                limit=error.limit, allowed=error.allowed, spent=error.spent, needed=error.needed
            )
        return None

    def after_admission(self, call: Proceed[R]) -> Proceed[R]:
        """Return a call that first reserves what it needs, if only a record has admitted it."""

        async def admit_and_call() -> R:
            await self.admit()
            return await call()

        return admit_and_call

    def settle(self, used: Usage) -> None:
        """Release what is reserved, and charge what was used, also if a record has answered."""
        scope = self._scope
        if self._admitted is not None:
            self._admitted.settle(used)
        elif scope.budgets and used != Usage():
            unreserved = Reservation({}, (), self._reserve.name)
            Admission([(budget, unreserved) for budget in scope.budgets]).settle(used)
        if scope.ledger is not None and used != Usage():
            scope.ledger.spend(used)
