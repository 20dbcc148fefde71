"""Describe objects and classes to the other process, and make proxies of its descriptions."""

from __future__ import annotations

import sys
from _weakref import ref

from . import link
from .classes import abstract_names, annotations_of, is_method, make_class, plain_base
from .errors import read_error, write_error
from .guard import Module, class_name, is_a, kind_of, name_of
from .packages import outcome_class
from .plain_values import plain
from .proxy import ProxyMeta, number_of
from .reader import MalformedError
from .substitutes import is_made
from .type_codecs import FIXED, by_name, content, fill, name_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .object_table import ObjectTable
    from .reader import Reader
    from .writer import Writer

__all__ = ["RemoteObjects"]

_REBUILD = ("copyreg:__newobj__", "copyreg:_reconstructor")  # what `pickle` needs


def _noted(value: Any) -> bool:
    """Tell whether an annotation can be sent to the other process."""
    return isinstance(value, (str, type)) or value is None or plain(value) is not None


def _is_public(name: str) -> bool:
    """Tell whether a name is that of a module, or of one in a package, that is no private one."""
    return all(part.isidentifier() and part[0] != "_" for part in name.split("."))


_ODD = ("antigravity", "this", "test", "idlelib", "turtledemo")  # to import them does things


class RemoteObjects:
    """Create and look up the proxies of one process.

    Args:
        strict: The other side is not trusted: it may name classes, but no functions.
    """

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.table: ObjectTable
        self.made: dict[int, Any] = {}  # weak references to stand-ins, classes themselves
        self.kinds: dict[int, Any] = {}
        self.exchanged: set[str] = set()  # functions of Python's own that the tests have named
        self.module_read: Callable[[], None] = lambda: None
        self.derived: Callable[[str], None] = lambda _name: None
        self.own = ""  # the module whose name the other side's code has

    def number_of(self, value: Any) -> int | None:
        """Return the number of a proxy."""
        return number_of(value)

    def find(self, number: int) -> Any:
        """Return the proxy with a number."""
        found = self.made[number]
        value = found if is_a(found, type) else found()
        if value is None:  # the last one is no more, and the other side has not been told yet
            value = self._new(number, self.kinds[number])
        return value

    def dropped(self) -> list[int]:
        """Return the numbers of proxies that no longer exist."""
        gone = [n for n in link.DROPPED if n in self.made and self.made[n]() is None]
        del link.DROPPED[:]
        for number in gone:
            del self.made[number]
            self.kinds.pop(number, None)
        # The other side may use the numbers again, for what the tests do not name.
        for known in (link.NAMED, link.FOREIGN, link.MODULES, link.STEPS, link.EXITS):
            known.difference_update(gone)
        return gone

    # Writing

    def write(self, writer: Writer, value: Any) -> None:
        """Describe a value of this process that is not plain."""
        if is_a(value, type):
            self._write_class(writer, value)
            return
        if is_a(value, BaseException):
            write_error(self.table, writer, value)
            return
        if is_a(value, Module) and self._shared(value):
            writer.token("m" + value.__name__)
            return
        parts = plain(value)
        if parts is not None:
            writer.token("P" + parts[0])
            writer.put(parts[1])
            return
        if self.strict and name_of(value).endswith("function_or_method"):
            name = name_in(value)  # the candidate has it, too
            if name is not None:
                self.exchanged.add(name)
                writer.token("q" + name)
                return
        elif self.exchanged and name_of(value).endswith("function_or_method"):
            name = name_in(value)
            if name in self.exchanged:  # it came from the tests
                writer.token("q" + name)
                return
        if not self.strict and is_method(value):
            writer.token("B")
            writer.put(value.__func__)
            writer.put(value.__self__)
            return
        self._write_object(writer, value)

    def _shared(self, module: Any) -> bool:
        """Tell whether both processes can import a module and find the same."""
        from .place import home  # noqa: PLC0415

        facts: dict[str, Any] = Module.__dict__["__dict__"].__get__(module)
        name, file = str(facts.get("__name__")), str(facts.get("__file__"))
        found = sys.modules.get(name) is module and not is_made(module)
        return found and name != self.own and not file.startswith(home())

    def _write_object(self, writer: Writer, value: Any) -> None:
        number, new = self.table.lend(value)
        if not new:
            writer.token(f"@{number}")
            return
        writer.token(f"o{number}")
        self._write_class(writer, type(value), of_instance=True)
        base = plain_base(type(value))
        if base in FIXED:
            writer.put(FIXED[base](value))
        elif base is not None:
            shared = self.table.add(number, value)
            shared.known = shared.written = content(value)
            writer.put(shared.known)

    def _write_class(self, writer: Writer, kind: Any, *, of_instance: bool = False) -> None:
        mirrored = link.MIRRORED.get(id(kind))
        stand_in = mirrored[1] if mirrored else number_of(kind)
        name = None if of_instance else name_in(kind)
        if stand_in is not None:
            writer.token(f"@{stand_in}")
            return
        if name is not None:
            writer.token("q" + name)
            return
        number, new = self.table.lend(kind)
        if not new:
            writer.token(f"@{number}")
            return
        names = type.__dict__["__dict__"].__get__(kind)  # no import
        writer.token(f"k{number}")
        own = [n for n in names if n not in ("__dict__", "__weakref__", "__new__", "__class__")]
        writer.put(
            (
                class_name(kind),
                str(type.__dict__["__module__"].__get__(kind)),
                str(type.__dict__["__qualname__"].__get__(kind)),
                tuple(n for n in own if isinstance(n, str)),
                names.get("__hash__", ()) is None,
                names.get("__doc__") if isinstance(names.get("__doc__"), str) else None,
                tuple((k, v) for k, v in annotations_of(kind, names).items() if _noted(v)),
                abstract_names(kind, names),
            )
        )
        bases = type.__dict__["__bases__"].__get__(kind)  # no import
        writer.token(str(len(bases)))
        for base in bases:  # an enum's bases are told whole: nothing can derive from them here
            self._write_class(writer, base, of_instance="__members__" in dir(base))

    # Reading

    def named(self, text: str) -> Any:
        """Read a class or function by its name.

        The candidate's side may not name what a module of the list has of another, as by
        "numpy:testing.unittest.mock.Mock".
        """
        found = by_name(text)
        known = is_a(found, type) or text in (*_REBUILD, *self.exchanged)
        if self.strict and (not known or name_in(found) != text):
            raise MalformedError(f"{text[:50]} may not be named")
        if not self.strict and not is_a(found, type):
            self.exchanged.add(text)
        return found

    def read_module(self, name: str) -> Any:
        """Return a module that both processes have.

        The candidate's side names modules, but none that it could have made, or whose import
        does more than to define names.
        """
        self.module_read()
        found = sys.modules.get(name)
        if self.strict and (name in (self.own, "__main__") or name.startswith(_ODD)):
            raise MalformedError(f"{name[:50]} may not be named")
        if self.strict and found is None and not _is_public(name):
            raise MalformedError(f"{name[:50]} may not be imported")
        return found or __import__(name, None, None, ["*"])

    def read_error(self, reader: Reader, text: str) -> Any:
        """Read an exception."""
        return read_error(self, reader, text)

    def read_object(self, reader: Reader, text: str) -> Any:
        """Read a new proxy."""
        number = int(text)
        kind = reader.get()
        if type(kind) is not ProxyMeta or not self.table.free(number):
            raise MalformedError("no class of a stand-in")
        base = plain_base(kind)
        if base is None:
            self.kinds[number] = kind
            value = self._new(number, kind)
            if kind.__name__ == "coroutine" and kind.__module__ == "builtins":
                from .coroutines import awaited  # noqa: PLC0415

                return awaited(value)
            return value
        fixed = (reader.get(),) if base in FIXED else ()
        value = base.__new__(kind, *fixed)
        object.__getattribute__(value, "__dict__")["#"] = number
        self.made[number] = lambda: value
        if fixed:
            return value
        shared = self.table.add(number, value)
        fill(value, reader.get())
        shared.known = content(value)
        return value

    def _new(self, number: int, kind: Any) -> Any:
        value = object.__new__(kind)
        object.__getattribute__(value, "__dict__")["#"] = number
        self.made[number] = ref(value)
        link.keep(value)
        return value

    def read_class(self, reader: Reader, text: str) -> Any:
        """Read a new proxy class."""
        number = int(text)
        name, module, qualname, own, unhashable, doc, notes, abstract = reader.part()
        bases = [reader.part() for _ in range(int(reader.next()))]
        known = self._existing(module, qualname)
        if not self.table.free(number):
            raise MalformedError("a number was given out twice")
        link.READING.append(True)
        try:
            kind = known or make_class(
                name, bases, own, unhashable=unhashable, present=self._present(bases)
            )
        finally:
            link.READING.pop()
        if known is None:
            facts = {"__module__": module, "__qualname__": qualname, "__doc__": doc}
            for key, fact in {**facts, "__annotations__": dict(notes)}.items():
                type.__setattr__(kind, key, fact)
            if abstract:
                type.__setattr__(kind, "__abstractmethods__", frozenset(abstract))
            link.NUMBERS[kind] = number
        self.made[number] = kind
        return kind

    def _present(self, bases: list[Any]) -> tuple[Any, ...]:
        """Return the bases of a remote class that the tests define, to derive from them here.

        That the candidate has derived from a class is put on record, unless the tests had it do
        so.
        """
        own = [base for base in bases if self.strict and self.table.owns(base)]
        for base in own:
            if not any(base is one for one in (object, *link.DERIVING)):
                self.derived(class_name(base))
        return tuple([base for base in own if kind_of(base) is type])

    def _existing(self, module: str, qualname: str) -> Any:
        """Return an exception class of a library that this process has loaded, or None."""
        if module in (self.own, "__main__", *link.TESTS) or qualname[:1] == "_":
            return None
        if module == "builtins":
            return outcome_class(qualname)
        found: Any = sys.modules.get(module)
        if hasattr(kind_of(found), "__served__"):
            # It is of the other side, which would be asked for the class that is being read here.
            return None
        for part in qualname.split("."):
            found = getattr(found, part, None)
        if is_a(found, type) and issubclass(found, BaseException):
            return found
        return None
