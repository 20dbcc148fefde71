"""How objects and classes are told to the other side, and what is made of what it tells."""

from __future__ import annotations

import sys
from _weakref import ref

from . import link
from .errors import read_error, write_error
from .guard import Module, class_name, is_a
from .kinds import CONTAINERS, by_name, content, fill, name_in, plain
from .proxy import Attribute, Proxy, ProxyMeta, number_of, special_method
from .special import SPECIAL
from .wire import MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .book import Book
    from .wire import Reader, Writer

__all__ = ["StandIns"]

_FIXED: dict[Any, Any] = {
    int: int.__int__,
    float: float.__float__,
    complex: lambda v: complex(complex.real.__get__(v), complex.imag.__get__(v)),
    str: lambda v: str.__getitem__(v, slice(None)),
    bytes: lambda v: bytes.__getitem__(v, slice(None)),
    tuple: lambda v: tuple(tuple.__iter__(v)),
    frozenset: lambda v: frozenset(frozenset.__iter__(v)),
}
_LOCAL = ("__getattribute__", "__setattr__", "__delattr__", "__dir__", "__repr__", "__str__")
_LOCAL += ("__format__", "__reduce_ex__", "__copy__", "__deepcopy__", "__new__", "__init__")
# What a stand-in says it is, for those who ask; none of these is a value.
_GUISES = (
    "function",
    "method",
    "builtin_function_or_method",
    "generator",
    "code",
    "method-wrapper",
)


class StandIns:
    """The stand-ins of one side.

    Args:
        strict: The other side is not trusted: it may name classes, but no functions.
    """

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.book: Book
        self.made: dict[int, Any] = {}  # weak references to stand-ins, classes themselves
        self.kinds: dict[int, Any] = {}
        self.own = ""  # the module whose name the other side's code has

    def number_of(self, value: Any) -> int | None:
        """The number of a stand-in."""
        return number_of(value)

    def find(self, number: int) -> Any:
        """The stand-in of a number."""
        found = self.made[number]
        value = found if is_a(found, type) else found()
        if value is None:  # the last one is no more, and the other side has not been told yet
            value = object.__new__(self.kinds[number])
            self._keep(number, value)
        return value

    def dropped(self) -> list[int]:
        """The numbers of stand-ins that are no more."""
        gone = [n for n in link.DROPPED if n in self.made and self.made[n]() is None]
        del link.DROPPED[:]
        for number in gone:
            del self.made[number]
            self.kinds.pop(number, None)
        return gone

    # Writing

    def write(self, writer: Writer, value: Any) -> None:
        """Tell of an own value that is not plain."""
        if is_a(value, type):
            self._write_class(writer, value)
            return
        if is_a(value, BaseException):
            write_error(self.book, writer, value)
            return
        if is_a(value, Module) and self._shared(value):
            writer.token("m" + value.__name__)
            return
        parts = plain(value)
        if parts is not None:
            writer.token("P" + parts[0])
            writer.put(parts[1])
            return
        name = name_in(value) if type(value).__name__.endswith("function_or_method") else None
        if name is not None and not (self.strict is False and name.startswith("builtins")):
            writer.token("q" + name)
            return
        self._write_object(writer, value)

    def _shared(self, module: Any) -> bool:
        """Both sides can import it, and would find the same."""
        name = vars(module).get("__name__")
        file = vars(module).get("__file__") or ""
        from .place import HOME  # noqa: PLC0415

        return name != self.own and sys.modules.get(name) is module and not file.startswith(HOME)

    def _write_object(self, writer: Writer, value: Any) -> None:
        number, new = self.book.lend(value)
        if not new:
            writer.token(f"@{number}")
            return
        writer.token(f"o{number}")
        self._write_class(writer, type(value), of_instance=True)
        base = _plain_base(type(value))
        if base in _FIXED:
            writer.put(_FIXED[base](value))
        elif base is not None:
            shared = self.book.add(number, value)
            shared.known = content(value)
            writer.put(shared.known)

    def _write_class(self, writer: Writer, kind: Any, *, of_instance: bool = False) -> None:
        stand_in = number_of(kind)
        name = None if of_instance else name_in(kind)
        if stand_in is not None:
            writer.token(f"@{stand_in}")
            return
        if name is not None:
            writer.token("q" + name)
            return
        number, new = self.book.lend(kind)
        if not new:
            writer.token(f"@{number}")
            return
        names = type.__dict__["__dict__"].__get__(kind)
        writer.token(f"k{number}")
        own = [n for n in names if n not in ("__dict__", "__weakref__", "__new__", "__class__")]
        notes = names.get("__annotations__")
        notes = notes if isinstance(notes, dict) else {}
        writer.put(
            (
                class_name(kind),
                str(names.get("__module__", "builtins")),
                str(type.__dict__["__qualname__"].__get__(kind)),
                tuple(n for n in own if isinstance(n, str)),
                names.get("__hash__", ()) is None,
                names.get("__doc__") if isinstance(names.get("__doc__"), str) else None,
                tuple((k, v) for k, v in notes.items() if isinstance(v, (str, type))),
            )
        )
        bases = type.__dict__["__bases__"].__get__(kind)
        writer.token(str(len(bases)))
        for base in bases:  # an enum's bases are told whole: nothing can derive from them here
            self._write_class(writer, base, of_instance="__members__" in dir(base))

    # Reading

    def named(self, text: str) -> Any:
        """A class or function that was named."""
        found = by_name(text)
        if self.strict and text.startswith("builtins") and not isinstance(found, type):
            raise MalformedError(f"{text[:50]} may not be named")
        return found

    def read_module(self, name: str) -> Any:
        """A module that both sides have."""
        return sys.modules.get(name) or __import__(name, None, None, ["*"])

    def read_error(self, reader: Reader, text: str) -> Any:
        """An exception."""
        return read_error(self, reader, text)

    def read_object(self, reader: Reader, text: str) -> Any:
        """A new stand-in."""
        number = int(text)
        kind = reader.get()
        if type(kind) is not ProxyMeta or number in self.made or number in self.book.lent:
            raise MalformedError("no class of a stand-in")
        base = _plain_base(kind)
        if base is None:
            value = object.__new__(kind)
            self.kinds[number] = kind
            self._keep(number, value)
            if kind.__name__ == "coroutine" and kind.__module__ == "builtins":
                from .coroutines import awaited  # noqa: PLC0415

                return awaited(value)
            return value
        if base in _FIXED:
            value = base.__new__(kind, reader.get())
            object.__getattribute__(value, "__dict__")["#"] = number
            self.made[number] = lambda: value
            return value
        value = base.__new__(kind)
        object.__getattribute__(value, "__dict__")["#"] = number
        self.made[number] = lambda: value
        shared = self.book.add(number, value)
        fill(value, reader.get())
        shared.known = content(value)
        return value

    def _keep(self, number: int, value: Any) -> None:
        object.__getattribute__(value, "__dict__")["#"] = number
        self.made[number] = ref(value)

    def read_class(self, reader: Reader, text: str) -> Any:
        """A new stand-in class."""
        number = int(text)
        name, module, qualname, own, unhashable, doc, notes = reader.get()
        bases = [reader.get() for _ in range(int(reader.next()))]
        known = self._existing(module, qualname)
        if number in self.made or number in self.book.lent:
            raise MalformedError("a number was given out twice")
        kind = known or _made(name, bases, own, unhashable=unhashable)
        if known is None:
            facts = {"__module__": module, "__qualname__": qualname, "__doc__": doc}
            for key, fact in {**facts, "__annotations__": dict(notes)}.items():
                type.__setattr__(kind, key, fact)
            link.NUMBERS[kind] = number
        self.made[number] = kind
        return kind

    def _existing(self, module: str, qualname: str) -> Any:
        """An exception of a library that this side has loaded."""
        if module == self.own or module == "__main__":
            return None
        found: Any = sys.modules.get(module)
        for part in qualname.split("."):
            found = getattr(found, part, None)
        if is_a(found, type) and issubclass(found, BaseException):
            return found
        return None


def _plain_base(kind: Any) -> Any:
    """The plain type that a class derives from, if any."""
    mro = type.__dict__["__mro__"].__get__(kind)
    return next((base for base in mro if base in _FIXED or base in CONTAINERS), None)


def _made(name: str, bases: list[Any], own: Any, *, unhashable: bool) -> Any:
    plain_types = [b for b in bases if type(b) is type and b is not object]
    stand_ins = [b for b in bases if type(b) is ProxyMeta]
    virtual = [b for b in bases if type(b) not in (type, ProxyMeta)]
    used: list[Any] = [b for b in bases if b in plain_types or b in stand_ins]
    base = next((_plain_base(b) for b in used if _plain_base(b) is not None), None)
    error = next((b for b in used if issubclass(b, BaseException)), None)
    if error is None and not any(issubclass(b, Proxy) for b in used):
        used = [b for b in used if b is base or b in stand_ins] + [Proxy]
    names: dict[str, Any] = {}
    for key in own:
        if key in SPECIAL:
            names[key] = special_method(key, base if hasattr(base, key) else None)
        elif key[:2] != "__" and (error is None or not hasattr(BaseException, key)):
            names[key] = Attribute(key)
        if key == "__init__" and error is None:
            names[key] = Attribute(key)
    if unhashable and base is None:
        names["__hash__"] = None
    elif "__eq__" in names and "__hash__" not in names:
        names["__hash__"] = object.__hash__
    if base is not None:
        names.update({key: vars(Proxy)[key] for key in _LOCAL if key != "__new__"})
        for key in ("__init__",):
            names[key] = lambda self, *args, **kwargs: None  # noqa: ARG005
    if error is not None:
        names = {k: v for k, v in names.items() if k not in SPECIAL}
        names.update(__getattr__=_error_attribute, __str__=_error_text)
    if name == "function":
        names["__get__"] = _bound
    try:
        kind: Any = type.__new__(ProxyMeta, name, tuple(used), names)
    except TypeError:  # bases that do not go together here
        kind = type.__new__(ProxyMeta, name, (error or base or Proxy,), names)
    type.__init__(kind, name, tuple(used), names)
    if base is not None:
        link.LOCALS[kind] = frozenset(dir(base)) - set(own)
    if name in _GUISES:
        guise = {"function": type(_made), "code": type(_made.__code__)}.get(name)
        if guise is None:
            guise = _guises().get(name)
        type.__setattr__(kind, "#class", guise)
    for abstract in virtual:
        register = getattr(abstract, "register", None)
        if register is not None:
            register(kind)
    return kind


def _guises() -> dict[str, Any]:
    import types  # noqa: PLC0415

    return {
        "method": types.MethodType,
        "builtin_function_or_method": types.BuiltinFunctionType,
        "generator": types.GeneratorType,
    }


def _bound(self: Any, value: Any, _owner: Any = None) -> Any:
    """A function in a class becomes a method."""
    return self if value is None else type(_made_method())(self, value)


def _made_method() -> Any:
    return StandIns.number_of.__get__(0)  # any method will do: its type is wanted


def _error_attribute(self: Any, name: str) -> Any:
    if number_of(self) is None or name[:2] == "__":
        raise AttributeError(name)
    return link.ask("get", self, name)


def _error_text(self: Any) -> str:
    facts = BaseException.__dict__["__dict__"].__get__(self)
    text = facts.get("#text")
    return BaseException.__str__(self) if text is None else text
