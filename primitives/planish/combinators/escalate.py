"""The n-th attempt uses the n-th step."""

from typing import Any, Protocol, TypeVar, runtime_checkable

from planish.errors import WiringError
from planish.runtime.diagram import Links
from planish.runtime.primitive import Out, Primitive, as_primitive
from planish.runtime.wiring import shared_signature

__all__ = ["Escalate", "Numbered"]


@runtime_checkable
class Numbered(Protocol):
    """An input that says which attempt it is for: `Task` is one."""

    @property
    def attempt(self) -> int:
        """From 1."""
        ...


In = TypeVar("In", bound=Numbered, contravariant=True)


class Escalate(Primitive[In, Out]):
    """Choose a step by the attempt: the first for the first, and so on; the last one repeats.

    Which attempt it is says the value (`Task.attempt`), so it works wherever it stands inside
    a loop: small model first, big model later; basic prompt first, then a careful one.

    Example:
        `Retry(Escalate(small, big) >> run >> check, attempts=4)` asks the small model once,
        then the big one three times.

    Args:
        first: For the first attempt.
        others: For the attempts after it.
    """

    records_result = False
    delegates = True

    def __init__(self, first: Primitive[In, Out], *others: Primitive[In, Out]) -> None:
        self.steps: tuple[Primitive[In, Out], ...] = tuple(
            as_primitive(step, "Escalate:") for step in (first, *others)
        )
        self._signature = shared_signature("Escalate", self.steps)
        self._replace_arguments(Escalate, *self.steps)

    def _links(self) -> Links:
        labels = [f"attempt {number}" for number in range(1, len(self.steps))]
        return Links("fork", (*labels, f"attempt {len(self.steps)} and later"))

    async def _run(self, value: In) -> Out:
        attempt: Any = getattr(value, "attempt", None)
        if not isinstance(attempt, int):
            raise WiringError(
                f"{self!r} was given a {type(value).__qualname__}, which does not say which "
                "attempt it is for: its input needs `attempt`, counted from 1"
            )
        step: Primitive[In, Out] = self.steps[min(attempt, len(self.steps)) - 1]
        return await step.run(value)
