"""Run steps one after the other until one passes."""

from collections.abc import Awaitable, Callable
from functools import partial

from planish.context.interception import decide
from planish.context.ledger import ledger_scope
from planish.context.replay import Endings
from planish.context.turns import checkpoint
from planish.errors import InfrastructureError
from planish.runtime.branches import (
    BranchNames,
    BranchResult,
    merge_results,
    recording_branches,
    run_branch,
)
from planish.runtime.diagram import Links
from planish.runtime.naming import name_in_path
from planish.runtime.primitive import In, Out, Primitive, as_primitive
from planish.runtime.wiring import shared_signature

__all__ = ["Fallback"]

_RECOVERABLE: tuple[type[Exception], ...] = (InfrastructureError, TimeoutError)
"""The errors that say nothing against another step; `DeadlineError` is a `TimeoutError`."""


class Fallback(Primitive[In, Out]):
    """Run a step; after an outcome that does not pass, an outage or a timeout, run the next.

    The next one runs after an `InfrastructureError` and after a `TimeoutError`, such as the
    `DeadlineError` of a `Timeout`. Results without `passed` count as passed. Other errors are
    raised at once. If no step passes,
    `Fallback` returns the best outcome. If every step raises, it raises the first error. The
    report has how each step ended.

    Args:
        first: The step to run first.
        others: The steps to run after it, in order.

    Raises:
        WiringError: no input suits all steps.
    """

    delegates = True

    def __init__(self, first: Primitive[In, Out], *others: Primitive[In, Out]) -> None:
        self.steps: tuple[Primitive[In, Out], ...] = tuple(
            as_primitive(step, "Fallback:") for step in (first, *others)
        )
        self._signature = shared_signature("Fallback", self.steps)
        self._replace_arguments(Fallback, *self.steps)
        self._names = BranchNames(self.steps)

    def _links(self) -> Links:
        return Links("fork", ("first", *["on failure"] * (len(self.steps) - 1)))

    async def _run(self, value: In) -> Out:
        results = self._names.results()
        won, ended, path_name = False, 0, name_in_path(self, "Fallback")
        with ledger_scope() as ledger, recording_branches(results, ledger):
            for index, (step, result) in enumerate(zip(self.steps, results, strict=True)):
                cause = "fallback" if index else None
                run = partial(
                    run_branch, path_name, step, value, results, index, first=True, cause=cause
                )
                await self._run_one(run, result, index)
                won = result.ending == "won"
                ended = index + 1
                if won:
                    break
                await checkpoint()
            outcome: Out = merge_results(
                results[:ended],
                winner=ended - 1 if won else None,
                stop_reason="success" if won else "all_failed",
                usage=ledger.usage,
            )
            return outcome

    async def _run_one(
        self, run: Callable[[], Awaitable[bool]], result: BranchResult[Out], index: int
    ) -> None:
        """Run one step; that it has failed is an effect if another step is run after it."""

        async def run_live() -> Endings:
            await run()
            if result.suspended is not None:
                raise result.suspended
            if result.error is not None and not isinstance(result.error, _RECOVERABLE):
                raise result.error
            return Endings(cut=(result.reached(),))

        async def repeat(endings: Endings) -> None:
            (reached,) = endings.cut
            if reached is None:
                await run()
            else:
                result.restore(reached)

        if index == len(self.steps) - 1:  # the run may be resumed to try it again
            await run_live()
        else:
            await decide("Fallback", run_live, Endings, index, repeat=repeat)
