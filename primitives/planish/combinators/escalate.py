"""Choose a step by the number of the attempt."""

from typing import Any, Protocol, TypeVar, runtime_checkable

from planish.context.path import path_scope
from planish.context.scope import current
from planish.errors import WiringError
from planish.runtime.diagram import Links
from planish.runtime.naming import name_in_path, segment_of
from planish.runtime.primitive import Out, Primitive, as_primitive
from planish.runtime.wiring import shared_signature

__all__ = ["Escalate", "Numbered"]


@runtime_checkable
class Numbered(Protocol):
    """An input that knows its attempt, as `Task`, `Candidate` and `Execution` do."""

    @property
    def attempt(self) -> int:
        """Number of the attempt, from 1."""
        ...


In = TypeVar("In", bound=Numbered, contravariant=True)


class Escalate(Primitive[In, Out]):
    """Run the first step on the first attempt, the second on the second; the last one repeats.

    Use it for a small model first and a large one later, or for a basic prompt first and a
    detailed one later. It reads the number of the attempt from its input, so it can stand
    anywhere in a loop: before the generator, the execution or the validator.

    Example:
        `Retry(Escalate(small, large) >> run >> check, attempts=4)` calls the small model once,
        then the large one up to three times.

    Args:
        first: The step of the first attempt.
        others: The steps of the attempts after it.

    Raises:
        WiringError: no input suits all steps; at run time, the input has no `attempt`.
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
                f"the input of {self!r} is a {type(value).__qualname__}, which has no number of "
                "an attempt: it needs `attempt`, counted from 1"
            )
        index = min(attempt, len(self.steps)) - 1
        step: Primitive[In, Out] = self.steps[index]
        ledger = current().ledger
        if ledger is not None and index > 0 and attempt == index + 1:
            ledger.cause = "escalation"  # the attempt before had another step
        with path_scope(segment_of(name_in_path(self, "Escalate"), index, step)):
            return await step.run(value)
