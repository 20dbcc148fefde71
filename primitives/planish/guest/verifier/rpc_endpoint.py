"""Send requests to the other process and carry out its requests."""

from __future__ import annotations

import sys
from _thread import RLock, _count, get_ident  # pyright: ignore[reportPrivateUsage]
from os import _exit, getpid
from time import monotonic

from . import errors, link
from . import untrusted_equality as notes
from .bodies import derive, unsent_attributes
from .classes import derived, mirror, redefine
from .guard import class_name, is_a, kind_of, signals
from .object_table import ObjectTable
from .pipe import GoneError
from .reader import MalformedError, Reader
from .remote_objects import RemoteObjects
from .replacements import Replacements
from .special_methods import shows_defaults
from .writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .evidence import Evidence
    from .pipe import Pipe

__all__ = ["RpcEndpoint"]


class RpcEndpoint:
    """Exchange requests and answers over one end of the pipe.

    Args:
        pipe: The way to the other.
        operations: What this side does when asked, by name.
        evidence: Where to report what the other side, the candidate, is asked for and decides;
            None on the candidate's own side.
    """

    def __init__(
        self,
        pipe: Pipe,
        operations: dict[str, Callable[..., Any]],
        evidence: Evidence | None = None,
    ) -> None:
        self.judging: bool = evidence is not None
        self.evidence = evidence
        self.pipe = pipe
        self.operations = operations
        self.remote_objects: RemoteObjects = RemoteObjects(strict=self.judging)
        self.table: ObjectTable = ObjectTable(0 if self.judging else 1, self.remote_objects)
        self.remote_objects.table = self.table
        self.replacements: Replacements = Replacements(self._replaced, self.table.numbers)
        if evidence is not None:
            link.JUDGING.append(True)
            self.table.changed = self.replacements.note_change
            self.remote_objects.derived = lambda name: self._replaced(
                f"the code derived a class from {name!r}, a class of the tests"
            )
        self.lock: Any = RLock()
        self.owner: int = getpid()
        self.busy: int = 0
        self.number: int = 0  # of requests
        self.serving: list[int] = [0]  # numbers of the other side's requests, the innermost last
        # Classes of exceptions in the last message: among its changes, and beside these.
        self.errors: tuple[list[Any], list[Any]] = ([], [])
        self.waiting: list[Any] = []  # requests that are not for the thread which has read them
        self.thread: int = get_ident()
        self.lost: BaseException | None = None
        self.collect_updates: Callable[[], Any] = lambda: None
        self.apply_updates: Callable[[Any], None] = lambda _news: None
        self.gone: Callable[[BaseException], None] = lambda _error: None
        self.streams: tuple[Any, Any] = (sys.stdout, sys.stderr)
        link.connect(
            ask=self.ask,
            claimed=self._claimed,
            derive=self._derive,
            redefine=redefine,
        )

    def ask(self, operation: str, *args: Any) -> Any:
        """Have the other side do something, and do what it asks meanwhile.

        Raises:
            BaseException: what it raised over there.
        """
        with self.lock:
            self._store(operation, args)
            self.number += 1
            number = self.serving[-1] if self.judging else self.number
            self._send("Q", (operation, args, number))
            try:
                kind, value = self._answer(number)
            except BaseException:
                if self.evidence is not None:  # it has been asked, and what it did ended this
                    self.evidence.uses += 1
                    self.evidence.calls += 1
                if self.judging and self.lost is None:  # a test's own time limit
                    self._interrupt()
                raise
            if self.evidence is not None:
                self._observe(self.evidence, kind, operation, args, value)
            if kind == "E":
                raise value
            if is_a(value, BaseException) and operation == "call" and kind_of(value) in link.BODIES:
                errors.refresh(value)
            return value

    def _store(self, operation: str, args: Any) -> None:
        """Set in the other side's objects what stand-ins have got past their classes."""
        for one in unsent_attributes(operation, args) if self.judging else ():
            self.ask("store", *one)

    def _observe(self, evidence: Evidence, kind: str, action: str, args: Any, value: Any) -> None:
        """Take note of what was asked for, and of answers that decide something by themselves."""
        if action not in _HOUSEKEEPING:
            evidence.uses += 1
            evidence.calls += action not in ("get", "own", "dir", "namespace")
        notes.note_failure(evidence, action, args)
        notes.note_catching(evidence, self.errors, action, *args[1:2])
        if kind == "A":
            notes.observe(evidence, action, args, value)
        else:
            notes.stopped(evidence, action, args, value)

    def _answer(self, number: int = 0) -> tuple[str, Any]:
        while True:
            kind, value = self._receive()
            if kind != "Q":
                return kind, value
            if self.judging or value[2] == number or get_ident() == self.thread:
                self._serve(*value)
            else:  # it is not about what this thread asks for
                self.waiting.append(value)

    def _interrupt(self) -> None:
        """Have the other side leave what it is doing."""
        from os import kill  # noqa: PLC0415

        child = self.pipe.child
        if child is None:
            return
        kill(child, signals().SIGUSR1)
        self.pipe.deadline = monotonic() + _GRACE
        self._answer()
        self.pipe.deadline = None

    def interrupted(self, _number: int, _frame: Any) -> None:
        """Leave a request that the other process has given up."""
        if self.busy:
            raise _StoppedError

    def serve(self) -> None:
        """Do what is asked, until the other side is gone."""
        while True:
            self.serve_one()

    def serve_one(self) -> None:
        """Wait for one request, and do what it asks."""
        while True:
            if _count():  # other threads, which may ask meanwhile
                self.pipe.pending(_SLICE)
            with self.lock:
                if not self.waiting and (not _count() or self.pipe.pending(0)):
                    kind, value = self._receive()
                    if kind != "Q":
                        self.lost = MalformedError("an answer to nothing")
                        self.gone(self.lost)
                        raise self.lost
                    self.waiting.append(value)
            if self.waiting:
                break
        self._serve(*self.waiting.pop(0))

    def _replaced(self, why: str) -> None:
        """Put on record what of the tests the candidate has replaced or read, if anything."""
        if why and self.evidence is not None:
            self.evidence.weakened(why)

    def _claimed(self, kind: Any) -> None:
        """Put on record that an object of the candidate's reports a library's class as its own."""
        name = f"{kind.__module__}.{class_name(kind)}"
        self._replaced(f"the tests looked at the class of an object of the code, {name!r} it said")

    def _serve(self, operation: str, args: Any, number: int) -> None:
        self.serving.append(number)
        self.busy += 1
        try:
            if self.judging and not (args and self.table.owns(args[0])):
                raise TypeError("that is not yours to ask about")
            if self.judging:
                self.replacements.note_use(operation, *args[:2])
                if operation in ("set", "delete"):
                    self.replacements.note_attribute(*args)
            if self.evidence is not None:
                notes.note_catching(self.evidence, self.errors, operation, *args[1:2])
                notes.note_request(self.evidence, operation, *args[:2])
            answer: Any = ("A", self.operations[operation](*args))
            notes.note_started(self.evidence, operation, answer[1])
            self._store(operation, args)
            link.ANSWERED[:] = [args, answer[1]]
            if self.judging and operation == "get" and shows_defaults(args[1], answer[1]):
                self._replaced("the code read defaults of a function of the tests")
            self.busy -= 1
        except BaseException as error:  # noqa: BLE001  # it is the other side's
            self.busy -= 1
            answer = ("E", error)
            notes.note_failed(self.evidence, error)
        if getpid() != self.owner:  # a fork of the program is not the program
            _exit(0)
        try:
            with self.lock:
                self._send(*answer)
        except (RecursionError, MemoryError, TypeError, ValueError, AttributeError) as error:
            self._send("E", error)
        self.serving.pop()

    def _send(self, kind: str, value: Any) -> None:
        if self.lost is not None:
            raise self.lost
        if getpid() != self.owner:
            raise RuntimeError("what belongs to the tests is out of reach in another process")
        for stream in self.streams:
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):  # there is none, or it is closed
                continue
        written = errors.prepare(self.table, value) if kind == "E" else int
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(before + _DEPTH)
        try:
            writer = Writer(self.table)
            writer.token(kind)
            self.table.write_updates(writer)
            writer.put(self.collect_updates())
            writer.put(value)
        finally:
            sys.setrecursionlimit(before)
            written()
        try:
            self.pipe.send(writer.text())
        except GoneError as error:
            self.gone(error)
            raise

    def _receive(self) -> tuple[str, Any]:
        try:
            text = self.pipe.receive()
        except (GoneError, MalformedError) as error:
            self.lost = error
            self.gone(error)
            raise
        try:
            reader = Reader(text, self.table)
            before = sys.getrecursionlimit()
            sys.setrecursionlimit(before + _DEPTH)
            try:
                kind, news, value = self.table.read_whole(lambda: self._parts(reader))
            finally:
                sys.setrecursionlimit(before)
            reader.check_message(kind, value)
        except Exception as error:
            self.lost = error
            if isinstance(error, MemoryError):
                raise
            self.gone(error)
            raise
        if kind != "Q" and not self.busy and (self.replacements.changed or self.replacements.used):
            self.replacements.note_lost()
        self.errors = reader.changes, reader.errors
        self.apply_updates(news)
        return kind, value

    def _parts(self, reader: Reader) -> tuple[str, Any, Any]:
        kind = reader.next()
        self.table.read_updates(reader)
        news = reader.get()
        reader.end_changes()
        return kind, news, reader.get()

    def _derive(self, meta: Any, name: str, bases: Any, names: dict[str, Any], opts: Any) -> Any:
        if self.evidence is None:
            return derived(name, tuple(map(mirror, bases)), names, opts)
        return derive(self.evidence, meta, name, bases, names, opts)


class _StoppedError(BaseException):
    """Signal that the result of the request is not wanted any more."""


_HOUSEKEEPING = frozenset({"load", "want", "callables", "import", "atexit", "synchronize"})
_GRACE = 1.0  # seconds for the other side to leave what it is doing
_SLICE = 0.01  # seconds between two looks whether another thread has read a request
_DEPTH = 50_000  # of nested values, beside the program's own calls
