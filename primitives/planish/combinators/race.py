"""Run several steps at once and return the first outcome that passes: `a | b`."""

from typing import Any

import anyio

from planish.context.ledger import ledger_scope
from planish.runtime.branches import (
    BranchNames,
    BranchResult,
    merge_results,
    recording_branches,
    run_branch,
    unwrap_single_exception,
)
from planish.runtime.diagram import Links
from planish.runtime.primitive import In, OutcomeOut, Primitive, as_primitive
from planish.runtime.wiring import (
    depth_of_parts,
    flatten,
    require_outcome,
    shared_signature,
)

__all__ = ["Race"]


class Race(Primitive[In, OutcomeOut], operator="|"):
    """Run all branches at once and return the first outcome that passed.

    The other branches are then cancelled and awaited: when `run` returns, their processes have
    ended. A branch that raises, or whose outcome does not pass, does not end the race. If no
    branch passes, `Race` returns the best outcome. If every branch raises, it raises the first
    branch's error. The report has how every branch ended. `(a | b) | c` is flat.

    Args:
        first: A primitive whose results are outcomes.
        others: More of the same types.

    Raises:
        WiringError: a branch is neither a primitive nor a function, its results are not
            outcomes, or no input suits all branches.
    """

    delegates = True

    def __init__(
        self, first: Primitive[In, OutcomeOut], /, *others: Primitive[In, OutcomeOut]
    ) -> None:
        parts = [as_primitive(branch, "Race:") for branch in (first, *others)]
        for part in parts:
            require_outcome("Race", part)
        flat = flatten(parts, Race)
        self._depth = depth_of_parts(parts, Race)
        self.branches: tuple[Primitive[Any, Any], ...] = tuple(flat)
        self._signature = shared_signature("Race", parts, flat)
        self._replace_arguments(Race, *flat)
        self._names = BranchNames(self.branches)

    def _links(self) -> Links:
        return Links("fork")

    async def _run(self, value: In) -> OutcomeOut:
        results: list[BranchResult[OutcomeOut]] = self._names.results()
        with ledger_scope() as ledger:
            with recording_branches(results, ledger), unwrap_single_exception():
                await self._run_branches(value, results)
            winner = next((i for i, result in enumerate(results) if result.ending == "won"), None)
            reason = "all_failed" if winner is None else "success"
            return merge_results(results, winner=winner, stop_reason=reason, usage=ledger.usage)

    async def _run_branches(self, value: In, results: list[BranchResult[OutcomeOut]]) -> None:
        async with anyio.create_task_group() as group:

            async def run_one(index: int) -> None:
                branch = self.branches[index]
                if await run_branch("Race", branch, value, results, index, first=True):
                    group.cancel_scope.cancel()

            for index in range(len(results)):
                group.start_soon(run_one, index)
