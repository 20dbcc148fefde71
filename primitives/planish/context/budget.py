"""Limit what a block of code spends: `budget(...)`, and the `Budget` that keeps count.

A budget is checked *before* a call, and what calls in flight may use is reserved, so parallel
branches cannot spend the same dollar twice. The most a model call can use is known if the model's
price and a limit of its reply's tokens are (see `planish.context.demand`).

- A call whose maximum fits in what remains starts at once, beside others. One that fits only after
  calls in flight have ended waits for them.
- A call whose maximum is unknown, or does not fit, runs exclusively: later calls wait for its end.
  It starts if something remains, and the most expensive call of its model so far would fit.
- All other calls are refused. A call that costs nothing never waits and is never refused.

The same holds for programs in sandboxes, whose maximum is their time limit. One whose limit does
not fit waits until all others have ended, because it is stopped at what remains then.

A limit is therefore exceeded by one call at most.
"""

from collections import Counter
from contextvars import Token
from math import inf, isfinite
from types import TracebackType
from typing import TYPE_CHECKING

from planish.abc import Clock
from planish.arguments import require_count, require_number
from planish.clock import SYSTEM_CLOCK
from planish.context.demand import Demand, Reservation
from planish.context.scope import Scope, changed, current, enter, leave
from planish.data.usage import Usage
from planish.errors import BudgetExceededError, MisuseError

if TYPE_CHECKING:
    from planish.context.admission import Waiter

__all__ = ["Budget", "Reservation", "budget"]


class Budget:
    """The limits of one `budget(...)` block, and what has been spent inside it.

    Attributes:
        spent: What has been used inside the block so far.
        refused: Why the last call was refused, or cut short; empty if none was.
        clock: What `seconds` are measured by: the clock of the scope that the block is in.
        deadline: When `seconds` are used up, in seconds of the clock; None if not limited.
        waiting: Calls that wait for others to end, in their order.
    """

    def __init__(
        self,
        *,
        tokens: int | None,
        usd: float | None,
        model_calls: int | None,
        sandbox_seconds: float | None,
        seconds: float | None,
    ) -> None:
        limits = {"tokens": tokens, "usd": usd, "model_calls": model_calls}
        limits |= {"sandbox_seconds": sandbox_seconds, "seconds": seconds}
        self._limits = {name: limit for name, limit in limits.items() if limit is not None}
        if not self._limits:
            raise ValueError(f"budget() limits nothing: give at least one of {', '.join(limits)}")
        for name, limit in self._limits.items():
            if name in ("tokens", "model_calls") and limit != inf:
                require_count("budget", name, limit, least=0)
            require_number("budget", name, limit, least=0)
        self.spent: Usage = Usage()
        self.refused: str = ""
        self.clock: Clock = SYSTEM_CLOCK
        self.deadline: float | None = None
        self._seconds_used: float | None = None  # known once the block has ended
        self.waiting: list[Waiter] = []
        self._reserved: dict[str, float] = {}
        self._reservation_counts: Counter[str] = Counter()
        self._exclusive: set[str] = set()
        # By model and limit: the most one call has used, and where `Demand.maximum` was exceeded.
        self._largest: dict[tuple[str, str], float] = {}
        self._unbounded: set[tuple[str, str]] = set()

    def __repr__(self) -> str:
        return f"budget({', '.join(f'{n}={v!r}' for n, v in self._limits.items())})"

    def begin(self) -> None:
        """Start to measure `seconds`."""
        self._seconds_used = None
        self.clock = current().clock
        if (seconds := self._limits.get("seconds")) is not None:
            self.deadline = self.clock.now() + seconds

    def end(self) -> None:
        """Stop to measure `seconds`: `remaining` does not change from now on."""
        self._seconds_used = self._used("seconds") if "seconds" in self._limits else None

    def seconds_left(self) -> float | None:
        """Return how many seconds are left until the deadline; None if they are not limited."""
        return None if self.deadline is None else self.deadline - self.clock.now()

    def limits(self, name: str) -> bool:
        """Return whether this budget has a limit of that name."""
        return name in self._limits

    @property
    def remaining(self) -> dict[str, float]:
        """What remains of each limit, less reservations; never below 0. Fixed after the block."""
        return {name: max(0.0, self._unreserved(name)) for name in self._limits}

    def _used(self, name: str) -> float:
        """Return how much of a limit is spent, without reservations."""
        if name != "seconds":
            spent: float = getattr(self.spent, name)
            return spent
        if self._seconds_used is not None or self.deadline is None:
            return self._seconds_used or 0.0
        return self.clock.now() - self.deadline + self._limits[name]

    def _unreserved(self, name: str) -> float:
        return self._limits[name] - self._used(name) - self._reserved.get(name, 0.0)

    def plan(self, demand: Demand, *, nested: bool) -> Reservation | tuple[str, ...]:
        """Compute what to reserve for a call. Reserve nothing yet.

        Args:
            demand: What the call may use.
            nested: The call is made within another one that is in flight. It cannot wait for
                that one, and counts with it.

        Returns:
            The reservation to make; or, if the call must wait for calls in flight, the names of
            the limits of which too little remains.

        Raises:
            BudgetExceededError: too little will remain, however the calls in flight end.
        """
        if "seconds" in self._limits and self._unreserved("seconds") <= 0:
            raise self.exceeded("seconds")
        amounts: dict[str, float] = {}
        exclusive: list[str] = []
        blocked_by: list[str] = []
        for name, known_maximum in demand.maximum.items():
            if not known_maximum or not isfinite(self._limits.get(name, inf)):
                continue
            key = (demand.model, name)
            maximum = inf if key in self._unbounded else known_maximum
            likely = min(maximum, self._largest.get(key, 0.0))
            unspent = self._limits[name] - self._used(name)
            if unspent <= 0 or likely > unspent:
                raise self.exceeded(name, likely or min(maximum, demand.prompt[name]))
            unreserved = self._unreserved(name)
            if nested:
                continue
            if name in self._exclusive:
                blocked_by.append(name)
            elif maximum <= unreserved:
                amounts[name] = maximum
            elif name == "sandbox_seconds" and self._reservation_counts[name]:
                blocked_by.append(name)  # later it may use what the others leave
            elif unreserved > 0 and likely <= unreserved:
                amounts[name] = min(unreserved, max(likely, demand.prompt[name]))
                exclusive.append(name)
            else:
                blocked_by.append(name)
        return tuple(blocked_by) or Reservation(amounts, tuple(exclusive), demand.model)

    def require(self, name: str, needed: float) -> None:
        """Check that a call fits whose maximum is certain, apart from calls in flight.

        Raises:
            BudgetExceededError: more is spent than would leave room for it.
        """
        if name in self._limits and 0 < self._limits[name] - self._used(name) < needed:
            raise self.exceeded(name, needed)

    def reserve(self, reservation: Reservation) -> None:
        """Make a reservation; it lasts until `settle`."""
        self._reservation_counts.update(reservation.amounts.keys())
        self._exclusive.update(reservation.exclusive)
        for name, amount in reservation.amounts.items():
            self._reserved[name] = self._reserved.get(name, 0.0) + amount

    def _release(self, reservation: Reservation) -> None:
        self._reservation_counts.subtract(reservation.amounts.keys())
        self._exclusive.difference_update(reservation.exclusive)
        for name, amount in reservation.amounts.items():
            # Exactly 0.0 after the last one, so that no rounding error makes a call wait forever.
            rest = self._reserved[name] - amount
            self._reserved[name] = rest if self._reservation_counts[name] else 0.0

    def sandbox_seconds(self) -> float:
        """Return how many wall seconds the next program may run; infinite if not limited."""
        return max(0.0, self._limits.get("sandbox_seconds", inf) - self.spent.sandbox_seconds)

    def settle(self, reservation: Reservation, usage: Usage) -> None:
        """Release a reservation and charge what the call has really used."""
        self._release(reservation)
        self.spent += usage
        if usage.sandbox_runs:
            self._raise_largest(reservation.model, "sandbox_seconds", usage.sandbox_seconds)
        # What failed tries used says nothing of the most that a call of this model can use.
        if not usage.model_calls or usage.failed_calls:
            return
        for name, used in (("model_calls", 1.0), ("tokens", usage.tokens), ("usd", usage.usd)):
            key = self._raise_largest(reservation.model, name, used)
            if name not in reservation.exclusive and used > reservation.amounts.get(name, inf):
                # The provider used more than the computed maximum: from now on it is unknown.
                self._unbounded.add(key)

    def _raise_largest(self, model: str, name: str, used: float) -> tuple[str, str]:
        key = (model, name)
        self._largest[key] = max(self._largest.get(key, 0.0), used)
        return key

    def charge(self, usage: Usage) -> None:
        """Charge what calls have used of which nothing is reserved, as a record of them tells."""
        self.spent += usage

    def exceeded(self, limit: str, needed: float = 0.0) -> BudgetExceededError:
        """Create the error for a limit that is used up, and set `refused`."""
        used = self._used(limit) + self._reserved.get(limit, 0.0)
        error = BudgetExceededError(limit, self._limits[limit], used, needed=needed)
        self.refused = str(error)
        return error


class budget:  # noqa: N801 - reads as the verb it is: `async with budget(tokens=1000):`
    """Limit what is spent inside an `async with` block, by all that runs in it.

    When a limit is reached, loops stop, and their report keeps the best attempt so far, with
    `stop_reason` "budget"; a pipeline that returns no report raises `BudgetExceededError`. The
    block's value is a `Budget`, with `spent` and `remaining`. A limit is exceeded by one model
    call at most; this module's docstring lists which calls start, wait, or are refused.

    Args:
        tokens: Input and output tokens of all models together.
        usd: Money, in US dollars. Each model needs a price (see `planish.abc.Priced`).
        model_calls: Requests answered by models.
        sandbox_seconds: Wall seconds of programs in sandboxes, added up.
        seconds: Wall seconds from entering the block, or those of `planish.effects.use_clock`.

    Raises:
        ValueError: no limit, a negative one, or one that is no (whole) number.
        MisuseError: the block is entered while the same object is entered already.
    """

    __slots__ = ("_budget", "_entered", "_token")

    def __init__(
        self,
        *,
        tokens: int | None = None,
        usd: float | None = None,
        model_calls: int | None = None,
        sandbox_seconds: float | None = None,
        seconds: float | None = None,
    ) -> None:
        self._budget = Budget(
            tokens=tokens,
            usd=usd,
            model_calls=model_calls,
            sandbox_seconds=sandbox_seconds,
            seconds=seconds,
        )
        self._entered = False

    async def __aenter__(self) -> Budget:
        if self._entered:
            raise MisuseError(f"{self!r} is entered already: make a budget for each block")
        self._entered = True
        self._budget.begin()
        outer = current()
        # `running=False`: a run inside the block is a new one, so that `seconds` ends just that.
        inner = changed(outer, budgets=(*outer.budgets, self._budget), running=False)
        self._token: Token[Scope] = enter(inner)
        return self._budget

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._entered = False
        leave(self._token)
        self._budget.end()

    def __repr__(self) -> str:
        return repr(self._budget)
