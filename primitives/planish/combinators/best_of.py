"""The best of n independent candidates."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

import anyio

from planish.abc import Outcome
from planish.context.ledger import ledger_scope
from planish.runtime.branches import BranchResult, merge_results, run_branch
from planish.runtime.diagram import Links
from planish.runtime.outcomes import rank
from planish.runtime.primitive import In, Out, Primitive, as_primitive
from planish.runtime.wiring import require_outcome

__all__ = ["BestOf"]

A = TypeVar("A")
OutcomeOut = TypeVar("OutcomeOut", bound=Outcome)

Scorer = Callable[[Out], float | tuple[float, ...] | Awaitable[float]]


class BestOf(Primitive[In, Out]):
    """Run a step n times at once and take the best outcome; all are kept in the report.

    Each run's input says which candidate it is (`Task.candidate`, from 0), so that
    generators, recordings and seeds tell them apart by index, never by order of arrival.

    Args:
        step: What to run.
        n: How many times.
        scorer: What makes an outcome better; the highest is taken, of equals the earliest.
            None (the default): passed first, then the outcome's own score.
        concurrency: How many at once; None (the default) for all.

    Raises:
        WiringError: the step's results cannot be judged.
        ValueError: n or concurrency is less than 1.
    """

    delegates = True

    @overload
    def __init__(
        self: "BestOf[A, OutcomeOut]",
        step: Primitive[A, OutcomeOut],
        *,
        n: int,
        concurrency: int | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        step: Primitive[In, Out],
        *,
        n: int,
        scorer: Scorer[Out],
        concurrency: int | None = None,
    ) -> None: ...
    def __init__(
        self,
        step: Any,
        *,
        n: int,
        scorer: Scorer[Out] | None = None,
        concurrency: int | None = None,
    ) -> None:
        if n < 1 or (concurrency is not None and concurrency < 1):
            raise ValueError(f"BestOf(n={n!r}, concurrency={concurrency!r}): at least 1")
        self.step: Primitive[In, Out] = as_primitive(step, "BestOf:")
        if scorer is None:
            require_outcome("BestOf", self.step)
        self.n = n
        self.scorer = scorer
        self.concurrency = concurrency
        self._signature = self.step.signature

    def _links(self) -> Links:
        return Links("fork", (f"{self.n} candidates",))

    async def _run(self, value: In) -> Out:
        slots: list[BranchResult[Out]] = [BranchResult(f"candidate {i}") for i in range(self.n)]
        with ledger_scope() as book:
            waiting = iter(range(self.n))

            async def worker() -> None:
                for index in waiting:
                    mine = _for_candidate(value, index, self.n)
                    await run_branch("BestOf", self.step, mine, slots, index)

            async with anyio.create_task_group() as group:
                for _ in range(min(self.n, self.concurrency or self.n)):
                    group.start_soon(worker)
            winner = await self._winner(slots)
            passed = winner is not None and slots[winner].passed
            return merge_results(
                slots,
                winner=winner,
                stop_reason="success" if passed else "all_failed",
                usage=book.usage,
            )

    async def _winner(self, slots: list[BranchResult[Out]]) -> int | None:
        scores: dict[int, Any] = {}
        for index, slot in enumerate(slots):
            if slot.has_outcome:
                scores[index] = await self._score(slot.outcome)
        return max(scores, key=lambda i: (scores[i], -i)) if scores else None

    async def _score(self, outcome: Any) -> Any:
        score: Any = rank(outcome) if self.scorer is None else self.scorer(outcome)
        return await score if inspect.isawaitable(score) else score


def _for_candidate(value: Any, index: int, count: int) -> Any:
    numbered = getattr(value, "for_candidate", None)
    return value if numbered is None else numbered(index, count)
