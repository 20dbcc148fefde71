"""Both: `a & b`."""

from typing import Any, TypeVar, TypeVarTuple, cast, overload

import anyio

from planish.runtime.diagram import Links
from planish.runtime.primitive import FanOut, In, Primitive, as_primitive
from planish.runtime.wiring import shared_signature

__all__ = ["Parallel"]

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")
I = TypeVar("I")  # noqa: E741 - the input
Each = TypeVarTuple("Each")
Flat = TypeVarTuple("Flat")
More = TypeVarTuple("More")


class Parallel(FanOut[In, *Each], operator="&"):
    """All branches at once on the same input; a tuple of their results, in their order.

    The first branch to raise cancels the others, and its error is raised once they have
    ended. `(a & b) & c` is flat: three branches, three results.

    Args:
        branches: Two or more primitives; a function as `step(f)`. Type checkers see the types
            of up to six apart.

    Raises:
        WiringError: one of them is neither, or takes what another cannot take.
    """

    records_result = False

    @overload
    def __init__(
        self: "Parallel[I, *tuple[Any, ...]]", first: FanOut[I, *Flat], second: FanOut[I, *More], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, *Flat, A]", first: FanOut[I, *Flat], second: Primitive[I, A], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, *Flat]", first: Primitive[I, A], second: FanOut[I, *Flat], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, B]", first: Primitive[I, A], second: Primitive[I, B], /
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, B, C]",
        first: Primitive[I, A],
        second: Primitive[I, B],
        third: Primitive[I, C],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, B, C, D]",
        first: Primitive[I, A],
        second: Primitive[I, B],
        third: Primitive[I, C],
        fourth: Primitive[I, D],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, B, C, D, E]",
        first: Primitive[I, A],
        second: Primitive[I, B],
        third: Primitive[I, C],
        fourth: Primitive[I, D],
        fifth: Primitive[I, E],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, B, C, D, E, F]",
        first: Primitive[I, A],
        second: Primitive[I, B],
        third: Primitive[I, C],
        fourth: Primitive[I, D],
        fifth: Primitive[I, E],
        sixth: Primitive[I, F],
        /,
    ) -> None: ...
    @overload
    def __init__(self: "Parallel[I, *tuple[A, ...]]", *branches: Primitive[I, A]) -> None: ...
    def __init__(self, *branches: Any) -> None:
        flat: list[Primitive[Any, Any]] = []
        for branch in branches:
            lifted = as_primitive(branch, "Parallel:")
            flat += lifted.branches if isinstance(lifted, Parallel) else [lifted]
        self.branches: tuple[Primitive[Any, Any], ...] = tuple(flat)
        given = tuple(branch.signature[1] for branch in flat)
        self._signature = (shared_signature("Parallel", flat)[0], tuple[given])  # type: ignore[valid-type]
        self._replace_arguments(Parallel, *flat)

    def _links(self) -> Links:
        return Links("fork")

    async def _run(self, value: In) -> tuple[*Each]:
        results: list[Any] = [None] * len(self.branches)

        async def one(index: int, branch: Primitive[Any, Any]) -> None:
            results[index] = await branch.run(value)

        failed: list[Exception] = []
        try:
            async with anyio.create_task_group() as group:
                for index, branch in enumerate(self.branches):
                    group.start_soon(one, index, branch)
        except BaseExceptionGroup as errors:
            raised, others = errors.split(Exception)
            # Cancelled from outside while a branch raises, trio has both in the group, asyncio
            # only what was raised: it is that on both.
            if raised is None or (others and others.split(anyio.get_cancelled_exc_class())[1]):
                raise
            failed = list(raised.exceptions)
        if failed:
            raise _first(failed)
        return cast("tuple[*Each]", tuple(results))


def _first(errors: list[Exception]) -> Exception:
    """The first error; the others, raised while it was being cancelled, as notes on it."""
    for other in errors[1:]:
        errors[0].add_note(f"another branch raised {other!r}")
    return errors[0]
