"""What a step takes and gives, as far as its annotations say, and whether two steps fit.

The type checkers see every door; this is for those who run none. It is careful to refuse only
what cannot fit: where types are unknown, or too involved to compare, it lets pass.
"""

import inspect
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, NoReturn, TypeVar, Union, get_args, get_origin

__all__ = [
    "format_type",
    "implements",
    "intersect",
    "is_assignable",
    "members",
    "signature_of_class",
    "signature_of_function",
    "union",
]

_UNKNOWN = (Any, object, inspect.Parameter.empty)
# Type checkers accept int for float, and both for complex.
_PROMOTED: dict[Any, tuple[type[Any], ...]] = {float: (int,), complex: (int, float)}


def signature_of_function(function: Callable[..., Any]) -> tuple[Any, Any]:
    """The types of the first parameter and of the (awaited) result; Any where not annotated."""
    target = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    target = getattr(function, "func", target)  # functools.partial
    try:
        hints = typing.get_type_hints(target)
        parameters = list(inspect.signature(function).parameters.values())
    except (NameError, TypeError, ValueError, AttributeError):
        return Any, Any
    taken = hints.get(parameters[0].name, Any) if parameters else Any
    given = hints.get("return", Any)
    if get_origin(given) in (
        types.CoroutineType,
        typing.get_origin(typing.Awaitable[Any]),
        typing.get_origin(typing.Coroutine[Any, Any, Any]),
    ):
        given = get_args(given)[-1]
    return taken, given


def signature_of_class(cls: type[Any], base: type[Any]) -> tuple[Any, Any]:
    """The two parameters a class gives the generic `base`; Any where they are variables."""
    doors = _parameters(cls, base, {})
    if doors is None or len(doors) != 2:  # noqa: PLR2004 - In and Out
        return Any, Any
    return doors[0], doors[1]


def _parameters(cls: type[Any], base: type[Any], known: dict[Any, Any]) -> tuple[Any, ...] | None:
    for written in getattr(cls, "__orig_bases__", ()):
        origin = get_origin(written)
        if origin is None or not isinstance(origin, type) or not issubclass(origin, base):
            continue
        args = tuple(
            known.get(arg, Any) if isinstance(arg, TypeVar) else arg for arg in get_args(written)
        )
        if origin is base:
            return args
        variables = getattr(origin, "__parameters__", ())
        return _parameters(origin, base, dict(zip(variables, args, strict=False)))
    for parent in cls.__bases__:
        if parent is not base and issubclass(parent, base):
            return _parameters(parent, base, {})
    return None


def is_assignable(given: Any, taken: Any) -> bool:
    """Whether a value of type `given` can be taken where `taken` is asked for."""
    if given in _UNKNOWN or taken in _UNKNOWN:
        return True
    if _is_union(given):
        return all(is_assignable(member, taken) for member in get_args(given))
    if _is_union(taken):
        return any(is_assignable(given, member) for member in get_args(taken))
    given_class, taken_class = _class(given), _class(taken)
    if given_class is None or taken_class is None:
        return True
    if getattr(taken_class, "_is_protocol", False):
        return _is_assignable_to_protocol(given_class, taken_class)
    if not _is_subclass(given_class, taken_class):
        return False
    if given_class is tuple and taken_class is tuple:
        return _is_assignable_tuple(get_args(given), get_args(taken))
    return True


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _class(kind: Any) -> type[Any] | None:
    if kind is None:
        return type(None)
    if get_origin(kind) is Annotated:
        return _class(get_args(kind)[0])
    origin = get_origin(kind) or kind
    return origin if isinstance(origin, type) else None


def _is_subclass(given: type[Any], taken: type[Any]) -> bool:
    try:
        return issubclass(given, (taken, *_PROMOTED.get(taken, ())))
    except TypeError:
        return True  # a TypedDict cannot be asked


def _is_assignable_to_protocol(given: type[Any], taken: type[Any]) -> bool:
    asked = getattr(taken, "__protocol_attrs__", None)
    if asked is None:
        asked = [name for name in vars(taken) if not name.startswith("_")]
    known = set(dir(given)).union(*(getattr(c, "__annotations__", {}) for c in given.__mro__))
    # What a constructor sets stands among the names it uses.
    makers = (getattr(vars(c).get("__init__"), "__code__", None) for c in given.__mro__)
    known.update(*(code.co_names for code in makers if code is not None))
    return "__getattr__" in known or all(name in known for name in asked)


def _is_assignable_tuple(given: tuple[Any, ...], taken: tuple[Any, ...]) -> bool:
    if not given or not taken or ... in given or ... in taken:
        return True
    return len(given) == len(taken) and all(map(is_assignable, given, taken))


def members(kind: Any) -> tuple[Any, ...]:
    """The types a union is of; of any other type, that one."""
    return get_args(kind) if _is_union(kind) else (kind,)


def intersect(first: Any, second: Any) -> Any:
    """What a value must be to be taken where `first` is asked for, and where `second` is.

    Returns:
        The narrower one; the first where neither is; `NoReturn` when no value can be both.
    """
    if first in _UNKNOWN:
        return second
    if is_assignable(first, second):
        return first
    if is_assignable(second, first):
        return second
    pairs = [(one, other) for one in members(first) for other in members(second)]
    meet = any(
        is_assignable(a, b) or is_assignable(b, a) or _is_open(a) or _is_open(b) for a, b in pairs
    )
    return first if meet else NoReturn


def union(first: Any, second: Any) -> Any:
    """The type of what is one or the other, as far as it is known."""
    if first in _UNKNOWN:
        return second
    if is_assignable(second, first):
        return first
    return second if is_assignable(first, second) else Union[first, second]  # noqa: UP007 - not every type has `|`


def _is_open(kind: Any) -> bool:
    """A class that knows nothing of it may keep it: a protocol, an abstract class."""
    found = _class(kind)
    return getattr(found, "_is_protocol", False) or inspect.isabstract(found)


def implements(thing: object, contract: type[Any]) -> bool:
    """Whether a thing has all a contract asks for; for those who run no type checker."""
    return isinstance(thing, contract)


def format_type(kind: Any) -> str:
    """A type as a reader would write it."""
    if kind is type(None):
        return "None"
    if get_origin(kind) is None and isinstance(kind, type):
        return kind.__qualname__
    return str(kind).replace("typing.", "").replace("planish.data.", "")
