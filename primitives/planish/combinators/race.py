"""Run several steps at once and return the first outcome that passes: `a | b`."""

from typing import Any

import anyio

from planish.arguments import MOST_SAMPLES, require_count
from planish.context.ledger import ledger_scope
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

    `Race(step, n=8)` runs one step several times: the input of each run has the number of its
    candidate (`Task.candidate`, from 0), as in `BestOf`.

    Args:
        first: A primitive whose results are outcomes.
        others: More of the same types.
        n: How often to run the only branch; 1 to 1,000,000. None (the default): each branch once.
        concurrency: The number of branches at the same time; None (the default) for all. The
            others start in order as these end; those that a winner prevents are "cancelled".

    Raises:
        WiringError: a branch is neither a primitive nor a function, its results are not
            outcomes, no input suits all branches, or `n` is given for several branches.
        ValueError: n or concurrency is less than 1, or n more than a million.
    """

    delegates = True

    def __init__(
        self,
        first: Primitive[In, OutcomeOut],
        /,
        *others: Primitive[In, OutcomeOut],
        n: int | None = None,
        concurrency: int | None = None,
    ) -> None:
        if n is not None:
            require_count("Race", "n", n, most=MOST_SAMPLES)
        if concurrency is not None:
            require_count("Race", "concurrency", concurrency)
        if n is not None and others:
            raise WiringError(f"Race(n={n!r}) runs one step several times: give one, not several")
        parts = [as_primitive(branch, "Race:") for branch in (first, *others)]
        for part in parts:
            if not isinstance(part, Race):  # its branches have been checked
                require_outcome("Race", part)
        flat = parts if n is not None else flatten(parts, Race)
        self._depth = depth_of_parts(parts, Race)
        self.branches: tuple[Primitive[Any, Any], ...] = tuple(flat)
        self._signature = shared_signature("Race", parts, flat)
        self.n = n
        self.concurrency = concurrency
        if n is None and concurrency is None:
            self._replace_arguments(Race, *flat)
        self._names = BranchNames(self.branches)

    def _links(self) -> Links:
        return Links("fork") if self.n is None else Links("fork", (f"{self.n} candidates",))

    async def _run(self, value: In) -> OutcomeOut:
        results: list[BranchResult[OutcomeOut]] = (
            self._names.results()
            if self.n is None
            else BranchNames.samples(self.branches[0], self.n)
        )

        cause = "race" if self.n is None else "sample"

        async def run_one(index: int) -> bool:
            branch, numbered = self._branch(index, value)
            return await run_branch(
                name_in_path(self, "Race"),
                branch,
                numbered,
                results,
                index,
                first=True,
                cause=cause,
            )

        async def run_all() -> None:
            indexes = iter(range(len(results)))
            async with anyio.create_task_group() as group:

                async def worker() -> None:
                    for index in indexes:
                        if await run_one(index):
                            group.cancel_scope.cancel()
                            return

                for _ in range(min(len(results), self.concurrency or len(results))):
                    group.start_soon(worker)

        with ledger_scope() as ledger:
            with recording_branches(results, ledger), unwrap_single_exception():
                await run_branches("Race", results, run_all, run_one)
            winner = next((i for i, result in enumerate(results) if result.ending == "won"), None)
            reason = "all_failed" if winner is None else "success"
            return merge_results(results, winner=winner, stop_reason=reason, usage=ledger.usage)

    def _branch(self, index: int, value: Any) -> tuple[Primitive[Any, Any], Any]:
        """Return a branch and its input."""
        if self.n is None:
            return self.branches[index], value
        return self.branches[0], for_candidate(value, index, self.n)
