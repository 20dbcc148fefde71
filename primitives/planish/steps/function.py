"""Make a step of a plain function."""

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast, overload

from planish.errors import WiringError
from planish.runtime.naming import format_named, given_name
from planish.runtime.primitive import In, Out, Primitive
from planish.runtime.signature import require_one_parameter, signature_of_function

__all__ = ["Step", "step"]

A = TypeVar("A")
B = TypeVar("B")


class Step(Primitive[In, Out], operator="step"):
    """A step that calls a function of one value; `step` makes it.

    Args:
        function: The function; may be async.

    Raises:
        WiringError: it is not callable, or not with one value.
    """

    def __init__(self, function: Callable[[In], Awaitable[Out]] | Callable[[In], Out]) -> None:
        if not callable(function):
            raise WiringError(f"step({function!r}): must be a function")
        require_one_parameter(function)
        self._function: Callable[[In], Any] = function
        self._signature = signature_of_function(function)
        target = function if inspect.isroutine(function) else getattr(function, "__call__", None)  # noqa: B004
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(target):
            # Awaiting the function directly saves a coroutine for each call.
            self._run = cast("Any", function)  # type: ignore[method-assign]

    async def _run(self, value: In) -> Out:
        result = self._function(value)
        if inspect.isawaitable(result):
            result = await result
        return cast("Out", result)

    @property
    def name(self) -> str:
        """The name it was given, or that of the function, or of a callable object's class."""
        return self._given_name or self._name_of_function()

    def _name_of_function(self) -> str:
        function = self._function
        while isinstance(function, functools.partial):
            function = function.func
        return getattr(function, "__name__", type(function).__name__)

    def __repr__(self) -> str:
        name = self._name_of_function()
        return name if given_name(self) is None else format_named(self, f"step({name})")


@overload
def step(function: Callable[[A], Awaitable[B]], /) -> Step[A, B]: ...
@overload
def step(function: Callable[[A], B], /) -> Step[A, B]: ...
def step(function: Callable[[A], Any], /) -> Step[A, Any]:
    """Return a step that calls a function of one value. Also a decorator.

    A function that is not async runs in the event loop, so it should not block.

    Args:
        function: The function; may be async.

    Raises:
        WiringError: it is not callable, or not with one value.
    """
    return Step(function)
