"""`Primitive`, the base class of steps, combinators and pipelines, with its operators.

`a >> b` runs one step after the other, `a & b` runs both at once and returns both results, and
`a | b` runs both at once and returns the first result that passes.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar, TypeVarTuple, cast, final, overload

from planish.abc import AcceptsFeedback, Outcome
from planish.configuration import DEEPEST, depth_of, format_config, instances_in
from planish.context.scope import current
from planish.errors import WiringError
from planish.representation import format_bounded, format_value
from planish.runtime.diagram import Links, Node, flowchart
from planish.runtime.naming import Named, advice_for, format_named, given_name
from planish.runtime.signature import format_type, require_async, signature_of_class
from planish.telemetry.runs import observe_step, start_run

__all__ = [
    "FanOut",
    "FeedbackIn",
    "In",
    "Out",
    "OutcomeOut",
    "Primitive",
    "as_primitive",
    "walk",
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
"""The class that each operator makes; the classes register here."""

_PRECEDENCE = {"|": 1, "&": 2, ">>": 3}
"""Of Python's operators: the higher, the tighter it binds."""


class Primitive(Named, ABC, Generic[In, Out]):
    """A step from `In` to `Out`.

    To write your own, subclass and write `_run`; a plain function joins a pipeline with
    `>>`, or through `step(f)`. A primitive holds configuration only, and does not change after
    it is constructed. State lives in the call, so one object serves any number of runs at once.

    Two primitives of one class with equal configuration are equal.

    Example:
        >>> import anyio
        >>> from planish import Primitive
        >>> class Add(Primitive[int, int]):
        ...     def __init__(self, number: int) -> None:
        ...         self.number = number
        ...
        ...     async def _run(self, value: int) -> int:
        ...         return value + self.number
        >>> Add(2) >> Add(3)
        Add(2) >> Add(3)
        >>> anyio.run((Add(2) >> Add(3)).run, 3)
        8
    """

    operation: ClassVar[str] = "step"
    """The kind of step, for traces: "step", "invoke_agent" or "evaluate"."""

    records_result: ClassVar[bool] = True
    """Whether the result goes into the ledger, so that it survives a failure after it."""

    delegates: ClassVar[bool] = False
    """Whether the result comes from an inner step, which has already emitted its event."""

    runs_held_out_tests: ClassVar[bool] = False
    """Whether it runs tests whose result no other step may use; see `Accept`."""

    _operator: ClassVar[str | None] = None
    """The operator that makes this class: ">>", "&", "|", or "step" for functions."""

    _signature: tuple[Any, Any] | None = None
    """Input and output type, where the class does not declare them: combinators set it."""

    def __init_subclass__(cls, *, operator: str | None = None, **options: Any) -> None:
        """Register the class as what an operator makes: ">>", "&", "|", or "step" for functions."""
        super().__init_subclass__(**options)
        require_async(cls, "_run")
        cls._operator = operator
        if operator is not None:
            _operators[operator] = cls

    @abstractmethod
    async def _run(self, value: In) -> Out:
        """Do the work of this step. Subclasses write this one; users call `run`."""

    @final
    async def run(self, value: In) -> Out:
        """Run this step, with all steps within it, on one value.

        The outermost call is a run: it has one trace, obeys the limits around it, and leaves no
        task or process behind, however it ends.

        Args:
            value: The input.

        Returns:
            The output.

        Raises:
            InfrastructureError: a model or sandbox failed, and retrying the call did not help.
            MisuseError: the pipeline or the call is wrong.
            LimitError: a limit was reached, and there is no report to return. All three carry
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
        """The name in traces: the one it was given, else that of the class or the function."""
        return given_name(self) or type(self).__name__

    @property
    def signature(self) -> tuple[Any, Any]:
        """The input and the output type, as far as they are known at run time."""
        return self._signature or signature_of_class(type(self), Primitive)

    def config(self) -> Mapping[str, Any]:
        """Return the constructor's arguments by parameter name.

        As `Configured.config`. Where an attribute has the name of a parameter and holds
        primitives, it is the value: a function that was made a step is that step.
        """
        config = dict(super().config())
        attributes = vars(self)
        for name in config:
            if instances_in(Primitive, attributes.get(name)):
                config[name] = attributes[name]
        return config

    def children(self) -> "tuple[Primitive[Any, Any], ...]":
        """Return the primitives within this one, in the order of the constructor's parameters.

        They are found in the arguments, also in sequences and mappings. If no argument holds a
        primitive, those are returned that the attributes hold. Override this where that is wrong.
        """
        arguments = type(self).config(self)
        return tuple(instances_in(Primitive, arguments) or instances_in(Primitive, vars(self)))

    def to_mermaid(self) -> str:
        """Return the text of a Mermaid flowchart of this composition.

        Each step is in it once, each combinator as a frame around its steps or as a node that
        its branches start from. The same composition always gives the same text.
        """
        source, target = ("" if kind is Any else format_type(kind) for kind in self.signature)
        return flowchart(self._node(), source or "input", target or "output")

    def _links(self) -> Links:
        """Return how the children are connected in a diagram; a combinator may override this."""
        return Links("fork" if len(type(self).children(self)) > 1 else "frame")

    def _node(self) -> Node:
        children = type(self).children(self)
        if not children:
            return Node(repr(self), Links("frame"))
        options = {
            name: value
            for name, value in type(self).config(self).items()
            if not instances_in(Primitive, value)
        }
        label = format_config(type(self), self._arguments, options).removesuffix("()")
        inner = tuple(child._node() for child in children)  # noqa: SLF001 - its own kind
        label = format_named(self, label)
        return Node(label, self._links(), inner)

    def __repr__(self) -> str:
        steps = self.children() if self._operator in _PRECEDENCE else ()
        if len(steps) < 2:  # noqa: PLR2004 - an operator has two sides
            return format_named(self, super().__repr__())
        text = f" {self._operator} ".join(self._format_operand(step) for step in steps)
        return text if given_name(self) is None else format_named(self, f"({text})")

    def _format_operand(self, step: "Primitive[Any, Any]") -> str:
        outer, inner = (_PRECEDENCE.get(type(one)._operator or "", 4) for one in (self, step))  # noqa: SLF001 - its own kind
        text = format_value(step)
        if inner >= outer or given_name(step) is not None:
            return text
        return f"({text})" if len(step.children()) > 1 else text

    @overload
    def __rshift__(self, other: "Primitive[Out, Next]", /) -> "Primitive[In, Next]": ...
    @overload
    def __rshift__(self, other: Callable[[Out], Awaitable[Next]], /) -> "Primitive[In, Next]": ...
    @overload
    def __rshift__(self, other: Callable[[Out], Next], /) -> "Primitive[In, Next]": ...
    def __rshift__(self, other: Any, /) -> Any:
        return _operators[">>"](self, as_primitive(other, lambda: f"{self!r} >>"))

    @overload
    def __rrshift__(
        self: "Primitive[A, B]", other: Callable[[Next], Awaitable[A]], /
    ) -> "Primitive[Next, B]": ...
    @overload
    def __rrshift__(
        self: "Primitive[A, B]", other: Callable[[Next], A], /
    ) -> "Primitive[Next, B]": ...
    def __rrshift__(self, other: Any, /) -> Any:
        return _operators[">>"](as_primitive(other, lambda: f"in front of {self!r}:"), self)

    @overload
    def __and__(self: "Primitive[A, B]", other: "FanOut[A, *More]", /) -> "FanOut[A, B, *More]": ...
    @overload
    def __and__(self: "Primitive[A, B]", other: "Primitive[A, C]", /) -> "FanOut[A, B, C]": ...
    def __and__(self, other: Any, /) -> Any:
        return _operators["&"](self, as_primitive(other, lambda: f"{self!r} &"))

    def __or__(
        self: "Primitive[A, Outcome]", other: "Primitive[In, Out]", /
    ) -> "Primitive[In, Out]":
        either: Primitive[In, Out] = _operators["|"](
            self, as_primitive(other, lambda: f"{self!r} |")
        )
        return either


class FanOut(Primitive[In, tuple[*Each]], Generic[In, *Each]):
    """The result type of `&`: all branches get the same input; the result is a tuple.

    It is a type of its own so that `(a & b) & c` is known to return three results, not two.
    """

    # As a step to a tuple, a `FanOut` would be one branch of the outer one: `&` flattens it.
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


def as_primitive(thing: Any, place: str | Callable[[], str] = "") -> Primitive[Any, Any]:
    """Return a primitive as it is, and a function as a step.

    Args:
        thing: A primitive or a function of one value.
        place: Where it stands in the pipeline, for the message; or a function that returns that.

    Raises:
        WiringError: it is neither, or has `DEEPEST` levels already; the message names it and the
            place.
    """
    if isinstance(thing, Primitive):
        primitive = cast("Primitive[Any, Any]", thing)  # type: ignore[redundant-cast]  # pyright: Unknown
        if depth_of(primitive) >= DEEPEST:
            prefix = place if isinstance(place, str) else place()
            raise WiringError(
                f"{prefix} {format_bounded(primitive)} has {DEEPEST} levels of primitives within "
                "primitives, which is the most: Python's stack holds no more. Write steps of one "
                "kind side by side, as in a >> b >> c"
            )
        return primitive
    if isinstance(thing, type) or not callable(thing):
        prefix = place if isinstance(place, str) else place()
        is_step = isinstance(thing, type) and issubclass(thing, Primitive)
        hint = (
            f"; did you mean {thing.__name__}(...)?" if is_step else advice_for(cast("Any", thing))
        )
        raise WiringError(f"{prefix} {thing!r}: a step is a primitive or a function{hint}".strip())
    return cast("Primitive[Any, Any]", _operators["step"](thing))


def walk(primitive: Primitive[Any, Any]) -> Iterator[Primitive[Any, Any]]:
    """Yield a primitive and all primitives within it, depth first, in the order of `children`."""
    yield primitive
    for child in type(primitive).children(primitive):  # an attribute may have that name
        yield from walk(child)
