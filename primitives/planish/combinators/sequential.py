"""Run steps one after the other: `a >> b`."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar, cast, overload

from planish.configuration import depth_of
from planish.context.path import current_path, enter_path, leave_path
from planish.context.scope import current
from planish.data.task import Task
from planish.errors import WiringError
from planish.runtime.diagram import Links
from planish.runtime.naming import given_name, name_in_path, segment_of
from planish.runtime.primitive import In, Out, Primitive, as_primitive
from planish.runtime.wiring import WrongInputError, require_compatible, require_none_accepted

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

    A sequence in a sequence is flat: `a >> (b >> c)` is `(a >> b) >> c`. A named one stays one.

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
        depth, has_names = 0, False
        for step in steps:
            primitive = as_primitive(step, "Sequential:")
            inner: Sequence[Primitive[Any, Any]] = (primitive,)
            if isinstance(primitive, Sequential) and given_name(primitive) is None:
                inner, has_names = primitive.steps, has_names or primitive._has_names  # noqa: SLF001 - its own class
            else:
                has_names = has_names or given_name(primitive) is not None
            if flat:  # within a sequence, the types have been compared
                require_compatible(flat[-1], inner[0])
            flat += inner
            depth = max(depth, depth_of(primitive) + (inner[0] is primitive))
        if not flat:
            raise WiringError("Sequential() has no steps: pass at least one")
        self._depth = depth
        self.steps: tuple[Primitive[Any, Any], ...] = tuple(flat)
        self._signature = (flat[0].signature[0], flat[-1].signature[1])
        self._has_names: bool = has_names
        self._execution = _execution_of(flat)
        self._replace_arguments(Sequential, *flat)

    def _links(self) -> Links:
        return Links("sequence" if given_name(self) is None else "frame")

    async def _run(self, value: In) -> Out:
        if self._execution is not None and isinstance(value, Task):
            self._execution.require_task(value)
            if not current().interceptors:  # which may have the results
                await self._execution.require_ready(value)
        segments = _segments(len(self.steps))
        if self._has_names or given_name(self) is not None:
            name = name_in_path(self, "Sequential")
            segments = [segment_of(name, i, step) for i, step in enumerate(self.steps)]
        return cast("Out", await _run_each(self.steps, segments, value))


class _ChecksTask(Protocol):
    """A step that can refuse a task before the step in front of it pays for a reply."""

    def require_task(self, task: Task) -> None: ...

    async def require_ready(self, task: Task) -> None: ...


def _execution_of(steps: Sequence[Primitive[Any, Any]]) -> _ChecksTask | None:
    """Return the second step if it checks tasks, and the first one does not change them."""
    if len(steps) < 2 or not getattr(steps[0], "keeps_task", False):  # noqa: PLR2004 - it is the second
        return None
    second: Any = steps[1]
    return second if hasattr(second, "require_task") else None


async def _run_each(
    steps: Sequence[Primitive[Any, Any]], segments: Sequence[str], value: Any
) -> Any:
    """Run a value through one step after the other.

    The same as `run` of each, but looks up only once whether the run is observed.

    Args:
        steps: The steps.
        segments: For each step, the segment of its path.
        value: The input of the first step.
    """
    scope = current()
    outer = current_path()
    token = enter_path(outer)
    segment = ""
    try:
        if not scope.unobserved:
            for step, segment in zip(steps, segments, strict=False):
                enter_path((*outer, segment))
                if value is None and step is not steps[0]:
                    require_none_accepted(step)
                value = await step.run(value)
            return value
        for step, segment in zip(steps, segments, strict=False):
            enter_path((*outer, segment))
            if value is None and step is not steps[0]:
                require_none_accepted(step)
            value = await step._run(value)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - its own kind
            if step.records_result and scope.ledger is not None:
                scope.ledger.record(value)
    except WrongInputError as error:
        index = segments.index(segment)
        if index == 0 or steps[index] is not error.step:
            raise
        raise error.returned_by(steps[index - 1]) from None
    finally:
        leave_path(token)
    return value


_SEGMENTS: list[str] = []
"""The segments of the paths of steps, shared by all sequences: as many as the longest one has."""


def _segments(count: int) -> list[str]:
    """Return the segments of the paths of so many steps, or of more."""
    _SEGMENTS.extend(f"Sequential[{index}]" for index in range(len(_SEGMENTS), count))
    return _SEGMENTS
