"""Hold tests, plan, nonce and results, and request the candidate's work."""

from __future__ import annotations

import builtins
import sys
from os import _exit, getpid, kill

from . import errors, link
from .guard import PRIVATE, Module, is_a, kind_of
from .namespace import Namespace
from .operations import GUARDED
from .packages import is_of_library, new_packages
from .pipe import GoneError, Pipe
from .place import home
from .proxy import number_of
from .render import far_of
from .rpc_endpoint import RpcEndpoint
from .shared import Changes
from .waiting import serve_waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .evidence import Evidence

__all__ = ["Judge"]

_ALL = {"globals", "vars", "locals", "dir", "eval", "exec", "__main__", "modules", "getattr"}


class Judge:
    """Give tests access to the candidate in the other process.

    Args:
        pipe: The way to it.
        plan: See `start`.
        flush: Writes out what was printed.
        evidence: Keeps count of what the candidate is used for.
    """

    def __init__(
        self, pipe: Pipe, plan: dict[str, Any], flush: Callable[[], None], evidence: Evidence
    ) -> None:
        self.plan = plan
        self.pipe = pipe
        self.flush = flush
        self.evidence = evidence
        self.endpoint: RpcEndpoint = RpcEndpoint(pipe, GUARDED, evidence)
        if plan["mode"] != "pytest":
            self.space: Namespace = Namespace(plan["name"])
        if plan["name"] == "__main__":
            self.offer("solution", lambda: None)
        for name in plan["modules"] if plan["mode"] != "pytest" else ():  # the deepest first
            self.offer(name, lambda: None, last=True)
        self.endpoint.remote_objects.own = plan["name"]
        named = "modules" in str(plan.get("tests"))  # as `sys.modules`
        self.changes: Changes = Changes((plan["name"], "solution"), substitutes=named)
        if plan["mode"] == "pytest" or any(case["predicate"] for case in plan.get("cases", ())):
            self.changes.watch()
        serve_waiting(self.endpoint, str(plan.get("tests")))
        self.used: tuple[str, ...] = ()
        self.there: frozenset[str] = frozenset()  # the names that the candidate has
        self.own: frozenset[str] = frozenset()  # of those, what it defines itself
        self.wanted: set[str] = set()
        self.later: bool = False
        self.sent: dict[str, Any] = {}
        self.got: dict[str, Any] = {}
        self.offered: dict[str, Any] = {}
        self.imported: set[Any] = set()
        self.endpoint.remote_objects.module_read = self.changes.watch
        self.endpoint.collect_updates = self.collect_updates
        self.endpoint.apply_updates = self.apply_updates
        self.endpoint.gone = self.follow
        errors.place[:] = [home() + "/", ("", 0)]

    def load(self) -> BaseException | None:
        """Have preamble and candidate run; return what they raised."""
        shift = (self.plan["candidate"], self.plan["offset"])
        raised, flags, used, there, own, offered = self.endpoint.ask(
            "load", self.plan["name"], self.plan["files"], shift
        )
        self.offered = dict(offered)
        if kind_of(flags) is int:  # of all that the code may claim, only this means anything here
            self.space.flags |= flags & _ANNOTATIONS
        self.used = tuple([name for name in used if name[:2] != "__"])  # the module's own
        self.there = frozenset(there)
        self.own = frozenset(own)
        return raised if isinstance(raised, BaseException) else None

    def follow(self, error: BaseException) -> None:
        """End as the candidate's process did, when it has ended or violates the protocol."""
        self.flush()
        status = error.status if isinstance(error, GoneError) else None
        if status is not None and status & 0x7F:
            import signal  # noqa: PLC0415  # it loads enum

            if status & 0x7F not in (signal.SIGKILL, signal.SIGSTOP):
                signal.signal(status & 0x7F, signal.SIG_DFL)
            kill(getpid(), status & 0x7F)
        self.stop()
        _exit(1 if status is None else (status >> 8) & 0xFF)

    def hide(self, modules: Iterable[str]) -> None:
        """Take note of modules that only the tests have: the candidate names nothing in them."""
        link.TESTS.update(modules)
        self.changes.own.update(modules)

    def watch_imports(self) -> None:
        """Watch the modules that the tests have imported since this was last called."""
        self.changes.watch()

    def at_exit(self) -> None:
        """Have the candidate's exit handlers run."""
        try:
            self.endpoint.ask("atexit")
        except BaseException:  # noqa: BLE001  # printed already, and of no interest to any test
            return

    def is_of_tests(self, error: BaseException) -> bool:
        """Tell whether an exception shows that the tests cannot run, whatever the candidate."""
        # The candidate can interrupt this process, as it has the same user.
        if far_of(error) is not None or is_a(error, (SystemExit, KeyboardInterrupt)):
            return False
        if is_a(error, ImportError):
            return not self._is_own(str(getattr(error, "name", None) or ""))
        unknown = is_a(error, NameError) and self.plan["mode"] != "pytest"
        return self.evidence.uses == 0 and not unknown

    def _is_own(self, module: str) -> bool:
        """Tell whether a module would be the candidate's, or leads to one or is within one."""
        own = (self.plan["name"], "solution", *self.plan["modules"])
        name = f"{module}."
        return any(name.startswith(f"{one}.") or one.startswith(name) for one in own)

    def packages(self) -> list[str]:
        """Name the packages that tests or candidate have imported."""
        found = {*new_packages(), *self.imported}
        plain = (name for name in found if type(name) is str and name.isidentifier())
        return sorted(plain)[:_PACKAGES]

    def stop(self) -> None:
        """End the candidate's process."""
        if self.pipe.child is not None:
            try:
                kill(self.pipe.child, 9)
            except OSError:
                return

    def want(self, names: Iterable[str], *, everything: bool = False) -> None:
        """Keep some of the candidate's names in the namespace of the tests, now and later.

        Args:
            names: The names.
            everything: And all others that come later, but for those that Python has.
        """
        wanted = self.wanted = set(names)
        self.later = everything
        # Only names that are there: others would tell the candidate what stands in the tests.
        missing = wanted & self.there - self.offered.keys()
        if missing:
            self.endpoint.ask("want", tuple(sorted(missing)))
        self._take_names([(name, self.offered[name]) for name in wanted & self.offered.keys()])

    def _import(self, names: set[str]) -> None:
        """Import what the tests use of the imports of the user's preamble."""
        source = self.plan["preamble"]
        if not source:
            return
        import _ast  # noqa: PLC0415

        tree: Any = compile(source, "preamble.py", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
        for node in tree.body:
            if not isinstance(node, (_ast.Import, _ast.ImportFrom)):
                continue
            bound = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            if bound & names:
                self.changes.watch()
                try:
                    self.space.execute(_ast.Module([node], []), "preamble.py")
                except ImportError:  # it is for the candidate to say
                    continue

    def want_for(self, names: set[str], entry: str | None, reaches_modules: bool) -> None:  # noqa: FBT001
        """Keep the names that test code uses in the namespace of the tests.

        A name of Python's own is Python's, also where the candidate has another of that name,
        unless that is what the tests test: they take it from the code, or name nothing else of it.
        """
        if "patch" in names:  # which may replace something in a class of a library
            __import__("unittest.mock")
        if reaches_modules or "patch" in names:
            self.changes.watch()
        if self.plan["name"].partition(".")[0] in names:  # attributes of the module itself
            names = names | {"__getattr__"}
        self._import(names)
        if "random" in names:
            self.changes.watch()
            self.changes.watch_seeds()
        shadows: set[str] = {name for name in names & self.own if hasattr(builtins, name)}
        imports, unclear = self.plan["imports"] or ((), ())
        if entry is not None or self.plan["needs"] or self.plan["imports"] is not None:
            shadows &= {entry or "", *imports}
        for name in sorted(shadows.intersection(unclear)):
            self.evidence.weakened(f"the tests use {name!r}, which the code has replaced")
        everything = bool(names & _ALL)
        kept = self.there if everything else names
        self.want({n for n in kept if n in shadows or n not in PRIVATE}, everything=everything)

    def offer(self, name: str, first: Callable[[], None], *, last: bool = False) -> None:
        """Let the tests import a module of the candidate's.

        Args:
            name: The module.
            first: Called before any code of the candidate's runs.
            last: Whether a module of that name that is installed here goes before it.
        """
        from .candidate_module import Finder  # noqa: PLC0415  # few tests import it

        def bring(module: str) -> Any:
            first()
            shift = (self.plan["candidate"], self.plan["offset"])
            return self.endpoint.ask("import", module, shift)

        finder: Any = Finder(name, bring)
        sys.meta_path.insert(len(sys.meta_path) if last else 0, finder)

    def collect_updates(self) -> Any:
        """Collect the tests' names that have changed and that the candidate uses."""
        changes = self.changes.news()
        if not self.used:
            return (), changes
        space = self.space.names
        news: list[tuple[str, Any]] = []
        for name in self.used:
            before = self.sent.get(name, self.got.get(name, _NEVER))
            if name in space and space[name] is not before and self._is_shared(name, space[name]):
                self.sent[name] = space[name]
                news.append((name, space[name]))
        return tuple(news), changes

    def _is_shared(self, name: str, value: Any) -> bool:
        """Tell whether the candidate, which uses a name that the tests have set, gets its value.

        It does where one process would show it: what is of a library, and what replaces a name of
        its own or is a class. All but the first can tell it what the tests expect, so that is put
        on record.
        """
        if number_of(value) is not None or is_of_library(value, self.plan["name"]):
            return True
        own = getattr(value, "__module__", None) == self.plan["name"]
        if name in self.there or (own and is_a(value, type)) or (callable(value) and not own):
            self.evidence.weakened(f"the code uses {name!r}, which the tests have set")
            return True
        return False

    def apply_updates(self, news: Any) -> None:
        """Apply the candidate's changed names, except those that the tests defined."""
        if kind_of(news) is not tuple or len(news) != 4:  # noqa: PLR2004  # there are none
            return
        names, variables, folder, packages = news
        if kind_of(packages) is tuple:
            self.imported.update(packages[:_PACKAGES])
        if variables or folder:
            what = "environment variables" if variables else "the working directory"
            # A library may load what a variable names; a relative path names another file.
            self.evidence.weakened(f"the code changed {what}, which the tests see")
            self.changes.take(variables, folder)
        if names:
            self._take_names(names)

    def _take_names(self, names: Any) -> None:
        """Put values of the candidate's into the namespace of the tests, if they want them."""
        space = self.space.names
        for name, value in names:
            got = self.got.get(name, Module)
            mine = name in space and self.evidence.has_set(name, space[name], got)
            asked = name in self.wanted or (self.later and name not in PRIVATE)
            if asked and mine and name in self.there and _data(self.sent.get(name, got)):
                self.evidence.weakened(f"the code changed {name!r}, which the tests had set")
                mine = False
            if asked and not mine:
                space[name] = self.got[name] = value
                self.evidence.derived.add(name)
                number = number_of(value)
                if number is not None:
                    link.NAMED.add(number)


def _data(value: Any) -> bool:
    """Tell whether a value is neither a module nor anything that can be called."""
    return not is_a(value, Module) and not callable(value)


_NEVER = object()
_PACKAGES = 100  # named at most
_ANNOTATIONS = 0x1000000  # the compiler's flag of `from __future__ import annotations`
