"""`budget(...)`: limit what is spent inside a block, over everything that runs in it."""

from contextvars import Token
from dataclasses import replace
from types import TracebackType

from planish.context.budget import Budget
from planish.context.scope import Scope, current, enter, leave

__all__ = ["budget"]


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
        around = current()
        # A new limit starts a run of its own, so that time running out ends just that.
        inner = replace(around, budgets=(*around.budgets, self._budget), running=False)
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
