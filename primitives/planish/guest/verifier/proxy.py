"""Forward what is done to a proxy to the object of the other process that it represents.

An object's class stands in for its class there, so that `isinstance`, `except` and `super` mean
what they mean. A class over there that derives from a plain type derives from it here, too, and
its objects hold the plain value.
"""

from __future__ import annotations

from . import link
from .guard import kind_of, part_of
from .packages import reported_class, vars_of
from .special_methods import (
    NOT_COMPARED,
    OF_CLASSES,
    OF_OBJECTS,
    Inherited,
    PlainMeta,
    is_abc,
    is_copying,
    is_enumeration,
    with_libraries,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Attribute", "Proxy", "ProxyMeta", "number_of"]

_NUMBER = "#"  # no attribute name: among an object's own attributes its number
_get = object.__getattribute__
_own = type.__getattribute__


def number_of(value: Any) -> int | None:
    """Return the number of a proxy; None for anything else."""
    kind = kind_of(value)
    if kind is ProxyMeta:
        return link.NUMBERS.get(value)
    if type(kind) is not ProxyMeta and not issubclass(kind, BaseException):
        return None
    facts = (
        part_of(value, "__dict__") if issubclass(kind, BaseException) else _get(value, "__dict__")
    )
    number: int | None = facts.get(_NUMBER)
    return number


class Attribute:
    """Forward one attribute of a proxy class to the remote class."""

    def __init__(self, name: str, base: Any = None) -> None:
        self.name = name
        self.base = base  # the plain type that has it, too, and that decides what a value is

    def __get__(self, value: Any, owner: Any = None) -> Any:
        if value is None:
            return link.ask("get", owner, self.name)
        if self.base is not None and kind_of(value) not in link.TRUSTED:
            return getattr(self.base, self.name).__get__(value)
        return link.ask("own", _holder(kind_of(value), self), self.name, value)

    def __set__(self, value: Any, new: Any) -> None:
        link.ask("set", value, self.name, new)

    def __delete__(self, value: Any) -> None:
        link.ask("delete", value, self.name)


def _holder(kind: type, attribute: Attribute) -> Any:
    mro = type.__dict__["__mro__"].__get__(kind)
    return next(k for k in mro if attribute in vars_of(k).values())


def _decides(cls: Any, value: Any) -> bool:
    """Tell whether a remote class decides by itself what its instances are.

    While the class of a message is read, nothing can be asked.
    """
    if cls not in link.NUMBERS or link.READING:
        return False
    names = vars_of(cls)
    if "_is_protocol" in names:
        return True
    return ("_abc_impl" in names or _META in names) and number_of(value) is not None


def _shown(cls: Any, name: str) -> Any:
    """Return a special method of a class that its stand-in has in any case."""
    mro = type.__dict__["__mro__"].__get__(cls)
    if name in OF_CLASSES:
        known = any(name in vars_of(kind) for kind in mro)
    else:
        known = any(name in kind.__dict__ for kind in mro if kind in link.NUMBERS)
    if known or is_copying(name):
        return _own(cls, name)
    for kind in mro:
        if kind_of(kind) is not ProxyMeta and name in vars_of(kind):
            return getattr(kind, name)
    raise AttributeError(name)  # then the remote class is asked


_SHOWN = OF_CLASSES | OF_OBJECTS
_META, _BODY = "#meta", 3  # in a stand-in class: its objects are classes, made of so much


class ProxyMeta(type, metaclass=PlainMeta):
    """Create and forward operations on proxy classes."""

    def __new__(cls, name: str, bases: Any, names: dict[str, Any], /, **options: Any) -> Any:
        """Make a class that derives from a proxy class, in the other process."""
        if not bases:
            return type.__new__(cls, name, bases, names)
        return link.derive(cls, name, bases, names, options)

    def __init__(cls, name: str, bases: Any, names: dict[str, Any], /, **_options: Any) -> None:
        type.__init__(cls, name, bases, names)

    def __call__(cls, /, *args: Any, **kwargs: Any) -> Any:
        """Create an object in the other process."""
        link.TRUSTED.add(cls)
        mro = type.__dict__["__mro__"].__get__(cls)
        if link.JUDGING and len(args) == _BODY and any(_META in vars_of(k) for k in mro):
            return link.derive(cls, args[0], args[1], args[2], kwargs)
        return link.ask("call", cls, args, kwargs)

    def __getattribute__(cls, name: str) -> Any:
        """Return an attribute of the remote class, where each stand-in has one of that name."""
        if name == "__class__" and cls in link.NUMBERS and not link.READING and is_abc():
            return link.ask("get", cls, name) if link.JUDGING else type
        if name in _SHOWN and link.JUDGING and cls in link.NUMBERS and not link.READING:
            return _shown(cls, name)
        return _own(cls, name)

    def __getattr__(cls, name: str) -> Any:
        return link.ask("get", cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        if isinstance(value, Attribute):
            link.ask("restore", cls, name)
        else:
            link.ask("set", cls, name, value)
            link.redefine(cls, name, value)

    def __delattr__(cls, name: str) -> None:
        link.ask("delete", cls, name)
        link.redefine(cls, name)

    def __dir__(cls) -> Any:
        return link.ask("dir", cls)

    def __iter__(cls) -> Any:
        return iter(link.ask("list", cls))

    def __len__(cls) -> int:
        return int(link.ask("special", cls, "__len__", ()))

    def __getitem__(cls, key: Any) -> Any:
        return link.ask("item", cls, key)

    def __contains__(cls, value: Any) -> bool:
        return bool(link.ask("special", cls, "__contains__", (value,)))

    def __bool__(cls) -> bool:
        return True

    @property
    def __mro__(cls) -> Any:
        """Return the method resolution order of the remote class, without `Proxy`."""
        mro = type.__dict__["__mro__"].__get__(cls)
        return tuple(
            [k for k in mro if k is not Proxy and k not in link.ADDED and not is_enumeration(k)]
        )

    @property
    def __bases__(cls) -> Any:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the bases of the remote class, without `Proxy`."""
        bases = type.__dict__["__bases__"].__get__(cls)
        return tuple([kind for kind in bases if kind is not Proxy]) or (object,)

    @property  # type: ignore[misc]
    def __dict__(cls) -> Any:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride, reportGeneralTypeIssues]
        """Return what the remote class has in its own namespace, as Python shows it."""
        if cls not in link.NUMBERS or link.READING:
            return vars_of(cls)
        try:
            found = link.ask("namespace", cls)
        except KeyError:  # the candidate may not ask this about a class of the tests
            return vars_of(cls)
        if kind_of(found) is not dict:
            raise TypeError("no namespace of a class")
        if "__hash__" in vars_of(cls) and vars_of(cls)["__hash__"] is None:
            found.setdefault("__hash__", None)  # of a base of a library, which is no base here
        return kind_of(vars_of(cls))(found)

    def mro(cls) -> Any:
        """Return what `type.mro` returns: of the remote class, once the proxy class is made."""
        if cls not in link.NUMBERS:
            return with_libraries(type.mro(cls))
        return list(cls.__mro__)

    def __instancecheck__(cls, value: Any) -> bool:
        """Ask the remote class where it decides itself, as protocols and abstract classes do."""
        if type.__instancecheck__(cls, value):
            return True
        if not _decides(cls, value):
            return False
        return bool(link.ask("special", cls, "__instancecheck__", (value,)))

    def __subclasscheck__(cls, kind: Any) -> bool:
        if type.__subclasscheck__(cls, kind):
            return True
        return _decides(cls, kind) and bool(link.ask("special", cls, "__subclasscheck__", (kind,)))

    def __subclasses__(cls) -> Any:
        return link.ask("call", link.ask("get", cls, "__subclasses__"), (), {})

    def __hash__(cls) -> int:
        return type.__hash__(cls)

    def __eq__(cls, other: object) -> bool:
        return cls is other


class Proxy(metaclass=ProxyMeta):
    """Forward operations to an object of the other process."""

    def __getattribute__(self, name: str) -> Any:
        kind = type(self)
        if name == "__class__":
            return reported_class(kind)
        if name in ("__copy__", "__deepcopy__"):  # the class has them for `copy` only
            # The tests' copy is made as in one process; objects of theirs they copy themselves.
            return link.ask("get", self, name) if link.JUDGING else _get(self, name)
        if name in NOT_COMPARED or name in link.locals_of(kind):
            return _get(self, name)
        return link.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        link.ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        link.ask("delete", self, name)

    def __dir__(self) -> Any:
        return link.ask("dir", self)

    @staticmethod  # type: ignore[misc]
    @Inherited
    def __new__(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Make a remote object that is not initialised, for `pickle` and `super().__new__`."""
        return link.ask("new", cls, args, kwargs)

    @Inherited  # type: ignore[misc]
    def __init__(self, /, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the remote class has initialised the object."""

    @Inherited
    def __repr__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return link.ask("special", self, "__repr__", ())

    @Inherited
    def __str__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return link.ask("special", self, "__str__", ())

    @Inherited
    def __format__(self, form: str) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return link.ask("special", self, "__format__", (form,))

    @Inherited
    def __reduce_ex__(self, protocol: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return link.ask("special", self, "__reduce_ex__", (protocol,))

    def __copy__(self) -> Any:
        return link.ask("copy", self)

    def __deepcopy__(self, memo: Any) -> Any:
        return link.ask("deepcopy", self)

    def __del__(self) -> None:
        number = _get(self, "__dict__").get(_NUMBER)
        if number is not None:
            link.DROPPED.append(number)
