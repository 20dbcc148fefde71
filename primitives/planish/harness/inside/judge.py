"""The judge's side: it holds tests, plan, nonce and results, and asks the candidate to work."""

from __future__ import annotations

import builtins
import sys
from os import O_CLOEXEC, _exit, fork, getpid, kill, pipe2

from . import errors
from .guard import Module, is_a
from .harden import close_memory, keep_only, lose_powers
from .namespace import Namespace
from .operations import GUARDED
from .peer import Peer
from .pipe import GoneError, Pipe
from .place import HOME
from .shared import Changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType
    from typing import Any

__all__ = ["Judge", "part"]

_ALL = {"globals", "vars", "locals", "dir", "eval", "exec", "__main__", "modules", "getattr"}


def part() -> Pipe:
    """Part from the candidate: returns in the judge only.

    The process that runs the candidate knows nothing yet that it should not.
    """
    to_judge, to_candidate = pipe2(O_CLOEXEC), pipe2(O_CLOEXEC)
    child = fork()
    if child == 0:
        from .serve import serve  # noqa: PLC0415  # not in the judge

        ends = keep_only(to_candidate[0], to_judge[1])
        lose_powers()
        serve(Pipe(*ends))
    ends = keep_only(to_judge[0], to_candidate[1])
    close_memory()
    return Pipe(*ends, child)


class Judge:
    """What the ways of testing need of the candidate.

    Args:
        pipe: The way to it.
        plan: See `start`.
        flush: Writes out what was printed.
    """

    def __init__(self, pipe: Pipe, plan: dict[str, Any], flush: Callable[[], None]) -> None:
        self.plan = plan
        self.pipe = pipe
        self.flush = flush
        self.peer: Peer = Peer(pipe, GUARDED, judging=True)
        if plan["mode"] != "pytest":
            self.space: Namespace = Namespace(plan["name"])
        if plan["name"] == "__main__":
            self.offer("solution", lambda: None)
        self.peer.stand_ins.own = plan["name"]
        self.changes: Changes = Changes((plan["name"], "solution"))
        self.used: tuple[str, ...] = ()
        self.defined: frozenset[str] = frozenset()
        self.wanted: set[str] | None = set()
        self.sent: dict[str, Any] = {}
        self.got: dict[str, Any] = {}
        self.peer.tell = self.tell
        self.peer.told = self.told
        self.peer.gone = self.follow
        errors.place[:] = [HOME + "/", ("", 0)]

    def load(self) -> BaseException | None:
        """Have preamble and candidate run; what they raised."""
        shift = (self.plan["candidate"], self.plan["offset"])
        raised, flags, used, defined = self.peer.ask(
            "load", self.plan["name"], self.plan["files"], shift
        )
        self.space.flags |= flags
        self.used = tuple(used)
        self.defined = frozenset(defined)
        return raised if isinstance(raised, BaseException) else None

    def follow(self, error: BaseException) -> None:
        """The candidate's process has ended, or talks nonsense: end as it did."""
        self.flush()
        status = error.status if isinstance(error, GoneError) else None
        if status is not None and status & 0x7F:
            import signal  # noqa: PLC0415  # it loads enum

            if status & 0x7F not in (signal.SIGKILL, signal.SIGSTOP):
                signal.signal(status & 0x7F, signal.SIG_DFL)
            kill(getpid(), status & 0x7F)
        self.stop()
        _exit(1 if status is None else (status >> 8) & 0xFF)

    def at_exit(self) -> None:
        """Have the candidate's exit handlers run."""
        try:
            self.peer.ask("atexit")
        except BaseException:  # noqa: BLE001  # printed already, and of no interest to any test
            return

    def stop(self) -> None:
        """End the candidate's process."""
        if self.pipe.child is not None:
            try:
                kill(self.pipe.child, 9)
            except OSError:
                return

    def want(self, names: Iterable[str]) -> None:
        """Have these of the candidate's names in the namespace of the tests, now and later."""
        wanted = self.wanted = set(names)
        self.peer.ask("want", tuple(wanted))

    def _import(self, names: set[str]) -> None:
        """What the tests use of what the user's preamble imports is imported for them here."""
        import _ast  # noqa: PLC0415

        source = self.plan["preamble"]
        tree: Any = compile(source, "preamble.py", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
        for node in tree.body:
            if not isinstance(node, (_ast.Import, _ast.ImportFrom)):
                continue
            bound = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            if bound & names:
                try:
                    self.space.execute(_ast.Module([node], []), "preamble.py")
                except ImportError:  # it is for the candidate to say
                    continue

    def want_for(self, code: CodeType, entry: str | None) -> None:
        """Have the names that some test code uses.

        A name of Python's own is Python's, also where the candidate has another of that name,
        unless that is what the tests test: they name nothing else of the candidate's.
        """
        names = names_in(code)
        self._import(names)
        if "random" in names:
            self.changes.watch_seeds()
        if names & _ALL:
            self.wanted = None
            self.peer.ask("want", None)
            return
        shadows = {name for name in names if hasattr(builtins, name)}
        self.want(names - shadows)
        bound = names_in(code, bound=True)
        others = [name for name in self.got if name not in bound]
        if shadows and (entry in shadows or not others):
            self.want(names)

    def offer(self, name: str, first: Callable[[], None]) -> None:
        """Let the tests import a module of the candidate's."""
        from .served import Finder  # noqa: PLC0415  # few tests import it

        finder: Any = Finder(self, name, first)
        sys.meta_path.insert(0, finder)

    def tell(self) -> Any:
        """The names of the tests' that have changed and that the candidate uses."""
        changes = self.changes.news()
        if not self.used:
            return (), changes
        space = self.space.names
        news: list[tuple[str, Any]] = []
        for name in self.used:
            before = self.sent.get(name, self.got.get(name, _NEVER))
            if name in space and space[name] is not before and self._meant(name, space[name]):
                self.sent[name] = space[name]
                news.append((name, space[name]))
        return tuple(news), changes

    def _meant(self, name: str, value: Any) -> bool:
        """A name of the tests' is the candidate's too, or of a library, and so meant for it.

        What else the tests define, such as the values they expect, is none of its business.
        """
        if name in self.defined or is_a(value, Module) or is_a(value, type):
            return True
        return callable(value) and getattr(value, "__module__", None) != self.plan["name"]

    def told(self, news: Any) -> None:
        """The names of the candidate's that have changed. Those of the tests are the tests'."""
        if news is None:
            return
        space = self.space.names
        for name, value in news:
            mine = name in space and space[name] is not self.got.get(name, _NEVER)
            if (self.wanted is None or name in self.wanted) and not mine:
                space[name] = self.got[name] = value


def names_in(code: CodeType, *, bound: bool = False) -> set[str]:
    """The names that code uses, with those of the functions in it; or those it binds."""
    found = set(code.co_names) if not bound else set(code.co_varnames)
    for constant in code.co_consts:
        if type(constant) is type(code):
            found |= names_in(constant, bound=bound)
        elif type(constant) is str and not bound and constant.isidentifier():
            found.add(constant)
    return found


_NEVER = object()
