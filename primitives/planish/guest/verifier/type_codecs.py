"""Encode containers and named classes for the pipe."""

from __future__ import annotations

import sys
from _operator import is_

from . import arrays
from .guard import is_a, kind_of
from .reader import MalformedError
from .sets import base_size, fill_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "CONTAINERS",
    "by_name",
    "content",
    "fill",
    "fresh",
    "name_in",
    "public_module",
    "same",
    "shape",
]

_BASES: dict[str, Any] = {"list": list, "dict": dict, "set": set, "bytearray": bytearray}
_COLLECTED = ("deque", "defaultdict", "Counter", "OrderedDict")
_ARRAYS = "bBuwhHiIlLqQfd"  # type codes of `array`
CONTAINERS: set[Any] = set(_BASES.values())
"""What is kept in step on both sides; those of other modules join when these are loaded."""


def _complex(value: Any) -> complex:
    kind: Any = complex
    return complex(kind.real.__get__(value), kind.imag.__get__(value))


def _text(value: str) -> str:
    return str.__getitem__(value, slice(None))


def _data(value: bytes) -> bytes:
    return bytes.__getitem__(value, slice(None))


def _row(value: Any) -> Any:
    kind: Any = tuple
    return tuple(kind.__iter__(value))


def _members(value: Any) -> Any:
    kind: Any = frozenset
    return frozenset(kind.__iter__(value))


FIXED: dict[Any, Any] = {
    int: int.__int__,
    float: float.__float__,
    complex: _complex,
    str: _text,
    bytes: _data,
    tuple: _row,
    frozenset: _members,
}
"""Of each plain type that does not change, how to take the plain value of an object whose
class derives from it, whatever that class says."""

_MODULES = {  # what is in them may be named to the other side
    *("builtins", "datetime", "decimal", "fractions", "collections", "enum", "uuid", "pathlib"),
    *("array", "numbers", "collections.abc", "zoneinfo", "copyreg", "numpy", "math", "operator"),
    "ipaddress",
}


def learn() -> None:
    """Take in the containers of `collections` and `array`, where these have been loaded."""
    for title, names in (("collections", _COLLECTED), ("array", ("array",))):
        module = sys.modules.get(title)
        if module is not None and getattr(module, names[0]) not in CONTAINERS:
            CONTAINERS.update(getattr(module, name) for name in names)


def shape(value: Any) -> str:
    """Return the form of a container; "deque:5" has a maximum length."""
    if arrays.is_array(value):
        return arrays.form(value)
    base = _base(value)
    if base.__name__ == "deque":
        return f"deque:{base.maxlen.__get__(value)}"
    if base.__name__ == "array":
        return f"array:{base.typecode.__get__(value)}"
    return f"set:{base_size(value)}" if base.__name__ == "set" else str(base.__name__)


def fresh(form: str) -> Any:
    """Make an empty container of a form."""
    name, _, rest = form.partition(":")
    if name == "ndarray":
        return arrays.fresh(rest)
    if name in _BASES:
        return _BASES[name]()
    if name == "array" and len(rest) == 1 and rest in _ARRAYS:
        module = __import__("array")
        learn()
        return module.array(rest)
    if name not in _COLLECTED:
        raise MalformedError(f"no container: {form[:50]}")
    import collections  # noqa: PLC0415

    learn()
    kind = getattr(collections, name)
    return kind((), None if rest == "None" else int(rest)) if name == "deque" else kind()


def content(value: Any) -> Any:
    """Return a container's content, and the factory of a defaultdict."""
    kind = kind_of(value)
    if kind is list:
        return tuple(value)
    if arrays.is_array(value):
        return arrays.content(value)
    if is_a(value, dict):
        flat: list[Any] = [part for pair in _DICT.items(value) for part in pair]
        base: Any = _base(value)
        if base.__name__ == "defaultdict":
            flat.append(base.default_factory.__get__(value))
        return tuple(flat)
    if issubclass(type(value), bytearray):
        return bytes(value)
    if _base(value).__name__ == "array":
        return _base(value).tobytes(value)
    return tuple(_base(value).__iter__(value))


_DICT: Any = dict


def _base(value: Any) -> Any:
    mro = type.__dict__["__mro__"].__get__(kind_of(value))
    return next(kind for kind in mro if kind in CONTAINERS)


def same(value: Any, known: Any) -> bool:
    """Tell whether a container still holds the same objects."""
    kind = kind_of(value)
    if kind is list:
        return len(value) == len(known) and all(map(is_, value, known))
    if arrays.is_array(value):
        return arrays.same(value, known)
    if issubclass(type(value), bytearray):
        return bool(bytes(value) == known)
    now = content(value)
    if type(now) is bytes:
        return bool(now == known)
    return len(now) == len(known) and all(map(is_, now, known))


def fill(value: Any, items: Any) -> None:
    """Put content into a container instead of what is there."""
    if arrays.is_array(value):
        arrays.fill(value, items)
        return
    base = _base(value)
    if base is bytearray:
        value[:] = items
    elif base.__name__ == "array":
        new = base(base.typecode.__get__(value))
        new.frombytes(items)
        base.__setitem__(value, slice(None), new)
    elif _DICT in base.__mro__:
        items = list(items)
        if base.__name__ == "defaultdict":
            base.default_factory.__set__(value, items.pop())
        base.clear(value)
        for key, item in zip(items[::2], items[1::2], strict=True):
            base.__setitem__(value, key, item)
    elif base.__name__ == "list":
        base.__setitem__(value, slice(None), items)
    elif base.__name__ == "set":
        fill_set(value, items)
    else:
        base.clear(value)
        base.extend(value, items)


def by_name(text: str) -> Any:
    """Find a class or function of the standard library by module and name."""
    module, _, name = text.partition(":")
    if not _may_be_named(module, name):
        raise MalformedError(f"{text[:50]} may not be named")
    found: Any = __import__(module, None, None, ["*"])
    learn()
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _may_be_named(module: str, name: str) -> bool:
    return module in _MODULES or name in _SOME.get(module, ())


def name_in(value: Any) -> str | None:
    """Return module and name of a class or function of the standard library, or None."""
    if issubclass(type(value), type):  # whatever its metaclass says
        names = (type.__dict__[n].__get__(value) for n in ("__module__", "__qualname__"))
        module, name = names
    else:
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    name = _TYPES.get(name, name) if module == "builtins" else name
    module = "types" if name in _TYPES.values() else public_module(module)
    if module == "types":
        __import__("types")
    found: Any = sys.modules.get(module)
    if not _may_be_named(module, name) or found is None:
        return None
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is value else None


def public_module(name: str) -> str:
    """Return the module by which a private module's classes and functions may be named."""
    return _PUBLIC.get(name, name)


_PUBLIC = {"_operator": "operator", "pathlib._local": "pathlib"}  # the second in Python 3.13
_TYPES = {
    "NoneType": "NoneType",
    "ellipsis": "EllipsisType",
    "NotImplementedType": "NotImplementedType",
}
"""Classes that `types` has under another name, of those that may be named."""
_SOME = {"types": tuple(_TYPES.values()), "sqlite3": ("Row",)}
"""By module, what of it may be named, where that is not all."""
