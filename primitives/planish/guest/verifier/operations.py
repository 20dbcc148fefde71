"""Carry out the operations that one process may request on the other's objects."""

from __future__ import annotations

from .coroutines import poll, start
from .guard import Module, kind_of
from .proxy import Attribute
from .special_methods import SPECIAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["GUARDED", "OPEN", "permitted"]

_NAMES = ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__")
_INSIDE = ("gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_", "im_")
_METHODS = ("reset_mock", "configure_mock", "mock_add_spec", "mro")
_originals: dict[tuple[Any, str], Any] = {}


def _get(value: Any, name: str) -> Any:
    return getattr(value, name)


def _set(value: Any, name: str, new: Any) -> None:
    if isinstance(value, type):
        _originals.setdefault((value, name), vars(value).get(name, Attribute))
    setattr(value, name, new)


def _delete(value: Any, name: str) -> None:
    if isinstance(value, type):
        _originals.setdefault((value, name), vars(value).get(name, Attribute))
    delattr(value, name)


def _restore(value: Any, name: str) -> None:
    """What a class had of a name before it was first set from the other side."""
    original = _originals.pop((value, name), None)
    if original is Attribute:
        delattr(value, name)
    elif original is not None:
        setattr(value, name, original)


def _call(function: Any, args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _special(value: Any, name: str, args: Any, kwargs: Any = None) -> Any:
    if name not in SPECIAL:
        raise AttributeError(name)
    return getattr(kind_of(value), name)(value, *args, **(kwargs or {}))


def _own(kind: Any, name: str, value: Any) -> Any:
    names: dict[str, Any] = kind.__dict__
    return names[name].__get__(value, type(value))


def _new(kind: Any, args: Any, kwargs: Any) -> Any:
    return kind.__new__(kind, *args, **kwargs)


def _list(value: Any) -> Any:
    return list(value)


def _copy(value: Any) -> Any:
    import copy  # noqa: PLC0415

    return copy.copy(value)


def _deepcopy(value: Any) -> Any:
    import copy  # noqa: PLC0415

    return copy.deepcopy(value)


def _derive(name: str, bases: Any, names: dict[str, Any], options: Any) -> Any:
    import types  # noqa: PLC0415

    return types.new_class(name, bases, dict(options), lambda space: space.update(names))


def _item(value: Any, key: Any) -> Any:
    return value[key]


OPEN: dict[str, Callable[..., Any]] = {
    "get": _get,
    "set": _set,
    "delete": _delete,
    "restore": _restore,
    "call": _call,
    "special": _special,
    "own": _own,
    "new": _new,
    "dir": dir,
    "list": _list,
    "item": _item,
    "copy": _copy,
    "deepcopy": _deepcopy,
    "derive": _derive,
}
"""What the judge may ask of the candidate: anything."""


def permitted(value: Any, name: Any) -> bool:
    """The candidate may see an attribute of an object of the tests.

    None through which it would get at anything else: no names that begin with an underscore,
    no frames and code, nothing that takes back what a test double has seen.
    """
    if type(name) is not str or name in _METHODS or name.startswith(("assert", *_INSIDE)):
        return False
    if name[:1] != "_" or name in _NAMES:
        return True
    own = type(value).__module__ in ("solution", "__main__") or "." not in type(value).__module__
    return name[:2] != "__" and own and not hasattr(value, "assertEqual")


def _guarded_get(value: Any, name: str) -> Any:
    if name == "__dict__" and not isinstance(value, (type, Module)):
        found = getattr(value, name)  # a copy of what could be asked for one by one
        return {key: part for key, part in found.items() if permitted(value, key)}
    if not permitted(value, name):
        raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
    return getattr(value, name)


def _guarded_set(value: Any, name: str, new: Any) -> None:
    if isinstance(value, type) or not permitted(value, name) or name[:1] == "_":
        raise AttributeError(f"attribute {name!r} cannot be set from here")
    if hasattr(kind_of(value), name):
        raise AttributeError(f"attribute {name!r} cannot be set from here")
    setattr(value, name, new)


def _guarded_delete(value: Any, name: str) -> None:
    if isinstance(value, type) or not permitted(value, name) or name[:1] == "_":
        raise AttributeError(name)
    delattr(value, name)


def _guarded_special(value: Any, name: str, args: Any, kwargs: Any = None) -> Any:
    if name in ("__init__", "__new__", "__reduce_ex__", "__set__"):
        raise AttributeError(name)
    return _special(value, name, args, kwargs)


def _guarded_dir(value: Any) -> Any:
    return [name for name in dir(value) if permitted(value, name)]


GUARDED: dict[str, Callable[..., Any]] = {
    "get": _guarded_get,
    "set": _guarded_set,
    "delete": _guarded_delete,
    "call": _call,
    "special": _guarded_special,
    "dir": _guarded_dir,
    "list": _list,
    "item": _item,
    "copy": _copy,
    "start": start,
    "poll": poll,
}
"""What the candidate may ask of the judge."""
