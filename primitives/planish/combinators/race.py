"""Either: `a | b`."""

from typing import Any

import anyio

from planish.context.ledger import ledger_scope
from planish.runtime.branches import BranchResult, merge_results, run_branch
from planish.runtime.diagram import Links
from planish.runtime.primitive import In, OutcomeOut, Primitive, as_primitive
from planish.runtime.wiring import require_outcome, shared_signature

__all__ = ["Race"]


class Race(Primitive[In, OutcomeOut], operator="|"):
    """All branches at once; the first whose outcome *passed* is taken.

    The others are cancelled then, and awaited: when `run` returns, their processes are gone.
    A branch that fails, or whose outcome has not passed, does not end the race. When none
    passes, the best outcome is taken. The report keeps how every branch ended.
    `(a | b) | c` is flat.

    Args:
        first: A primitive to outcomes.
        others: More of the same type.

    Raises:
        WiringError: a branch is no primitive, its results cannot be judged, or it takes what
            no other branch takes.
    """

    delegates = True

    def __init__(
        self, first: Primitive[In, OutcomeOut], /, *others: Primitive[In, OutcomeOut]
    ) -> None:
        flat: list[Primitive[Any, Any]] = []
        for branch in (first, *others):
            lifted = as_primitive(branch, "Race:")
            flat += lifted.branches if isinstance(lifted, Race) else [lifted]
        for branch in flat:
            require_outcome("Race", branch)
        self.branches: tuple[Primitive[Any, Any], ...] = tuple(flat)
        self._signature = shared_signature("Race", flat)
        self._replace_arguments(Race, *flat)
        self._names = tuple(map(repr, flat))

    def _links(self) -> Links:
        return Links("fork")

    async def _run(self, value: In) -> OutcomeOut:
        slots: list[BranchResult[OutcomeOut]] = [BranchResult(name) for name in self._names]
        with ledger_scope() as book:
            async with anyio.create_task_group() as group:

                async def one(index: int) -> None:
                    branch = self.branches[index]
                    if await run_branch("Race", branch, value, slots, index, first=True):
                        group.cancel_scope.cancel()

                for index in range(len(slots)):
                    group.start_soon(one, index)
            winner = next((i for i, slot in enumerate(slots) if slot.ending == "won"), None)
            reason = "all_failed" if winner is None else "success"
            return merge_results(slots, winner=winner, stop_reason=reason, usage=book.usage)
