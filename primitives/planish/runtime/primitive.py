"""`Primitive`: one type, one verb, three operators.

Every step, every combinator and every whole pipeline is a `Primitive[In, Out]` with `run`.
`a >> b` is then, `a & b` is both, `a | b` is either.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar, Generic, NoReturn, TypeVar, TypeVarTuple, cast, final, overload

from planish.abc import AcceptsFeedback, Outcome
from planish.context.scope import current
from planish.errors import WiringError
from planish.runtime.signature import (
    format_type,
    intersect,
    is_assignable,
    signature_of_class,
    union,
)
from planish.telemetry.runs import observe_step, start_run

__all__ = [
    "FanOut",
    "FeedbackIn",
    "In",
    "Out",
    "OutcomeOut",
    "Primitive",
    "as_primitive",
    "inline",
    "require_compatible",
    "shared_signature",
]

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)
FeedbackIn = TypeVar("FeedbackIn", bound=AcceptsFeedback, contravariant=True)
OutcomeOut = TypeVar("OutcomeOut", bound=Outcome, covariant=True)
Next = TypeVar("Next")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
Each = TypeVarTuple("Each")
More = TypeVarTuple("More")

_operators: dict[str, Callable[..., Any]] = {}
"""Filled by the classes that register: the base class knows no primitive."""


class Primitive(ABC, Generic[In, Out]):
    """A step from `In` to `Out`.

    To write your own, subclass and write `_run`; a plain function joins a pipeline with
    `>>`, or through `step(f)`. A primitive holds configuration only: whatever changes lives in
    the call, so that one object serves any number of runs at once.

    Example:
        >>> import anyio
        >>> from planish import Primitive
        >>> class Double(Primitive[int, int]):
        ...     async def _run(self, value: int) -> int:
        ...         return 2 * value
        >>> anyio.run((Double() >> Double()).run, 3)
        12
    """

    operation: ClassVar[str] = "step"
    """What kind of step this is for traces: "step", "invoke_agent", "evaluate"."""

    records_result: ClassVar[bool] = True
    """The result is records_result in the ledger, so that it survives what comes after it."""

    delegates: ClassVar[bool] = False
    """What it gives was given, and told of, by a step within it."""

    _signature: tuple[Any, Any] | None = None
    """What it takes and gives, where the class does not say: set by combinators."""

    def __init_subclass__(cls, *, operator: str | None = None, **options: Any) -> None:
        """Register the class as what an operator makes.

        Args:
            operator: ">>", "&", "|", or "step" for what a plain function becomes.
            options: For other base classes.
        """
        super().__init_subclass__(**options)
        if operator is not None:
            _operators[operator] = cls

    @abstractmethod
    async def _run(self, value: In) -> Out:
        """What this step does. Write this one; call `run`."""

    @final
    async def run(self, value: In) -> Out:
        """Run this step, and all that is in it, on one value.

        The outermost call is a run of its own: it has one trace, obeys the limits around it,
        and leaves nothing behind, however it ends.

        Args:
            value: The input.

        Returns:
            The output.

        Raises:
            InfrastructureError: the world is broken, and retrying underneath did not help.
            MisuseError: the caller is wrong.
            LimitError: a limit was reached, and there is no report to give. All three carry
                `report`, the run so far.
        """
        scope = current()
        if not scope.running:
            return await start_run(self, self._run, value, scope)
        if not scope.unobserved:
            return await observe_step(self, self._run, value, scope)
        result = await self._run(value)
        if self.records_result and scope.ledger is not None:
            scope.ledger.record(result)
        return result

    @property
    def name(self) -> str:
        """What traces call it: its class, or its function's name."""
        return type(self).__name__

    @property
    def signature(self) -> tuple[Any, Any]:
        """The types it takes and gives, as far as they are known at run time."""
        return self._signature or signature_of_class(type(self), Primitive)

    @overload
    def __rshift__(self, other: "Primitive[Out, Next]", /) -> "Primitive[In, Next]": ...
    @overload
    def __rshift__(self, other: Callable[[Out], Awaitable[Next]], /) -> "Primitive[In, Next]": ...
    @overload
    def __rshift__(self, other: Callable[[Out], Next], /) -> "Primitive[In, Next]": ...
    def __rshift__(self, other: Any, /) -> Any:
        return _operators[">>"](self, as_primitive(other, f"{self!r} >>"))

    @overload
    def __rrshift__(
        self: "Primitive[A, B]", other: Callable[[Next], Awaitable[A]], /
    ) -> "Primitive[Next, B]": ...
    @overload
    def __rrshift__(
        self: "Primitive[A, B]", other: Callable[[Next], A], /
    ) -> "Primitive[Next, B]": ...
    def __rrshift__(self, other: Any, /) -> Any:
        return _operators[">>"](as_primitive(other, f">> {self!r}"), self)

    @overload
    def __and__(self: "Primitive[A, B]", other: "FanOut[A, *More]", /) -> "FanOut[A, B, *More]": ...
    @overload
    def __and__(self: "Primitive[A, B]", other: "Primitive[A, C]", /) -> "FanOut[A, B, C]": ...
    def __and__(self, other: Any, /) -> Any:
        return _operators["&"](self, as_primitive(other, f"{self!r} &"))

    def __or__(
        self: "Primitive[A, Outcome]", other: "Primitive[In, Out]", /
    ) -> "Primitive[In, Out]":
        either: Primitive[In, Out] = _operators["|"](self, as_primitive(other, f"{self!r} |"))
        return either


class FanOut(Primitive[In, tuple[*Each]], Generic[In, *Each]):
    """What `&` makes: all branches get the same input, and a tuple of their results comes out.

    A type of its own, so that `(a & b) & c` is known to give three results, not two.
    """

    # A `FanOut` is a step to a tuple too, and as such would be one branch: kept flat, it is not.
    @overload  # type: ignore[override]
    def __and__(  # pyright: ignore[reportOverlappingOverload]
        self: "FanOut[A, *Each]", other: "FanOut[A, B, C]", /
    ) -> "FanOut[A, *Each, B, C]": ...
    @overload
    def __and__(
        self: "FanOut[A, *Each]", other: "FanOut[A, *More]", /
    ) -> "FanOut[A, *tuple[Any, ...]]": ...
    @overload
    def __and__(
        self: "FanOut[A, *Each]", other: Primitive[A, Next], /
    ) -> "FanOut[A, *Each, Next]": ...
    def __and__(self, other: Any, /) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().__and__(other)


def as_primitive(thing: Any, place: str = "") -> Primitive[Any, Any]:
    """A primitive as it is; a function as a step.

    Raises:
        WiringError: it is neither; the message says where it stood.
    """
    if isinstance(thing, Primitive):
        return cast("Primitive[Any, Any]", thing)  # type: ignore[redundant-cast]  # pyright: Unknown
    if isinstance(thing, type) or not callable(thing):
        hint = ""
        if isinstance(thing, type) and issubclass(thing, Primitive):
            hint = f"; did you mean {thing.__name__}(...)?"
        raise WiringError(f"{place} {thing!r}: a step is a primitive or a function{hint}".strip())
    return cast("Primitive[Any, Any]", _operators["step"](thing))


async def inline(steps: Sequence[Primitive[Any, Any]], value: Any) -> Any:
    """A value through one step after the other.

    The same as `run` of each, but asks only once whether somebody looks.
    """
    scope = current()
    if not scope.unobserved:
        for step in steps:
            value = await step.run(value)
        return value
    for step in steps:
        value = await step._run(value)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - its own kind
        if step.records_result and scope.ledger is not None:
            scope.ledger.record(value)
    return value


def require_compatible(first: Primitive[Any, Any], second: Primitive[Any, Any]) -> None:
    """Check that what one step gives is what the next one takes.

    Raises:
        WiringError: it is not; the message names both.
    """
    given, taken = first.signature[1], second.signature[0]
    if not is_assignable(given, taken):
        raise WiringError(
            f"{first!r} gives {format_type(given)}, but {second!r} takes {format_type(taken)}: "
            "they do not fit"
        )


def shared_signature(parent_name: str, steps: Sequence[Primitive[Any, Any]]) -> tuple[Any, Any]:
    """What a value must be that all of these steps are given, and what one of them gives.

    Raises:
        WiringError: there are no steps, or no value can be taken by all; names two that differ.
    """
    if not steps:
        raise WiringError(f"{parent_name}() holds nothing: give it a step")
    taken, given = steps[0].signature
    for index, step in enumerate(steps):
        taken = intersect(taken, step.signature[0])
        if taken is NoReturn:
            _raise_no_common_input(parent_name, steps[: index + 1])
        given = union(given, step.signature[1])
    return taken, given


def _raise_no_common_input(parent_name: str, steps: Sequence[Primitive[Any, Any]]) -> NoReturn:
    *before, last = steps
    unlike = (
        step for step in before if intersect(step.signature[0], last.signature[0]) is NoReturn
    )
    other = next(unlike, before[0])
    raise WiringError(
        f"{parent_name} gives its steps the same value, but {other!r} takes "
        f"{format_type(other.signature[0])}, "
        f"and {last!r} takes {format_type(last.signature[0])}: no value is both"
    )
