"""Make proxy classes of the descriptions that the other process sends."""

from __future__ import annotations

from . import link
from .bodies import own_function
from .coroutines import awaiting
from .errors import error_names
from .guard import class_name, is_a, kind_of
from .packages import disguise_of, vars_of
from .proxy import Attribute, Proxy, ProxyMeta, number_of
from .special_methods import ARITHMETIC, FUNCTIONS, SPECIAL, overridden
from .type_codecs import CONTAINERS, FIXED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "abstract_names",
    "annotations_of",
    "derived",
    "is_method",
    "make_class",
    "make_method",
    "mirror",
    "plain_base",
    "redefine",
]

# Methods of every stand-in whose class derives from a plain type, which would come first.
_LOCAL = (
    *("__getattribute__", "__setattr__", "__delattr__", "__dir__", "__repr__", "__str__"),
    *("__format__", "__reduce_ex__", "__copy__", "__deepcopy__"),
)

_MADE = ("__init__", "__new__", "__del__")


def plain_base(kind: Any) -> Any:
    """Return the plain type that a class derives from, if any."""
    mro = type.__dict__["__mro__"].__get__(kind)
    return next((base for base in mro if base in FIXED or base in CONTAINERS), None)


def make_class(
    name: str, bases: list[Any], own: Any, *, unhashable: bool, present: tuple[Any, ...] = ()
) -> Any:
    """Make a proxy for a class of the other process.

    Args:
        name: Its name.
        bases: Its bases: stand-ins, or plain types and exceptions of this side.
        own: The names that it defines.
        unhashable: Its objects have no hash.
        present: Of the bases, the classes that the code of this process defines.
    """
    found: list[Any] = [plain_base(one) for one in bases]
    base = next((one for one in found if one is not None), None)
    error = next((one for one in bases if issubclass(one, BaseException)), None)
    names = _names(own, base) if error is None else error_names(own, _special_method)
    if base is None and error is None:
        _hand_down(names, bases, present)
    if base is None and (unhashable or _inherits_no_hash(own, bases)):
        names["__hash__"] = None
    elif "__eq__" in names and "__hash__" not in names:
        names["__hash__"] = object.__hash__
    if name == "function":
        names["__get__"] = _bound
    if any(one is type for one in bases):
        names["#meta"] = True
    kind: Any = _typed(name, _usable(bases, (base, error)), names)
    _insert(kind, _usable(bases, (base, error, *present)), present)
    if base is not None:
        link.LOCALS[kind] = frozenset(dir(base))
    guise = _guise(name)
    if guise is not None:
        type.__setattr__(kind, "#class", guise)
    for one in bases:
        if type(one) not in (type, ProxyMeta) and hasattr(one, "register"):
            one.register(kind)
    return kind


def _inherits_no_hash(own: Any, bases: list[Any]) -> bool:
    """Tell whether a class of a library, as `Mapping`, has no hash that its subclass could have."""
    library = (one for one in bases if type(one) is not ProxyMeta)
    return "__hash__" not in own and any(one.__hash__ is None for one in library)


def _hand_down(names: dict[str, Any], bases: list[Any], present: tuple[Any, ...]) -> None:
    """Add the special methods of a class that it has of its bases."""
    library = [one for one in bases if not any(one is other for other in present)]
    names.update({n: _special_method(n, None) for n in _inherited(library) if n not in names})
    if present:  # which come before `Proxy`
        names.update({key: vars(Proxy)[key] for key in (*_LOCAL, *_MADE)})


def mirror(kind: Any) -> Any:
    """Return the class of this process that stands for a remote one among the bases of another.

    Its methods are those of the remote class, and run there.
    """
    library = disguise_of(kind) if type(kind) is ProxyMeta else kind
    if type(library) is not ProxyMeta:
        return library
    number = link.NUMBERS[kind]
    found = next((made for made, of in link.MIRRORED.values() if of == number), None)
    if found is None:
        bases = tuple(mirror(base) for base in kind.__bases__)
        found = derived(class_name(kind), bases, link.ask("members", kind), {})
        link.MIRRORED[id(found)] = (found, number)
    return found


def derived(name: str, bases: Any, names: dict[str, Any], options: Any) -> Any:
    """Make a class in this process."""
    import types  # noqa: PLC0415

    return types.new_class(name, bases, dict(options), lambda space: space.update(names))


def abstract_names(kind: Any, names: Any) -> tuple[Any, ...]:
    """Return the names of the abstract methods of a class that has some."""
    found = names.get("__abstractmethods__")
    flags: int = type.__dict__["__flags__"].__get__(kind)
    return tuple(found) if flags & _IS_ABSTRACT and is_a(found, frozenset) else ()


_IS_ABSTRACT = 1 << 20  # `inspect.isabstract` looks at this flag of a class


def annotations_of(kind: Any, names: Any) -> Any:
    """Return the annotations in a class's own body; {} if they cannot be evaluated."""
    found = names.get("__annotations__")
    if found is None and "__annotate_func__" in names:  # from Python 3.14 on: evaluated when read
        try:
            found = type.__dict__["__annotations__"].__get__(kind)  # noqa: RUF063  # no import
        except BaseException:  # noqa: BLE001  # a name of the candidate's that is not there yet
            return {}
    return found if is_a(found, dict) else {}


def is_method(value: Any) -> bool:
    """Tell whether a value is a method made of a function of the other process."""
    return kind_of(value) is FUNCTIONS[1] and number_of(value.__func__) is not None


def make_method(function: Any, value: Any) -> Any:
    """Bind a function of this process, so that a call of the method runs it here."""
    if kind_of(function) is not FUNCTIONS[0]:
        raise TypeError("no function")
    return FUNCTIONS[1](function, value)


def _inherited(bases: list[Any]) -> set[str]:
    """Return the special methods that classes of a library hand down, such as `Mapping`'s."""
    found: set[str] = set()
    for one in bases:
        if type(one) is not ProxyMeta:
            mro: list[type] = type.__dict__["__mro__"].__get__(one)[:-1]
            for kind in mro:
                found |= SPECIAL & set(vars(kind))
    return found - _EVERY


_EVERY = {
    *("__init__", "__new__", "__reduce_ex__", "__repr__", "__str__", "__format__", "__hash__"),
    *("__copy__", "__deepcopy__", "__instancecheck__", "__subclasscheck__", "__set_name__"),
}
"""What every stand-in has, or none."""


def _names(own: Any, base: Any) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for key in own:
        if key == "__init__" or key[:2] != "__":
            names[key] = Attribute(key, base if hasattr(base, key) else None)
        elif key in SPECIAL:
            names[key] = _special_method(key, base if hasattr(base, key) else None)
    if base is not None:
        names.update({key: vars(Proxy)[key] for key in _LOCAL})
        names["__init__"] = vars(Proxy)["__init__"]
    return names


_COMPUTING = ARITHMETIC | {"__invert__", "__neg__", "__pos__", "__abs__"}


def _special_method(name: str, base: Any) -> Callable[..., Any]:
    """Make one of `SPECIAL` for a proxy class; `base` is the plain type that it derives from."""
    computes = name in _COMPUTING
    if name == "__await__":
        return awaiting

    def forward(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        named = computes and link.NUMBERS.get(kind_of(self)) in link.NAMED  # as of a flag
        if base is not None and kind_of(self) not in link.TRUSTED and not named:
            return getattr(base, name)(self, *args, **kwargs)
        holder = overridden(kind_of(self), name, forward)
        function = own_function(kind_of(self) if holder is None else holder, name)
        if function is not None:
            return function(self, *args, **kwargs)
        if holder is not None:
            return link.ask("own", holder, name, self)(*args, **kwargs)
        return link.ask("special", self, name, args, kwargs)

    forward.__name__ = name
    return forward


def redefine(kind: Any, name: str, *new: Any) -> None:
    """Forward a special method that a class gets after it was made, or no longer.

    Args:
        kind: The stand-in for the class: Python looks the method up in it.
        name: The name of the attribute that was set, or deleted.
        new: Its value; nothing if it was deleted.
    """
    names, key = vars_of(kind), (kind, name)
    if new and name in SPECIAL and (name == "__hash__" or name not in names) and name not in _MADE:
        _BEFORE.setdefault(key, names.get(name, _BEFORE))
        base = plain_base(kind)
        made = _special_method(name, base if hasattr(base, name) else None)
        type.__setattr__(kind, name, None if new[0] is None else made)
    elif not new and key in _BEFORE:
        before = _BEFORE.pop(key)
        if before is _BEFORE:
            type.__delattr__(kind, name)
        else:
            type.__setattr__(kind, name, before)


_BEFORE: dict[Any, Any] = {}
"""By class and name, what a stand-in had before; this dictionary for nothing."""


def _usable(bases: list[Any], local: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the bases that a class of this process can have, with `Proxy` if none is one."""
    used = [
        one
        for one in bases
        if type(one) is ProxyMeta or any(one is b for b in local) or issubclass(one, BaseException)
    ]
    if local[1] is None and not any(issubclass(b, Proxy) for b in used):
        used.append(Proxy)
    return tuple(used)


def _typed(name: str, bases: tuple[Any, ...], names: dict[str, Any]) -> Any:
    try:
        kind: Any = type.__new__(ProxyMeta, name, bases, names)
    except TypeError:  # bases that do not go together here
        bases = bases[:1]
        kind = type.__new__(ProxyMeta, name, bases, names)
    type.__init__(kind, name, bases, names)
    return kind


def _insert(kind: Any, bases: tuple[Any, ...], present: tuple[Any, ...]) -> None:
    """Give a class its bases later, so that their `__init_subclass__` is not called here, too."""
    try:
        if present:
            type.__dict__["__bases__"].__set__(kind, bases)
    except TypeError:  # bases that do not go together here
        return


def _guise(name: str) -> Any:
    """Return the class that a proxy of an interpreter's own class reports."""
    if name == "function":
        return type(_guise)
    if name == "code":
        return type(_guise.__code__)
    title = _GUISES.get(name)
    return None if title is None else getattr(__import__("types"), title)


_GUISES = {
    "method": "MethodType",
    "generator": "GeneratorType",
    "builtin_function_or_method": "BuiltinFunctionType",
    "mappingproxy": "MappingProxyType",
}


def _bound(self: Any, value: Any, _owner: Any = None) -> Any:
    """Bind a function in a class to an instance, as a method."""
    if value is None:
        return self
    from types import MethodType  # noqa: PLC0415

    return MethodType(self, value)
