"""Either: `a | b`."""

from typing import Any, overload

import anyio

from planish.base import In, Out, Primitive, lift
from planish.outcomes import fail_unless_outcome
from planish.scopes.books import keeping
from planish.settling import Settled, put_together, settle

__all__ = ["Race"]


class Race(Primitive[In, Out], operator="|"):
    """All branches at once; the first whose outcome *passed* is taken.

    The others are cancelled then, and awaited: when `run` returns, their processes are gone.
    A branch that fails, or whose outcome has not passed, does not end the race. When none
    passes, the best outcome is taken. The report keeps how every branch ended.
    `(a | b) | c` is flat.

    Args:
        branches: Two or more primitives of the same type.

    Raises:
        WiringError: a branch is no primitive, or its results cannot be judged.
    """

    loose = True
    loosest = True

    @overload
    def __init__(self, first: Primitive[In, Out], /, *others: Primitive[In, Out]) -> None: ...
    @overload
    def __init__(self, *branches: Any) -> None: ...
    def __init__(self, *branches: Any) -> None:
        flat: list[Primitive[Any, Any]] = []
        for branch in branches:
            lifted = lift(branch, "Race:")
            flat += lifted.branches if isinstance(lifted, Race) else [lifted]
        for branch in flat:
            fail_unless_outcome("Race", branch)
        self.branches: tuple[Primitive[Any, Any], ...] = tuple(flat)
        self._doors = flat[0].doors

    async def _run(self, value: In) -> Out:
        slots: list[Settled[Out]] = [Settled(repr(branch)) for branch in self.branches]
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
