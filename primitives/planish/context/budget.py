"""What may be spent, and what has been.

A budget is consulted *before* a call, and what calls in flight may use is reserved, so a fan-out
cannot spend the same dollar twice. What a call of a model may use at most is known where the
model's price and the most tokens of its answer are (see `planish.context.demand`).

- A call whose most fits in what is left starts at once, beside others.
- A call whose most is not known, or does not fit, goes alone: the calls that come after it wait
  until it has ended. It starts if something is left, and if the dearest call of its model so far
  would fit.
- A call for which there is room only once calls in flight have ended waits for them.
- All others are refused. What costs nothing is never refused and never waits.

So what is spent exceeds a limit by one call at most.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from contextvars import Token
from dataclasses import dataclass, replace
from math import inf, isfinite
from types import TracebackType
from typing import TYPE_CHECKING

import anyio

from planish.context.demand import Demand
from planish.context.scope import Scope, current, enter, leave
from planish.data.usage import Usage
from planish.errors import BudgetExceededError

if TYPE_CHECKING:
    from planish.context.admission import Waiter

__all__ = ["Budget", "Reservation", "budget"]


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """What one call in flight may use, held until `Budget.settle`.

    Attributes:
        amounts: By the names of the limits.
        alone: Of these limits no other call may use anything until this one has ended.
        model: The model that is called; empty for a program.
    """

    amounts: Mapping[str, float]
    alone: Collection[str] = ()
    model: str = ""


class Budget:
    """What may be spent within one `budget(...)` block, and what has been.

    Attributes:
        spent: What has been used inside the block so far.
        refused: It has turned a call down, or cut one short.
        waiting: Calls for which there is no room yet, in the order in which they came.
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
        given = {
            "tokens": tokens,
            "usd": usd,
            "model_calls": model_calls,
            "sandbox_seconds": sandbox_seconds,
            "seconds": seconds,
        }
        self._allowed = {name: limit for name, limit in given.items() if limit is not None}
        if not self._allowed:
            raise ValueError(f"budget() limits nothing: give at least one of {', '.join(given)}")
        for name, limit in self._allowed.items():
            if not limit >= 0:
                raise ValueError(f"budget({name}={limit!r}): must not be negative")
        self.spent: Usage = Usage()
        self.refused: bool = False
        self.deadline: float | None = None
        self.waiting: list[Waiter] = []
        self._reserved: dict[str, float] = {}
        self._holders: Counter[str] = Counter()
        self._alone: set[str] = set()
        self._dearest: dict[tuple[str, str], float] = {}
        self._unbound: set[tuple[str, str]] = set()
        self._longest_run = 0.0

    def __repr__(self) -> str:
        return f"budget({', '.join(f'{n}={v!r}' for n, v in self._allowed.items())})"

    def begin(self) -> None:
        """Start the clock of `seconds`."""
        if (seconds := self._allowed.get("seconds")) is not None:
            self.deadline = anyio.current_time() + seconds

    def limits(self, name: str) -> bool:
        """Return whether this is limited here."""
        return name in self._allowed

    @property
    def remaining(self) -> dict[str, float]:
        """What is left of each limit, reservations taken off; never below 0."""
        return {name: max(0.0, self._left(name)) for name in self._allowed}

    def _used(self, name: str) -> float:
        """Return what is spent of a limit, without reservations."""
        match name:
            case "tokens":
                return self.spent.tokens
            case "usd":
                return self.spent.usd
            case "model_calls":
                return self.spent.model_calls
            case "sandbox_seconds":
                return self.spent.sandbox_seconds
            case _:
                end = self.deadline
                return 0.0 if end is None else anyio.current_time() - end + self._allowed[name]

    def _left(self, name: str) -> float:
        return self._allowed[name] - self._used(name) - self._reserved.get(name, 0.0)

    def room(self, demand: Demand, *, nested: bool) -> Reservation | tuple[str, ...]:
        """Compute what to reserve for a model call; nothing is reserved yet.

        Args:
            demand: What the call may use.
            nested: The call is made within another one that is in flight. It cannot wait for that
                one, and counts with it.

        Returns:
            What to give to `reserve`; or the names of the limits of which there is no room before
            calls in flight have ended.

        Raises:
            BudgetExceededError: there will be no room however these end.
        """
        if "seconds" in self._allowed and self._left("seconds") <= 0:
            raise self.exceeded("seconds")
        amounts: dict[str, float] = {}
        alone: list[str] = []
        lacking: list[str] = []
        for name, known in demand.most.items():
            if not known or not isfinite(self._allowed.get(name, inf)):
                continue
            of_model = (demand.model, name)
            most = inf if of_model in self._unbound else known
            likely = min(most, self._dearest.get(of_model, 0.0))
            at_best = self._allowed[name] - self._used(name)
            if at_best <= 0 or likely > at_best:
                raise self.exceeded(name, likely or min(most, demand.prompt[name]))
            left = self._left(name)
            if nested:
                continue
            if name in self._alone:
                lacking.append(name)
            elif most <= left:
                amounts[name] = most
            elif left > 0 and likely <= left:
                amounts[name] = min(left, max(likely, demand.prompt[name]))
                alone.append(name)
            else:
                lacking.append(name)
        return tuple(lacking) or Reservation(amounts, tuple(alone), demand.model)

    def reserve(self, held: Reservation) -> None:
        """Hold a reservation until it is settled."""
        self._holders.update(held.amounts.keys())
        self._alone.update(held.alone)
        for name, amount in held.amounts.items():
            self._reserved[name] = self._reserved.get(name, 0.0) + amount

    def _give_back(self, held: Reservation) -> None:
        self._holders.subtract(held.amounts.keys())
        self._alone.difference_update(held.alone)
        for name, amount in held.amounts.items():
            # Where nothing is held, nothing is reserved: no rounding error may keep a call waiting.
            self._reserved[name] = self._reserved[name] - amount if self._holders[name] else 0.0

    def reserve_run(self, seconds: float) -> Reservation:
        """Reserve one program's time in the sandbox.

        What is reserved is the longest run so far. The program may use all that is left:
        see `sandbox_seconds`.

        Raises:
            BudgetExceededError: nothing is left.
        """
        likely = min(seconds, self._longest_run)
        for name, needed in (("seconds", 0.0), ("sandbox_seconds", likely)):
            left = self._left(name) if name in self._allowed else inf
            if left <= 0 or needed > left:
                raise self.exceeded(name, needed)
        held = Reservation({"sandbox_seconds": likely})
        self.reserve(held)
        return held

    def sandbox_seconds(self) -> float:
        """The longest the next program may run."""
        limit = self._allowed.get("sandbox_seconds")
        return float("inf") if limit is None else max(0.0, limit - self.spent.sandbox_seconds)

    def settle(self, held: Reservation, usage: Usage) -> None:
        """Give a reservation back and take off what was really used."""
        self._give_back(held)
        self.spent += usage
        self._longest_run = max(self._longest_run, usage.sandbox_seconds)
        if not usage.model_calls:
            return
        for name, used in (("model_calls", 1.0), ("tokens", usage.tokens), ("usd", usage.usd)):
            of_model = (held.model, name)
            self._dearest[of_model] = max(self._dearest.get(of_model, 0.0), used)
            if name not in held.alone and used > held.amounts.get(name, inf):
                # The provider exceeds what was thought to be a bound: it is none.
                self._unbound.add(of_model)

    def exceeded(self, limit: str, needed: float = 0.0) -> BudgetExceededError:
        """Make the error for a limit that is used up."""
        self.refused = True
        used, reserved = self._used(limit), self._reserved.get(limit, 0.0)
        return BudgetExceededError(limit, self._allowed[limit], used + reserved, needed=needed)


class budget:  # noqa: N801 - reads as the verb it is: `async with budget(tokens=1000):`
    """Limit what is spent inside an `async with` block, over everything that runs in it.

    When a limit is reached, loops stop and their report keeps the best so far, with
    `stop_reason` "budget"; a pipeline that gives no report raises. The block gives the
    `Budget`, which tells what was spent and what remains. A limit is exceeded by one model call at
    most; see `planish.context.budget` for which calls start, wait, or are refused.

    Args:
        tokens: Input and output tokens of all models together.
        usd: Money, in US dollars. Each model needs a price (see `planish.abc.Priced`).
        model_calls: Requests answered by models.
        sandbox_seconds: Wall seconds of programs in sandboxes, added up.
        seconds: Wall seconds from entering the block.

    Raises:
        ValueError: no limit is given, or a negative one.
    """

    __slots__ = ("_budget", "_token")

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

    async def __aenter__(self) -> Budget:
        self._budget.begin()
        outer = current()
        # A new limit starts a run of its own, so that time running out ends just that.
        inner = replace(outer, budgets=(*outer.budgets, self._budget), running=False)
        self._token: Token[Scope] = enter(inner)
        return self._budget

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave(self._token)

    def __repr__(self) -> str:
        return repr(self._budget)
