"""Carry out the operations that one process may request on the other's objects."""

from __future__ import annotations

from _operator import getitem

from .classes import derived, mirror
from .coroutines import poll, start
from .guard import Module, class_name, in_class, is_a, kind_of
from .packages import is_fixed, is_of_task, of_tests
from .proxy import Attribute, number_of
from .special_methods import FUNCTIONS, HOW_CALLED, SPECIAL, Arguments, how_called, method_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["GUARDED", "OPEN", "apply_view", "permitted", "replaced_part"]

_NAMES = (
    *("__name__", "__qualname__", "__doc__", "__module__", "__annotations__", "__match_args__"),
    *("__dataclass_fields__", "__dataclass_params__", "__isabstractmethod__"),
)
_INSIDE = ("gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_", "im_")
_METHODS = ("reset_mock", "configure_mock", "mock_add_spec", "mro", "pytestmark")
_originals: dict[tuple[Any, str], Any] = {}


def _get(value: Any, name: str) -> Any:
    return how_called(value, name) if name == "__signature__" else getattr(value, name)


def _set(value: Any, name: str, new: Any) -> None:
    if isinstance(value, type):
        _originals.setdefault((value, name), vars(value).get(name, Attribute))
    setattr(value, name, new)


def _delete(value: Any, name: str) -> None:
    if isinstance(value, type):
        _originals.setdefault((value, name), vars(value).get(name, Attribute))
    delattr(value, name)


def _restore(value: Any, name: str) -> None:
    """Restore what a class had of a name before it was first set by the other process."""
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
    try:
        method = method_of(value, name)
    except AttributeError:  # a stand-in has it because others do
        title = class_name(kind_of(value))
        raise TypeError(f"object of type {title!r} has no {name.strip('_')}()") from None
    return method(*args, **(kwargs or {}))


def _own(kind: Any, name: str, value: Any) -> Any:
    names: dict[str, Any] = kind.__dict__
    return names[name].__get__(value, type(value))


def _namespace(kind: Any) -> Any:
    names: Any = kind.__dict__
    return {name: names[name] for name in names if name not in _OWN_PLACES}


_OWN_PLACES = ("__dict__", "__weakref__")  # descriptors of the interpreter's for one class only


def _new(kind: Any, args: Any, kwargs: Any) -> Any:
    return kind.__new__(kind, *args, **kwargs)


def _copy(value: Any) -> Any:
    return __import__("copy").copy(value)


def _deepcopy(value: Any) -> Any:
    return __import__("copy").deepcopy(value)


def _derive(name: str, bases: Any, names: dict[str, Any], options: Any) -> Any:
    return derived(name, tuple(map(mirror, bases)), names, options)


OPEN: dict[str, Callable[..., Any]] = {
    "get": _get,
    "set": _set,
    "store": object.__setattr__,
    "delete": _delete,
    "restore": _restore,
    "call": _call,
    "special": _special,
    "own": _own,
    "namespace": _namespace,
    "new": _new,
    "dir": dir,
    "list": list,
    "item": getitem,
    "copy": _copy,
    "deepcopy": _deepcopy,
    "derive": _derive,
}
"""What the judge may ask of the candidate: anything."""


def permitted(value: Any, name: Any) -> bool:
    """Tell whether the candidate may read an attribute of an object of the tests.

    None through which it would get at anything else: no names that begin with an underscore,
    no frames and code, nothing that takes back what a test double has seen.
    """
    if kind_of(value) is Arguments:
        return name in vars(value)
    if type(name) is not str or name in _METHODS or name.startswith(("assert", *_INSIDE)):
        return False
    if name[:1] != "_" or name in _NAMES:
        return True
    own = "." not in type(value).__module__ or is_of_task(type(value).__module__)
    return name[:2] != "__" and own and not _is_test_case(value)


def _shows_arguments(value: Any) -> bool:
    """Tell whether a value is a class, function or callable object of the tests, and no test."""
    if is_a(value, type):
        return of_tests(value)
    if kind_of(value) in FUNCTIONS:
        return str(value.__name__)[:4] != "test"
    return of_tests(kind_of(value)) and not is_a(value, Module)


def _is_test_case(value: Any) -> bool:
    return in_class(value if is_a(value, type) else kind_of(value), "assertEqual")


def _guarded_get(value: Any, name: str) -> Any:
    if name == "__dict__" and not isinstance(value, (type, Module)):
        return _view(value, getattr(value, name))
    if name in HOW_CALLED and _shows_arguments(value):
        return how_called(value, name)
    if not permitted(value, name) and not _own_method(value, name):
        raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
    return getattr(value, name)


def _own_method(value: Any, name: Any) -> bool:
    """Tell whether a name is that of a special method of a class of the tests.

    A class decorator of the candidate's wraps it. What it does, the candidate can have done to
    each object of the class anyway.
    """
    return name in _WRAPPED and is_a(value, type) and of_tests(value)


_TITLES = "init call repr str eq lt le gt ge hash len iter enter exit"
_WRAPPED = frozenset({f"__{name}__" for name in _TITLES.split()})


def _members(kind: Any) -> Any:
    """Return what a class of the tests hands down to a class that derives from it."""
    if not is_a(kind, type) or not of_tests(kind):
        raise TypeError(f"no base: {class_name(kind_of(kind))!r}")
    names: Any = type.__dict__["__dict__"].__get__(kind)
    return {n: part for n, part in names.items() if n in _HANDED_DOWN or permitted(kind, n)}


_HANDED_DOWN = (SPECIAL | {"__init_subclass__"}) - {"__new__", "__reduce_ex__"}


_views: dict[int, tuple[dict[str, Any], Any]] = {}
"""By its id, a copy of the attributes of an object of the tests, and the object."""
_VIEWS = 64  # that are kept: the candidate changes one at once, or never


def _view(owner: Any, facts: dict[str, Any]) -> dict[str, Any]:
    """Copy the attributes that could be asked for one by one; changes of it reach the object."""
    found = {key: part for key, part in facts.items() if permitted(owner, key)}
    while len(_views) >= _VIEWS:
        del _views[next(iter(_views))]
    _views[id(found)] = (found, owner)
    return found


def apply_view(changed: Any) -> str:
    """Change an object's attributes as the candidate has changed its copy of them.

    Returns:
        What of the tests it has replaced; "" for nothing.
    """
    found = _views.get(id(changed))
    if found is None or found[0] is not changed:
        return ""
    view, owner = found
    facts: dict[str, Any] = _get(owner, "__dict__")
    gone = [key for key in facts if key not in view and permitted(owner, key)]
    new = [key for key, part in view.items() if facts.get(key, _views) is not part]
    try:
        for key in (*gone, *new):
            _check_change(owner, key)
    except AttributeError:  # it may not; the object stays as it is
        return ""
    why = next(filter(None, (replaced_part(owner, key) for key in (*gone, *new))), "")
    for key in gone:
        del facts[key]
    facts.update({key: view[key] for key in new})
    return why


def _is_part(kind: type, name: str) -> bool:
    """Tell whether instances get something of that name from their class that is no data."""
    for base in type.__dict__["__mro__"].__get__(kind):
        names = type.__dict__["__dict__"].__get__(base)
        if name in names:
            found = kind_of(names[name])
            if number_of(names[name]) is not None:  # the candidate's own
                return False
            return hasattr(found, "__get__") and not hasattr(found, "__set__")
    return False


def _has_function(value: Any, name: str) -> bool:
    """Tell whether an object or module has a function of this process among its own attributes."""
    return kind_of(getattr(value, "__dict__", {}).get(name)) in FUNCTIONS


def replaced_part(value: Any, name: Any, *new: Any) -> str:
    """Say what of the tests the candidate replaces when it sets an attribute; "" for nothing."""
    if type(name) is str and is_a(value, type):
        return f"the code changed {class_name(value)!r}, a class of the tests"
    if type(name) is str and (_is_part(kind_of(value), name) or _has_function(value, name)):
        return f"the code replaced {name!r} of an object of the tests"
    hook = any(number_of(one) is not None for one in new) and not of_tests(kind_of(value))
    if hook and in_class(kind_of(value), name) and not is_a(value, BaseException):
        return f"the code put an object of its own into {name!r} of an object of the tests"
    return ""


def _check_change(value: Any, name: Any) -> None:
    """Raise AttributeError if the candidate may not set or delete an attribute."""
    if is_a(value, type):
        allowed = type(name) is str and (name in SPECIAL or permitted(value, name))
        allowed = allowed and of_tests(value)
    else:
        own = of_tests(kind_of(value))
        allowed = permitted(value, name) and name[:2] != "__" and (own or name[:1] != "_")
        allowed = allowed and (own or not is_fixed(kind_of(value), name))
    if not allowed and not (name == "__cause__" and is_a(value, BaseException)):
        raise AttributeError(f"attribute {name!r} cannot be set from here")


def _guarded_set(value: Any, name: str, new: Any) -> None:
    _check_change(value, name)
    setattr(value, name, new)


def _guarded_delete(value: Any, name: str) -> None:
    _check_change(value, name)
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
    "list": list,
    "item": getitem,
    "copy": _copy,
    "deepcopy": _deepcopy,
    "members": _members,
    "start": start,
    "poll": poll,
}
"""What the candidate may ask of the judge."""
