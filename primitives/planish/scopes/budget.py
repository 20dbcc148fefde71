"""What may be spent, and what has been.

A budget is asked *before* a call: what calls in flight may use is reserved, so a fan-out cannot
spend the same token twice. How much a call will use is not known beforehand; it is estimated
from the length of the prompt (four characters a token) and corrected by what the calls
before it really used. The first call is always let through: a budget too small for one call is
used up by that call.
"""

import anyio

from planish.data.usage import Usage
from planish.errors import BudgetExceededError

__all__ = ["Budget", "Reservation"]


class Reservation:
    """What one call in flight may use, held until `settle`."""

    __slots__ = ("calls", "sandbox_seconds", "tokens", "usd")

    def __init__(
        self,
        *,
        tokens: float = 0.0,
        usd: float = 0.0,
        calls: int = 0,
        sandbox_seconds: float = 0.0,
    ) -> None:
        self.tokens: float = tokens
        self.usd: float = usd
        self.calls: int = calls
        self.sandbox_seconds: float = sandbox_seconds


class Budget:
    """What may be spent within one `limits(...)` block, and what has been.

    Attributes:
        spent: What has been used inside the block so far.
        refused: It has turned a call down, or cut one short.
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
            raise ValueError(f"limits() limits nothing: give at least one of {', '.join(given)}")
        for name, limit in self._allowed.items():
            if not limit >= 0:
                raise ValueError(f"limits({name}={limit!r}): must not be negative")
        self.spent: Usage = Usage()
        self.refused: bool = False
        self.deadline: float | None = None
        self._held: list[Reservation] = []
        self._estimated = 0.0
        self._dearest_call = 0.0
        self._longest_run = 0.0

    def __repr__(self) -> str:
        return f"limits({', '.join(f'{n}={v!r}' for n, v in self._allowed.items())})"

    def begin(self) -> None:
        """Start the clock of `seconds`."""
        if (seconds := self._allowed.get("seconds")) is not None:
            self.deadline = anyio.current_time() + seconds

    @property
    def remaining(self) -> dict[str, float]:
        """What is left of each limit, reservations taken off; never below 0."""
        return {name: max(0.0, self._left(name)) for name in self._allowed}

    def _used(self, name: str) -> float:
        held = self._held
        match name:
            case "tokens":
                return self.spent.tokens + sum(r.tokens for r in held)
            case "usd":
                return self.spent.usd + sum(r.usd for r in held)
            case "model_calls":
                return self.spent.model_calls + sum(r.calls for r in held)
            case "sandbox_seconds":
                return self.spent.sandbox_seconds + sum(r.sandbox_seconds for r in held)
            case _:
                start = self.deadline
                return 0.0 if start is None else anyio.current_time() - start + self._allowed[name]

    def _left(self, name: str) -> float:
        return self._allowed[name] - self._used(name)

    def _refuse_unless(self, name: str, asked: float, *, first: bool) -> None:
        if name not in self._allowed:
            return
        left = self._left(name)
        if left <= 0 or (asked > left and not first):
            raise self.exceeded(name)

    def reserve_call(self, estimated_tokens: int) -> Reservation:
        """Reserve one model request.

        Raises:
            BudgetExceededError: it does not fit in what is left.
        """
        known = self.spent.tokens
        tokens = estimated_tokens * (known / self._estimated if known and self._estimated else 1.0)
        first = not (self.spent.model_calls or any(r.calls for r in self._held))
        self._refuse_unless("seconds", 0.0, first=True)
        self._refuse_unless("model_calls", 1, first=False)
        self._refuse_unless("tokens", tokens, first=first)
        self._refuse_unless("usd", self._dearest_call, first=first)
        held = Reservation(tokens=tokens, usd=self._dearest_call, calls=1)
        self._held.append(held)
        return held

    def reserve_run(self, seconds: float) -> Reservation:
        """Reserve one program's time in the sandbox.

        What is reserved is the longest run so far. The program may use all that is left:
        see `sandbox_seconds`.

        Raises:
            BudgetExceededError: nothing is left.
        """
        self._refuse_unless("seconds", 0.0, first=True)
        self._refuse_unless("sandbox_seconds", min(seconds, self._longest_run), first=False)
        held = Reservation(sandbox_seconds=min(seconds, self._longest_run))
        self._held.append(held)
        return held

    def sandbox_seconds(self) -> float:
        """The longest the next program may run."""
        limit = self._allowed.get("sandbox_seconds")
        return float("inf") if limit is None else max(0.0, limit - self.spent.sandbox_seconds)

    def settle(self, held: Reservation, usage: Usage, estimated_tokens: int = 0) -> None:
        """Give a reservation back and take off what was really used."""
        self._held.remove(held)
        self.spent += usage
        if usage.model_calls:
            self._estimated += estimated_tokens
        self._dearest_call = max(self._dearest_call, usage.usd)
        self._longest_run = max(self._longest_run, usage.sandbox_seconds)

    def exceeded(self, limit: str) -> BudgetExceededError:
        """The error for a limit that ran out."""
        self.refused = True
        return BudgetExceededError(limit, self._allowed[limit], self._used(limit))
