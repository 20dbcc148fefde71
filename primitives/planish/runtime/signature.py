"""Read the input and output types of steps from their annotations, and compare types.

This finds wiring errors at run time, for users who run no type checker. It rejects definite
mismatches only: types that are unknown, or too complex to compare, are accepted.
"""

import inspect
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, NoReturn, TypeVar, Union, get_args, get_origin

from planish.errors import WiringError

__all__ = [
    "format_type",
    "implements",
    "intersect",
    "is_assignable",
    "members",
    "require_async",
    "require_one_parameter",
    "signature_of_class",
    "signature_of_function",
    "union",
]

_UNKNOWN = (Any, object, inspect.Parameter.empty)
# Type checkers accept int for float, and both for complex.
_PROMOTED: dict[Any, tuple[type[Any], ...]] = {float: (int,), complex: (int, float)}


def signature_of_function(function: Callable[..., Any]) -> tuple[Any, Any]:
    """Return the types of a function's first parameter and of its (awaited) result.

    A type that is not annotated, or cannot be resolved, is `Any`.
    """
    target = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    target = getattr(function, "func", target)  # functools.partial
    try:
        hints = typing.get_type_hints(target)
        parameters = list(inspect.signature(function).parameters.values())
    except (NameError, TypeError, ValueError, AttributeError):
        return Any, Any
    input_type = hints.get(parameters[0].name, Any) if parameters else Any
    output_type = hints.get("return", Any)
    if get_origin(output_type) in (
        types.CoroutineType,
        typing.get_origin(typing.Awaitable[Any]),
        typing.get_origin(typing.Coroutine[Any, Any, Any]),
    ):
        output_type = get_args(output_type)[-1]
    return input_type, output_type


def require_async(cls: type[Any], name: str) -> None:
    """Check that a method which a class defines is `async def`.

    Raises:
        WiringError: it is a plain function, or a generator. What a decorator returned is judged by
            the function it wraps.
    """
    method = cls.__dict__.get(name)
    if isinstance(method, types.FunctionType):
        function = inspect.unwrap(method)
        if not any(map(inspect.iscoroutinefunction, (method, function))):
            raise WiringError(f"{cls.__qualname__}.{name}: write it as `async def {name}(...)`")


def require_one_parameter(function: Callable[..., Any]) -> None:
    """Check that a function can be called with one value.

    Raises:
        WiringError: it takes none, or needs more. One whose parameters are unknown is accepted.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(None)
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise WiringError(
            f"{name}{signature}: a step calls its function with one value; bind others with "
            "functools.partial, or write a class with `_run`"
        ) from error


def signature_of_class(cls: type[Any], base: type[Any]) -> tuple[Any, Any]:
    """Return the two type arguments that a class gives its generic base class.

    A type variable is returned as `Any`.

    Args:
        cls: A subclass of `base`.
        base: A generic class of two parameters: input type and output type.
    """
    arguments = _type_arguments(cls, base, {})
    if arguments is None or len(arguments) != 2:  # noqa: PLR2004 - In and Out
        return Any, Any
    return arguments[0], arguments[1]


def _type_arguments(
    cls: type[Any], base: type[Any], known: dict[Any, Any]
) -> tuple[Any, ...] | None:
    for generic in getattr(cls, "__orig_bases__", ()):
        origin = get_origin(generic)
        if origin is None or not isinstance(origin, type) or not issubclass(origin, base):
            continue
        args = tuple(
            known.get(arg, Any) if isinstance(arg, TypeVar) else arg for arg in get_args(generic)
        )
        if origin is base:
            return args
        variables = getattr(origin, "__parameters__", ())
        return _type_arguments(origin, base, dict(zip(variables, args, strict=False)))
    for parent in cls.__bases__:
        if parent is not base and issubclass(parent, base):
            return _type_arguments(parent, base, {})
    return None


def is_assignable(source: Any, target: Any) -> bool:
    """Return whether a value of type `source` may be passed where `target` is required."""
    if source in _UNKNOWN or target in _UNKNOWN:
        return True
    if _is_union(source):
        return all(is_assignable(member, target) for member in get_args(source))
    if _is_union(target):
        return any(is_assignable(source, member) for member in get_args(target))
    source_class, target_class = _class_of(source), _class_of(target)
    if source_class is None or target_class is None:
        return True
    if getattr(target_class, "_is_protocol", False):
        return _is_assignable_to_protocol(source_class, target_class)
    if not _is_subclass(source_class, target_class):
        return False
    if source_class is tuple and target_class is tuple:
        return _is_assignable_tuple(get_args(source), get_args(target))
    return True


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _class_of(kind: Any) -> type[Any] | None:
    if kind is None:
        return type(None)
    if get_origin(kind) is Annotated:
        return _class_of(get_args(kind)[0])
    origin = get_origin(kind) or kind
    return origin if isinstance(origin, type) else None


def _is_subclass(source: type[Any], target: type[Any]) -> bool:
    try:
        return issubclass(source, (target, *_PROMOTED.get(target, ())))
    except TypeError:
        return True  # `issubclass` does not accept every class: a TypedDict, for one


def _is_assignable_to_protocol(source: type[Any], target: type[Any]) -> bool:
    required = getattr(target, "__protocol_attrs__", None)
    if required is None:
        required = [name for name in vars(target) if not name.startswith("_")]
    known = set(dir(source)).union(*(getattr(c, "__annotations__", {}) for c in source.__mro__))
    # Attributes that a constructor sets are among the names that its code uses.
    constructors = (getattr(vars(c).get("__init__"), "__code__", None) for c in source.__mro__)
    known.update(*(code.co_names for code in constructors if code is not None))
    return "__getattr__" in known or all(name in known for name in required)


def _is_assignable_tuple(source: tuple[Any, ...], target: tuple[Any, ...]) -> bool:
    if not source or not target or ... in source or ... in target:
        return True
    return len(source) == len(target) and all(map(is_assignable, source, target))


def members(kind: Any) -> tuple[Any, ...]:
    """Return the member types of a union; for any other type, a tuple of that type."""
    return get_args(kind) if _is_union(kind) else (kind,)


def intersect(first: Any, second: Any) -> Any:
    """Return the type of values that are accepted both as `first` and as `second`.

    Returns:
        The narrower of the two; `first` if neither is narrower; `NoReturn` if no value can be
        both.
    """
    if first in _UNKNOWN:
        return second
    if is_assignable(first, second):
        return first
    if is_assignable(second, first):
        return second
    overlap = any(
        is_assignable(a, b) or is_assignable(b, a) or _is_open(a) or _is_open(b)
        for a in members(first)
        for b in members(second)
    )
    return first if overlap else NoReturn


def union(first: Any, second: Any) -> Any:
    """Return the type of values that are a `first` or a `second`, as far as both are known."""
    if first in _UNKNOWN:
        return second
    if is_assignable(second, first):
        return first
    return second if is_assignable(first, second) else Union[first, second]  # noqa: UP007 - not every type has `|`


def _is_open(kind: Any) -> bool:
    """Return whether unrelated classes may implement a type: a protocol or an abstract class."""
    cls = _class_of(kind)
    return getattr(cls, "_is_protocol", False) or inspect.isabstract(cls)


def implements(value: object, contract: type[Any]) -> bool:
    """Return whether a value has all members of a protocol.

    Unlike `isinstance`, type checkers do not take it for narrowing, so code that rejects other
    values is not reported as unreachable.
    """
    return isinstance(value, contract)


def format_type(kind: Any) -> str:
    """Format a type as it is written in source code."""
    if kind is type(None):
        return "None"
    if get_origin(kind) is None and isinstance(kind, type):
        return kind.__qualname__
    return str(kind).replace("typing.", "").replace("planish.data.", "")
