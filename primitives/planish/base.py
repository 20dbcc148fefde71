"""`Primitive`: one type, one verb, three operators.

Every step, every combinator and every whole pipeline is a `Primitive[In, Out]` with `run`.
`a >> b` is then, `a & b` is both, `a | b` is either.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar, TypeVarTuple, cast, final, overload

from planish.errors import WiringError
from planish.scopes.scope import current
from planish.tracing.observe import observed, started
from planish.wiring import doors_of_class, fits, show

__all__ = ["FanOut", "In", "Out", "Primitive", "fail_unless_fits", "lift", "through"]

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)
Next = TypeVar("Next")
A = TypeVar("A")
B = TypeVar("B")
Each = TypeVarTuple("Each")

_operators: dict[str, Callable[..., Any]] = {}


class Primitive(ABC, Generic[In, Out]):
    """A step from `In` to `Out`.

    To write your own, subclass and write `_run`; a plain function joins a pipeline with
    `>>`, or through `step(f)`. A primitive holds configuration only: whatever changes lives in
    the call, so that one object serves any number of runs at once.

    Example:
        >>> import anyio
        >>> class Double(Primitive[int, int]):
        ...     async def _run(self, value: int) -> int:
        ...         return 2 * value
        >>> anyio.run((Double() >> Double()).run, 3)
        12
    """

    operation: ClassVar[str] = "step"
    """What kind of step this is for traces: "step", "invoke_agent", "evaluate"."""

    noted: ClassVar[bool] = False
    """The result is noted in the ledger, so that it survives what comes after it."""

    _doors: tuple[Any, Any] | None = None
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
            return await started(self, self._run, value, scope)
        if not scope.quiet:
            return await observed(self, self._run, value, scope)
        result = await self._run(value)
        if self.noted and scope.ledger is not None:
            scope.ledger.note(result)
        return result

    @property
    def name(self) -> str:
        """What traces call it: its class, or its function's name."""
        return type(self).__name__

    @property
    def doors(self) -> tuple[Any, Any]:
        """The types it takes and gives, as far as they are known at run time."""
        return self._doors or doors_of_class(type(self), Primitive)

    @overload
    def __rshift__(self, other: "Primitive[Out, Next]", /) -> "Primitive[In, Next]": ...
    @overload
    def __rshift__(self, other: Callable[[Out], Awaitable[Next]], /) -> "Primitive[In, Next]": ...
    @overload
    def __rshift__(self, other: Callable[[Out], Next], /) -> "Primitive[In, Next]": ...
    def __rshift__(self, other: Any, /) -> Any:
        return _operators[">>"](self, lift(other, f"{self!r} >>"))

    @overload
    def __rrshift__(
        self: "Primitive[A, B]", other: Callable[[Next], Awaitable[A]], /
    ) -> "Primitive[Next, B]": ...
    @overload
    def __rrshift__(
        self: "Primitive[A, B]", other: Callable[[Next], A], /
    ) -> "Primitive[Next, B]": ...
    def __rrshift__(self, other: Any, /) -> Any:
        return _operators[">>"](lift(other, f">> {self!r}"), self)

    def __and__(self: "Primitive[A, B]", other: "Primitive[A, Next]", /) -> "FanOut[A, B, Next]":
        both: FanOut[A, B, Next] = _operators["&"](self, lift(other, f"{self!r} &"))
        return both

    def __or__(self, other: "Primitive[In, Out]", /) -> "Primitive[In, Out]":
        either: Primitive[In, Out] = _operators["|"](self, lift(other, f"{self!r} |"))
        return either


class FanOut(Primitive[In, tuple[*Each]], Generic[In, *Each]):
    """What `&` makes: all branches get the same input, and a tuple of their results comes out.

    A type of its own, so that `(a & b) & c` is known to give three results, not two.
    """

    # The base class would have a pair whose first half is a tuple; branches are kept flat.
    def __and__(  # type: ignore[override]
        self: "FanOut[A, *Each]", other: Primitive[A, Next], /
    ) -> "FanOut[A, *Each, Next]":
        both: Any = super().__and__(other)
        return cast("FanOut[A, *Each, Next]", both)


def lift(thing: Any, place: str = "") -> Primitive[Any, Any]:
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


async def through(steps: Sequence[Primitive[Any, Any]], value: Any) -> Any:
    """A value through one step after the other.

    The same as `run` of each, but asks only once whether somebody looks.
    """
    scope = current()
    if not scope.quiet:
        for step in steps:
            value = await step.run(value)
        return value
    for step in steps:
        value = await step._run(value)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - its own kind
        if step.noted and scope.ledger is not None:
            scope.ledger.note(value)
    return value


def fail_unless_fits(first: Primitive[Any, Any], second: Primitive[Any, Any]) -> None:
    """Check that what one step gives is what the next one takes.

    Raises:
        WiringError: it is not; the message names both.
    """
    given, taken = first.doors[1], second.doors[0]
    if not fits(given, taken):
        raise WiringError(
            f"{first!r} gives {show(given)}, but {second!r} takes {show(taken)}: they do not fit"
        )
