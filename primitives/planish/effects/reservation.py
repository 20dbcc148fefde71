"""What a call reserves of the budgets of its scope before it is made, and is charged afterwards."""

from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol

from planish.context.admission import Admission, admit
from planish.context.budget import Reservation
from planish.context.demand import Demand
from planish.context.interception import Effect, Proceed, R, intercepted
from planish.context.scope import Scope, changed
from planish.data.record import Record
from planish.data.usage import Usage, take_usage
from planish.errors import BudgetExceededError

__all__ = ["Admitted", "CallReserve", "Charge", "MeteredCall", "Refusal", "Reserve"]


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

    def beside(self) -> "Charge":
        """Return the charge of the same call, made once more while the first is in flight."""
        return Charge(changed(self._scope, calling=True), self._reserve)

    def settle(self, used: Usage) -> None:
        """Release what is reserved, and charge what was used, also if a record has answered."""
        scope = self._scope
        if self._admitted is not None:
            self._admitted.settle(used)
            self._admitted = None
        elif scope.budgets and used != Usage():
            unreserved = Reservation({}, (), self._reserve.name)
            Admission([(budget, unreserved) for budget in scope.budgets]).settle(used)
        if scope.ledger is not None and used != Usage():
            scope.ledger.spend(used)


class MeteredCall(Generic[R]):
    """A call that interceptors wrap. Each time that they make it, it is charged.

    An interceptor may retry a call, make it twice and take the better reply, send a second request
    when the first is slow, or refuse a reply that was paid for. So the call, and not the reply that
    the interceptors return, tells what was used.

    Args:
        call: Makes the call.
        reserve: What it needs of the budgets.
        charge: Charges it; the caller settles it with `used` or `unsettled`.

    Attributes:
        charged: Replies of calls that the call or an interceptor makes, which are charged: a model
            may return what another one has replied.
        unsettled: What the last call has used, as far as it is not charged.
    """

    __slots__ = (
        "_call",
        "_charge",
        "_has_reply",
        "_in_flight",
        "_made",
        "_reserve",
        "charged",
        "unsettled",
    )

    def __init__(self, call: Proceed[R], reserve: Reserve, charge: Charge) -> None:
        self._call = call
        self._reserve = reserve
        self._charge = charge
        self._made = 0
        self._in_flight = 0
        self._has_reply = False
        self.charged: list[object] = []
        self.unsettled: Usage = Usage()

    async def __call__(self) -> R:
        """Reserve what the call needs, and make it.

        Raises:
            BudgetExceededError: a budget has too little left; the call was not made.
        """
        beside = self._charge.beside() if self._in_flight else None
        if beside is not None:
            await beside.admit()
        else:
            if self.unsettled != Usage():  # of the call before
                self._charge.settle(self._take_unsettled())
            await self._charge.admit()
        self._made += 1
        self._in_flight += 1
        used = Usage()
        try:
            reply = await self._call()
            used = self._used(reply)
            self._has_reply = True
            return reply
        except BaseException as error:
            used = take_usage(error)
            raise
        finally:
            self._in_flight -= 1
            if beside is not None:
                beside.settle(used)
            else:
                self.unsettled = used

    def _take_unsettled(self) -> Usage:
        used, self.unsettled = self.unsettled, Usage()
        return used

    def used(self, reply: R) -> Usage:
        """Return what is still to be charged when the interceptors have returned a reply.

        One that they returned without a call, from a record for example, is charged too.
        """
        if self._has_reply and self._made > 1:
            return self.unsettled
        answered = self._used(reply)
        # An interceptor may correct what the only call says that it has used.
        return answered if self._has_reply else answered + self.unsettled

    def _used(self, reply: R) -> Usage:
        if any(reply is one for one in self.charged):
            return Usage()
        return self._reserve.used(reply)
