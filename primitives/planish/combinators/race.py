"""Either: `a | b`."""

from typing import Any

import anyio

from planish.context.books import keeping
from planish.runtime.branches import Settled, put_together, settle
from planish.runtime.outcomes import fail_unless_outcome
from planish.runtime.primitive import In, Judged, Primitive, lift, shared_doors

__all__ = ["Race"]


class Race(Primitive[In, Judged], operator="|"):
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

    passes_on = True
    loose = True
    loosest = True

    def __init__(self, first: Primitive[In, Judged], /, *others: Primitive[In, Judged]) -> None:
        flat: list[Primitive[Any, Any]] = []
        for branch in (first, *others):
            lifted = lift(branch, "Race:")
            flat += lifted.branches if isinstance(lifted, Race) else [lifted]
        for branch in flat:
            fail_unless_outcome("Race", branch)
        self.branches: tuple[Primitive[Any, Any], ...] = tuple(flat)
        self._doors = shared_doors("Race", flat)

    async def _run(self, value: In) -> Judged:
        slots: list[Settled[Judged]] = [Settled(repr(branch)) for branch in self.branches]
        with keeping() as book:
            async with anyio.create_task_group() as group:

                async def one(index: int) -> None:
                    branch = self.branches[index]
                    if await settle("Race", branch, value, slots, index, first=True):
                        group.cancel_scope.cancel()

                for index in range(len(slots)):
                    group.start_soon(one, index)
            winner = next((i for i, slot in enumerate(slots) if slot.how == "won"), None)
            reason = "all_failed" if winner is None else "success"
            return put_together(slots, winner=winner, stop_reason=reason, usage=book.usage)

    def __repr__(self) -> str:
        return " | ".join(repr(branch) for branch in self.branches)
