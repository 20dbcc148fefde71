"""Run a step several times at once and select the best outcome."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

import anyio

from planish.abc import Outcome
from planish.arguments import MOST_SAMPLES, require_count
from planish.context.ledger import ledger_scope
from planish.context.turns import checkpoint
from planish.data.attempt import rank
from planish.errors import WiringError
from planish.runtime.branches import (
    BranchNames,
    BranchResult,
    merge_results,
    recording_branches,
    run_branch,
    unwrap_single_exception,
)
from planish.runtime.diagram import Links
from planish.runtime.endings import run_branches
from planish.runtime.naming import name_in_path
from planish.runtime.outcomes import for_candidate
from planish.runtime.primitive import In, Out, Primitive, as_primitive
from planish.runtime.wiring import require_callable, require_outcome

__all__ = ["BestOf"]

A = TypeVar("A")
OutcomeOut = TypeVar("OutcomeOut", bound=Outcome)

Scorer = Callable[[Out], float | tuple[float, ...] | Awaitable[float]]
"""A function from an outcome to its score; may be async. The highest score is the best."""


class BestOf(Primitive[In, Out]):
    """Run a step n times at once and return the best outcome; the report has all of them.

    The input of each run has the number of its candidate (`Task.candidate`, from 0). Generators,
    recordings and seeds depend on that number, never on the order of arrival.

    Args:
        step: The step to run.
        n: The number of runs; 1 to 1,000,000.
        scorer: Returns the score of an outcome. The highest score wins, the earliest candidate
            of equal ones. None (the default): outcomes that passed, then by their own score,
            then the one with the stronger evidence.
        concurrency: The number of runs at the same time; None (the default) for all.

    Raises:
        WiringError: there is no scorer, and the step's results have no `passed` and `score`; or
            the scorer is not a function. At run time, it returns None or NaN, or scores that
            cannot be ordered.
        ValueError: n or concurrency is not a whole number of at least 1, or n more than a million.
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
        require_count("BestOf", "n", n, most=MOST_SAMPLES)
        if concurrency is not None:
            require_count("BestOf", "concurrency", concurrency)
        require_callable("BestOf", "scorer", scorer, "from an outcome to a score")
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
        results: list[BranchResult[Out]] = BranchNames.samples(self.step, self.n)

        path_name = name_in_path(self, "BestOf")

        async def run_one(index: int) -> None:
            numbered = for_candidate(value, index, self.n)
            await run_branch(path_name, self.step, numbered, results, index, cause="sample")

        async def run_all() -> None:
            indexes = iter(range(self.n))

            async def worker() -> None:
                for index in indexes:
                    await run_one(index)
                    await checkpoint()

            async with anyio.create_task_group() as group:
                for _ in range(min(self.n, self.concurrency or self.n)):
                    group.start_soon(worker)

        with ledger_scope() as ledger:
            with recording_branches(results, ledger), unwrap_single_exception():
                await run_branches("BestOf", results, run_all, run_one)
            winner = await self._winner(results)
            passed = winner is not None and results[winner].passed
            return merge_results(
                results,
                winner=winner,
                stop_reason="success" if passed else "all_failed",
                usage=ledger.usage,
            )

    async def _winner(self, results: list[BranchResult[Out]]) -> int | None:
        scores: dict[int, Any] = {}
        for index, result in enumerate(results):
            if result.has_outcome:
                scores[index] = await self._score(result.outcome)
        try:
            return max(scores, key=lambda i: (scores[i], -i)) if scores else None
        except TypeError as error:
            found = ", ".join(repr(score)[:40] for score in scores.values())
            raise WiringError(
                f"BestOf(scorer={self.scorer!r}): the scores cannot be ordered: {found[:200]}"
            ) from error

    async def _score(self, outcome: Any) -> Any:
        score: Any = rank(outcome) if self.scorer is None else self.scorer(outcome)
        score = await score if inspect.isawaitable(score) else score
        if score is None or score != score:  # noqa: PLR0124 - as NaN is
            raise WiringError(
                f"BestOf(scorer={self.scorer!r}): {score!r} is no score: return a number"
            )
        return score
