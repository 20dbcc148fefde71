"""Keep the numbers of the objects that the two processes share.

A list, dict or set that crosses exists on both sides: whatever one side does to its own is told
to the other with the next message, so that both see one object. Anything else that is not plain
stays where it is; the other side gets a stand-in for it (`remote_objects`).
"""

from __future__ import annotations

import sys

from .arrays import is_array
from .classes import make_method
from .plain_values import simple
from .reader import MalformedError
from .sets import fill_set
from .type_codecs import CONTAINERS, content, fill, fresh, learn, same, shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .reader import Reader
    from .writer import Writer

__all__ = ["ObjectTable"]


class _Shared:
    """Record a container that exists in both processes."""

    __slots__ = ("known", "number", "own", "value", "written")

    def __init__(self, number: int, value: Any) -> None:
        self.number: int = number
        self.value: Any = value
        self.known: Any = None  # what the other side knows to be in it; None while it is read
        self.written: Any = None  # what this side has written of it since the other changed it
        self.own: Any = ((), False)  # what this side has put there, see `replacements`


class ObjectTable:
    """Map the objects of one process to the numbers that the pipe uses.

    Args:
        first: 0 or 1; this side gives out numbers that are even or odd.
        remote_objects: Makes and knows stand-ins: `describe`, `make`, `number_of`.
    """

    def __init__(self, first: int, remote_objects: Any) -> None:
        self.number: int = first
        self.remote_objects = remote_objects
        self.shared: dict[int, _Shared] = {}  # by number
        self.places: dict[int, _Shared] = {}  # by the id of the container
        self.exported: dict[int, Any] = {}  # own objects that the other side has stand-ins for
        self.numbers: dict[int, int] = {}  # of those, by id
        self.changed: Callable[[Any, Any], None] = lambda _shared, _before: None
        self.returned: list[int] = []  # stand-ins this side needs no more
        self.reading: int = 0  # messages that are being read, one within the other
        self.unneeded: list[int] = []  # numbers to forget when none is
        self.read: dict[str, Callable[[Reader, str], Any]] = {
            "l": self._container,
            "@": lambda reader, text: reader.noted(self._known(int(text))),
            "o": remote_objects.read_object,
            "k": lambda reader, text: reader.noted(remote_objects.read_class(reader, text)),
            "q": lambda reader, text: reader.noted(remote_objects.named(text)),
            "P": lambda reader, text: reader.noted(simple(text, reader.part())),
            "m": lambda _reader, text: remote_objects.read_module(text),
            "X": remote_objects.read_error,
            "B": lambda reader, _text: make_method(reader.get(), reader.get()),
        }

    def new(self) -> int:
        """Return an unused number."""
        self.number += 2
        return self.number

    def lend(self, value: Any) -> tuple[int, bool]:
        """Return the number of an own object, and whether it is new to the other process."""
        number = self.numbers.get(id(value))
        if number is not None:
            return number, False
        number = self.new()
        self.exported[number] = value
        self.numbers[id(value)] = number
        return number, True

    def free(self, number: int) -> bool:
        """Tell whether the other process may assign a number: it is in its range, and new."""
        known = number in self.shared or number in self.remote_objects.made
        return number % 2 != self.number % 2 and not known

    def owns(self, value: Any) -> bool:
        """Tell whether the other process has received the object."""
        return id(value) in self.numbers or id(value) in self.places

    def other(self, writer: Writer, value: Any) -> None:
        """Write what is not plain."""
        place = self.places.get(id(value))
        if place is not None:
            writer.token(f"@{place.number}")
            return
        if type(value) is list:
            self._share(writer, self.new(), value)
            return
        number = self.remote_objects.number_of(value)
        learn()
        if number is not None:
            writer.token(f"@{number}")
        elif type(value) in CONTAINERS or is_array(value):
            self._share(writer, self.new(), value)
        else:
            self.remote_objects.write(writer, value)

    def share(self, writer: Writer, value: Any) -> None:
        """Write a container of a class of its own: its number and what is in it."""
        self._share(writer, self.new(), value)

    def _share(self, writer: Writer, number: int, value: Any) -> None:
        shared = self.add(number, value)
        shared.known = shared.written = content(value)
        writer.token(f"l{number} {shape(value)}")
        writer.put(shared.known)

    def _container(self, reader: Reader, text: str) -> Any:
        number, _, form = text.partition(" ")
        if not self.free(int(number)):
            raise MalformedError("a number was given out twice")
        value = fresh(form)
        shared = self.add(int(number), value)
        items = reader.get()
        kind, _, size = form.partition(":")
        if kind == "set":
            fill_set(value, items, int(size))
        else:
            fill(value, items)
        shared.known = content(value)
        return value

    def add(self, number: int, value: Any) -> _Shared:
        """Keep a container in step from now on."""
        shared = _Shared(number, value)
        self.shared[number] = self.places[id(value)] = shared
        return shared

    def _known(self, number: int) -> Any:
        shared = self.shared.get(number)
        if shared is not None:
            return shared.value
        if number in self.exported:
            return self.exported[number]
        return self.remote_objects.find(number)

    def write_updates(self, writer: Writer) -> None:
        """Write the changes that the other process must apply first."""
        # What is written below may itself bring containers into the table.
        news = [
            s
            for s in list(self.shared.values())
            if s.known is not None and not same(s.value, s.known)
        ]
        writer.token(str(len(news)))
        for shared in news:
            writer.token(str(shared.number))
            shared.known = shared.written = content(shared.value)
            writer.put(shared.known)
        del news[:]
        # What is being read may refer to what is not needed otherwise.
        gone = () if self.reading else (*self._unused(), *self.remote_objects.dropped())
        writer.put(gone)

    def read_updates(self, reader: Reader) -> None:
        """Read and apply the changes that the other process sends first."""
        for _ in range(int(reader.next())):
            number = int(reader.next())
            items = reader.get()
            shared = self.shared.get(number)
            if shared is not None:
                before, shared.known = shared.known, None
                fill(shared.value, items)
                shared.known = content(shared.value)
                self.changed(shared, before)
        shared = None
        self.unneeded += reader.get()

    def read_whole(self, read: Callable[[], Any]) -> Any:
        """Read a message.

        To make a set of proxies, their hashes are requested, so that other messages pass while
        it is read. What these give up is forgotten when no message is left that may refer to it.
        """
        self.reading += 1
        try:
            return read()
        finally:
            self.reading -= 1
            if not self.reading:
                for number in self.unneeded:
                    self._forget(number)
                del self.unneeded[:]

    def _unused(self) -> list[int]:
        """Return the numbers of containers that only the table holds any more."""
        gone: list[int] = []
        for number, shared in list(self.shared.items()):
            if sys.getrefcount(shared.value) == _TABLE:
                gone.append(number)
                self._forget(number)
        return gone

    def _forget(self, number: int) -> None:
        shared = self.shared.pop(number, None)
        if shared is not None:
            self.places.pop(id(shared.value), None)
            return
        if number in self.exported and not isinstance(self.exported[number], type):
            self.numbers.pop(id(self.exported.pop(number)), None)


_TABLE = 2  # references: the table's own, and that of the call which counts them
