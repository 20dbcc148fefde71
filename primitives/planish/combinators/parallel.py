"""Run several steps at once on the same input: `a & b`."""

from typing import Any, TypeVar, TypeVarTuple, cast, get_args, overload

import anyio

from planish.arguments import require_count
from planish.context.ledger import ledger_scope
from planish.context.path import path_scope
from planish.errors import Suspended
from planish.runtime.branches import unwrap_single_exception
from planish.runtime.diagram import Links
from planish.runtime.naming import name_in_path, segment_of
from planish.runtime.primitive import FanOut, In, Primitive, as_primitive
from planish.runtime.suspensions import Suspensions
from planish.runtime.wiring import depth_of_parts, flatten, shared_input

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
    """Run all branches at once on the same input, and return a tuple of their results in order.

    The first branch that raises cancels the others; its error is raised after they have ended.
    A branch that raises `Suspended` lets the others finish first.
    `(a & b) & c` is flat: three branches, three results. One with a limit of its own keeps it
    within another, and its results are flat too.

    Args:
        branches: Two or more primitives; a function as `step(f)`. Type checkers know the result
            type of each of up to six branches.
        concurrency: The number of branches at the same time; None (the default) for all.

    Raises:
        WiringError: one of them is neither a primitive nor a function, or no input suits all.
        ValueError: concurrency is less than 1.
    """

    records_result = False

    @overload
    def __init__(
        self: "Parallel[I, *tuple[Any, ...]]",
        first: FanOut[I, *Flat],
        second: FanOut[I, *More],
        /,
        *,
        concurrency: int | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, *Flat, A]",
        first: FanOut[I, *Flat],
        second: Primitive[I, A],
        /,
        *,
        concurrency: int | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, *Flat]",
        first: Primitive[I, A],
        second: FanOut[I, *Flat],
        /,
        *,
        concurrency: int | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, B]",
        first: Primitive[I, A],
        second: Primitive[I, B],
        /,
        *,
        concurrency: int | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, B, C]",
        first: Primitive[I, A],
        second: Primitive[I, B],
        third: Primitive[I, C],
        /,
        *,
        concurrency: int | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, A, B, C, D]",
        first: Primitive[I, A],
        second: Primitive[I, B],
        third: Primitive[I, C],
        fourth: Primitive[I, D],
        /,
        *,
        concurrency: int | None = None,
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
        *,
        concurrency: int | None = None,
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
        *,
        concurrency: int | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: "Parallel[I, *tuple[A, ...]]",
        *branches: Primitive[I, A],
        concurrency: int | None = None,
    ) -> None: ...
    def __init__(self, *branches: Any, concurrency: int | None = None) -> None:
        if concurrency is not None:
            require_count("Parallel", "concurrency", concurrency)
        parts = [as_primitive(branch, "Parallel:") for branch in branches]
        flat = flatten(parts, Parallel)
        self._depth = depth_of_parts(parts, Parallel)
        self.concurrency: int | None = concurrency
        self.branches: tuple[Primitive[Any, Any], ...] = tuple(flat)
        output_types: tuple[Any, ...] = ()
        for part in parts:
            kind = part.signature[1]
            output_types += get_args(kind) if isinstance(part, Parallel) else (kind,)
        self._signature = (shared_input("Parallel", parts, flat), tuple[output_types])  # type: ignore[valid-type]
        if concurrency is None:
            self._replace_arguments(Parallel, *flat)

    def _links(self) -> Links:
        return Links("fork")

    async def _run(self, value: In) -> tuple[*Each]:
        results: list[Any] = [None] * len(self.branches)

        numbered = iter(enumerate(self.branches))
        suspensions = Suspensions()

        name = name_in_path(self, "Parallel")

        async def worker() -> None:
            for index, branch in numbered:
                segment = segment_of(name, index, branch)
                try:
                    with path_scope(segment), ledger_scope() as ledger:
                        results[index] = ledger.finish(await branch.run(value))
                except Suspended as suspended:  # its siblings go on
                    suspensions.add(suspended)

        errors: list[Exception] = []
        try:
            async with anyio.create_task_group() as group:
                for _ in range(min(len(results), self.concurrency or len(results))):
                    group.start_soon(worker)
        except BaseExceptionGroup as group_error:
            raised, others = group_error.split(Exception)
            # If the group is cancelled while a branch raises, trio's group has the cancellation
            # and the error, asyncio's the error only: raise the error on both.
            if raised is None or (others and others.split(anyio.get_cancelled_exc_class())[1]):
                with unwrap_single_exception():
                    raise
            errors = list(raised.exceptions)
        if errors:
            raise _first_error(errors)
        suspensions.raise_first()
        flat: list[Any] = []
        for branch, result in zip(self.branches, results, strict=True):
            flat += result if isinstance(branch, Parallel) else [result]
        return cast("tuple[*Each]", tuple(flat))


def _first_error(errors: list[Exception]) -> Exception:
    """Return the first error, with those that cancelled branches raised as notes on it."""
    for other in errors[1:]:
        errors[0].add_note(f"another branch raised {other!r}")
    return errors[0]
