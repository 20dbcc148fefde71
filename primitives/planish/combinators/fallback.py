"""One after the other until one is good."""

from typing import Any

from planish.context.ledger import ledger_scope
from planish.errors import InfrastructureError
from planish.runtime.branches import BranchResult, merge_results, run_branch
from planish.runtime.diagram import Links
from planish.runtime.primitive import In, Out, Primitive, as_primitive
from planish.runtime.wiring import shared_signature

__all__ = ["Fallback"]


class Fallback(Primitive[In, Out]):
    """Try a step; when the world is broken, or its outcome has not passed, try the next.

    Results that do not say whether they passed count as passed. Other errors than those of
    the world are raised at once. When none is good, the best outcome is taken; when none gave
    one, the first error is raised. The report keeps how every one of them ended.

    Args:
        first: What to try first.
        others: What to try then, in order.

    Raises:
        WiringError: one of them takes what another cannot take.
    """

    delegates = True

    def __init__(self, first: Primitive[In, Out], *others: Primitive[In, Out]) -> None:
        self.steps: tuple[Primitive[In, Out], ...] = tuple(
            as_primitive(step, "Fallback:") for step in (first, *others)
        )
        self._signature = shared_signature("Fallback", self.steps)
        self._replace_arguments(Fallback, *self.steps)
        self._names = tuple(map(repr, self.steps))

    def _links(self) -> Links:
        return Links("fork", ("first", *["on failure"] * (len(self.steps) - 1)))

    async def _run(self, value: In) -> Out:
        slots: list[BranchResult[Any]] = [BranchResult(name) for name in self._names]
        won, tried = False, 0
        with ledger_scope() as book:
            for index, (step, slot) in enumerate(zip(self.steps, slots, strict=True)):
                won = await run_branch("Fallback", step, value, slots, index, first=True)
                if slot.error is not None and not isinstance(slot.error, InfrastructureError):
                    raise slot.error
                tried = index + 1
                if won:
                    break
            outcome: Out = merge_results(
                slots[:tried],
                winner=tried - 1 if won else None,
                stop_reason="success" if won else "all_failed",
                usage=book.usage,
            )
            return outcome
