"""Run steps one after the other: `a >> b`."""

from itertools import pairwise
from typing import Any, TypeVar, cast, overload

from planish.errors import WiringError
from planish.runtime.diagram import Links
from planish.runtime.primitive import In, Out, Primitive, as_primitive, inline
from planish.runtime.wiring import require_compatible

__all__ = ["Sequential"]

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")
G = TypeVar("G")


class Sequential(Primitive[In, Out], operator=">>"):
    """Run steps one after the other; the output of each is the input of the next.

    A sequence in a sequence is flat: `a >> (b >> c)` is `(a >> b) >> c`.

    Args:
        steps: Two or more primitives; a function as `step(f)`. Type checkers know the types of
            up to six; for more, use `>>`, which has no such limit.

    Raises:
        WiringError: the output of a step cannot be the input of the next one; the message names
            both.
    """

    records_result = False
    delegates = True

    @overload
    def __init__(
        self: "Sequential[A, C]", first: Primitive[A, B], second: Primitive[B, C], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Sequential[A, D]",
        first: Primitive[A, B],
        second: Primitive[B, C],
        third: Primitive[C, D],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: "Sequential[A, E]",
        first: Primitive[A, B],
        second: Primitive[B, C],
        third: Primitive[C, D],
        fourth: Primitive[D, E],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: "Sequential[A, F]",
        first: Primitive[A, B],
        second: Primitive[B, C],
        third: Primitive[C, D],
        fourth: Primitive[D, E],
        fifth: Primitive[E, F],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: "Sequential[A, G]",
        first: Primitive[A, B],
        second: Primitive[B, C],
        third: Primitive[C, D],
        fourth: Primitive[D, E],
        fifth: Primitive[E, F],
        sixth: Primitive[F, G],
        /,
    ) -> None: ...
    def __init__(self, *steps: Any) -> None:
        flat: list[Primitive[Any, Any]] = []
        for step in steps:
            primitive = as_primitive(step, "Sequential:")
            flat += primitive.steps if isinstance(primitive, Sequential) else [primitive]
        if not flat:
            raise WiringError("Sequential() has no steps: pass at least one")
        for first, second in pairwise(flat):
            require_compatible(first, second)
        self.steps: tuple[Primitive[Any, Any], ...] = tuple(flat)
        self._signature = (flat[0].signature[0], flat[-1].signature[1])
        self._replace_arguments(Sequential, *flat)

    def _links(self) -> Links:
        return Links("sequence")

    async def _run(self, value: In) -> Out:
        return cast("Out", await inline(self.steps, value))
