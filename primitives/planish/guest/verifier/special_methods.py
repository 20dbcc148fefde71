"""Name the special methods that are forwarded, and describe how functions are called."""

from __future__ import annotations

import sys

from . import link
from .guard import class_name, is_a, kind_of
from .packages import disguise_of, vars_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "FUNCTIONS",
    "HOW_CALLED",
    "NOT_COMPARED",
    "OF_CLASSES",
    "OF_OBJECTS",
    "SPECIAL",
    "Arguments",
    "Inherited",
    "PlainMeta",
    "how_called",
    "is_abc",
    "is_copying",
    "is_enumeration",
    "make_signature",
    "method_of",
    "overridden",
    "shows_defaults",
    "signature_parts",
    "with_libraries",
]

_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"

COMPARISONS = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
ARITHMETIC = frozenset(
    f"__{before}{name}__" for name in _BINARY.split() for before in ("", "r", "i")
)
_OTHERS = """
hash bool len length_hint iter next reversed contains getitem setitem delitem missing call
neg pos abs invert complex int float index round trunc floor ceil enter exit aenter aexit aiter
anext await repr str format bytes fspath get set init new reduce_ex copy deepcopy
instancecheck subclasscheck array set_name
"""
SPECIAL = COMPARISONS | ARITHMETIC | frozenset(f"__{name}__" for name in _OTHERS.split())
"""The special methods that are forwarded."""

NOT_COMPARED = SPECIAL - COMPARISONS
"""Those that are forwarded alike, whether they are called by an operator or by name."""

OF_CLASSES = frozenset({"__iter__", "__len__", "__getitem__", "__contains__", "__bool__"})
"""Those that every stand-in for a class has, as its metaclass might have them."""

_OF_OBJECTS = "repr str format reduce_ex init setattr delattr getattribute dir del copy deepcopy"
OF_OBJECTS = frozenset(f"__{name}__" for name in _OF_OBJECTS.split())
"""Those that every stand-in for an object has: most classes have them of `object`, or not."""


class Inherited:
    """A method of stand-ins that is no function, as one that a class has of `object` is none."""

    def __init__(self, function: Any, part: Any = None, *values: Any) -> None:
        self.function = function
        self.part = part  # what it was bound by
        self.values = values

    def __get__(self, value: Any, owner: Any = None) -> Any:
        return self if value is None else Inherited(self.function, self, value)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Forward the call, or have the method of the base called that `super` means."""
        for value in self.values:
            holder = overridden(kind_of(value), self.function.__name__, self.part)
            if holder is not None:
                return link.ask("own", holder, self.function.__name__, value)(*args, **kwargs)
        return self.function(*self.values, *args, **kwargs)


def overridden(kind: Any, name: str, part: Any) -> Any:
    """Return the class whose special method is called as `super` does it; None for a plain call.

    Args:
        kind: The class of the object; only one that the tests have derived can do so.
        name: The name of the method.
        part: The method of a stand-in that has been called.
    """
    if kind not in link.BODIES:
        return None
    mro = type.__dict__["__mro__"].__get__(kind)
    found = [(one, names[name]) for one in mro if name in (names := vars_of(one))]
    at = next((at for at, (_, one) in enumerate(found) if one is part), 0)
    if at and kind_of(part) is Inherited:  # what stand-ins have of `object`, or of another base
        at += 1
    return found[at][0] if 0 < at < len(found) else None


def is_copying(name: str) -> bool:
    """Tell whether `copy` looks up how objects are copied, two calls above this one's caller."""
    frame: Any = sys._getframe(3)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return name in ("__copy__", "__deepcopy__") and frame.f_globals.get("__name__") == "copy"


class PlainMeta(type):
    """A metaclass whose class shows the bases of `type`, and so the methods of these only.

    `isinstance(A, Iterable)` looks for `__iter__` in the class of `A` and its bases.
    """

    @property
    def __mro__(cls) -> Any:
        return type.__mro__


def is_abc() -> bool:
    """Tell whether an abstract class looks up an instance's class, a call above this one's caller.

    What it finds by the class itself, as Python does, is that of a stand-in.
    """
    frame: Any = sys._getframe(2)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return bool(frame.f_globals.get("__name__") == "abc")


def method_of(value: Any, name: str) -> Any:
    """Find a special method as Python does: what its class has, bound only if it can be."""
    kind = kind_of(value)
    for one in type.__dict__["__mro__"].__get__(kind):
        names = type.__dict__["__dict__"].__get__(one)
        if name in names and name != "__new__":
            bind = getattr(kind_of(names[name]), "__get__", None)  # a test double has none
            return names[name] if bind is None else bind(names[name], value, kind)
    return getattr(kind, name).__get__(value)


def _with_enumerations(mro: list[Any]) -> list[Any]:
    """Add to a class's bases those of `enum`, where stand-ins for these are among them.

    Nothing can derive from them in this process, but its objects are of these classes. Not of
    those that derive from `int`, whose objects are laid out in a way of their own.
    """
    titles = [class_name(kind) for kind in mro[1:] if _module_of(kind) == "enum"]
    if not titles:
        return mro
    module: Any = __import__("enum")  # the tests may import it later
    names: dict[str, Any] = module.__dict__
    found: list[Any] = [names[title] for title in titles if is_a(names.get(title), type)]
    more = [k for k in found if not issubclass(k, int) and (str in mro or not issubclass(k, str))]
    return [*mro[:-1], *more, *mro[-1:]]


def with_libraries(mro: list[Any]) -> list[Any]:
    """Add to a class's bases those of libraries, where stand-ins for these are among them.

    Only those for which the tests may ask, as by `isinstance(x, Thread)`; that the other side
    says so is put on record. Nothing of them is used. Not those whose objects are laid out in a
    way of their own.
    """
    mro = _with_enumerations(mro)
    asked = [kind for kind in mro[1:-1] if any(class_name(kind) in text for text in link.ASKED)]
    for one in asked:  # the tests import it later
        place = str(_module_of(one)).partition(".")[0]
        if place in sys.stdlib_module_names and any(place in text for text in link.ASKED):
            __import__(place)
    found = {one: disguise_of(one) for one in asked}
    more = [kind for one, kind in found.items() if kind is not one and _is_plain(kind)]
    for kind in more:
        link.claimed(kind)
    link.ADDED.update(more)
    return [*mro[:-1], *more, *mro[-1:]]


def _is_plain(kind: Any) -> bool:
    """Tell whether a class and its bases are made by statements, without `__slots__`."""
    bases = type.mro(kind)[:-1]
    heap = all(type.__dict__["__flags__"].__get__(one) & _IS_HEAP for one in bases)
    size: int = type.__dict__["__basicsize__"].__get__(kind)
    slots = any("__slots__" in vars_of(one) for one in bases)
    return heap and not slots and kind_of(kind) is type and size <= _PLAIN_SIZE


_IS_HEAP = 1 << 9
_PLAIN_SIZE = object.__basicsize__ + 16  # with the places of `__dict__` and `__weakref__`


def is_enumeration(kind: Any) -> bool:
    """Tell whether a class is one of `enum` itself, and no stand-in."""
    found = sys.modules.get("enum")
    return found is not None and vars(found).get(class_name(kind)) is kind


def _module_of(kind: Any) -> Any:
    return vars_of(kind).get("__module__")


class Arguments:
    """Say of the code of a function of the tests how it is called, and nothing of what it does."""

    def __init__(self, code: Any) -> None:
        self.co_argcount: int = code.co_argcount
        self.co_posonlyargcount: int = code.co_posonlyargcount
        self.co_kwonlyargcount: int = code.co_kwonlyargcount
        self.co_flags: int = code.co_flags
        self.co_name: str = code.co_name
        stars = bool(code.co_flags & _STAR) + bool(code.co_flags & _STARS)
        shown = code.co_argcount + code.co_kwonlyargcount + stars
        self.co_varnames: tuple[str, ...] = code.co_varnames[:shown]


_STAR, _STARS = 0x04, 0x08  # flags of code that takes `*args`, and `**kwargs`
HOW_CALLED = ("__code__", "__defaults__", "__kwdefaults__", "__func__", "__signature__")
"""The attributes that say it."""
FUNCTIONS = (kind_of(kind_of), kind_of(kind_of.__get__(1)))
"""The classes of functions and methods."""


def how_called(value: Any, name: str) -> Any:
    """Return one of the attributes `HOW_CALLED`; the signature also where there is no such."""
    if name == "__code__":
        return Arguments(value.__code__)
    if name != "__signature__" or hasattr(value, name):
        return getattr(value, name)
    import inspect  # noqa: PLC0415

    try:
        return inspect.signature(value)
    except (TypeError, ValueError):
        raise AttributeError(name) from None


def shows_defaults(name: Any, found: Any) -> bool:
    """Tell whether the value of one of the attributes `HOW_CALLED` has defaults in it."""
    if name == "__signature__":
        return any(one.default is not one.empty for one in found.parameters.values())
    return name in ("__defaults__", "__kwdefaults__") and bool(found)


def signature_parts(value: Any) -> tuple[Any, ...]:
    """Return the parts of a signature, each default and annotation in a tuple, if there is one."""

    def given(part: Any) -> tuple[Any, ...]:
        return () if part is value.empty else (part,)

    return (
        given(value.return_annotation),
        *(
            (one.name, int(one.kind), given(one.default), given(one.annotation))
            for one in value.parameters.values()
        ),
    )


def make_signature(returned: Any, *parameters: Any) -> Any:
    """Make a signature of its parts."""
    import inspect  # noqa: PLC0415

    def found(part: Any) -> Any:
        return part[0] if part else inspect.Signature.empty

    kinds: list[Any] = list(kind_of(inspect.Parameter.POSITIONAL_ONLY))
    made = [
        inspect.Parameter(name, kinds[kind], default=found(default), annotation=found(note))
        for name, kind, default, note in parameters
    ]
    return inspect.Signature(made, return_annotation=found(returned))
