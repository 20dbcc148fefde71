"""Load and run the candidate in its own process, which holds no tests or secrets."""

from __future__ import annotations

import builtins
import sys
from os import _exit

from . import errors, link
from .guard import signals
from .namespace import Namespace
from .operations import OPEN
from .packages import new_packages
from .pipe import STACK_SIGNAL, GoneError, Pipe
from .place import home, lay_out_files, new_folder
from .reader import MalformedError
from .rpc_endpoint import RpcEndpoint
from .shared import change, variables
from .waiting import repeating

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

__all__ = ["Side", "serve"]

_FRAMES = 4  # of the verifier, between `serve` and the candidate's own
_FEW = 16  # functions
_SPECIAL = ("__file__", "__getattr__")  # names of a module that tests may use
_FUNCTION = type(lambda: None)
_BY_TEXT = {
    *("eval", "exec", "globals", "vars", "__dict__", "__globals__", "modules", "solution"),
    *("__import__", "import_module", "__main__"),
}
"""Names by which code reaches others that it does not name."""


def serve(pipe: Pipe) -> None:
    """Do what the judge asks, to the end; does not return."""
    try:
        _write_stack_on_signal(pipe)
        side = Side(pipe)
        signals().signal(signals().SIGUSR1, side.endpoint.interrupted)
        # Its recursion gets all that is usual, and no more: tests may expect it to be too deep.
        sys.setrecursionlimit(sys.getrecursionlimit() + _depth() + _FRAMES)
        side.endpoint.serve()
    except GoneError:
        _exit(0)
    except MalformedError:
        _exit(1)
    finally:
        _exit(1)


def _write_stack_on_signal(pipe: Pipe) -> None:
    """Have this process write its stack to the pipe when its time is over and it gets a signal."""
    try:
        import faulthandler  # noqa: PLC0415  # some builds of Python lack it

        faulthandler.register(STACK_SIGNAL, pipe.outgoing, all_threads=True)
    except (ImportError, AttributeError, OSError, ValueError, RuntimeError):
        return


class Side:
    """Carry out what the verifier may request beside operations on objects."""

    def __init__(self, pipe: Pipe) -> None:
        self.space: Namespace
        self.wanted: tuple[str, ...] = ()
        self.known: frozenset[str] = frozenset()  # names that the tests' side knows to be there
        self.sent: dict[str, Any] = {}
        self.laid_out: bool = False  # the candidate's other files
        own: dict[str, Callable[..., Any]] = {
            "load": self.load,
            "want": self.want,
            "callables": self.callables,
            "import": self.bring,
            "atexit": _at_exit,
            "start": _start,
            "poll": _poll,
            "synchronize": lambda: None,
        }
        self.endpoint: RpcEndpoint = RpcEndpoint(pipe, {**OPEN, **own})
        link.connect(ask=repeating(self.endpoint.ask))
        self.endpoint.collect_updates = self.collect_all_updates
        self.endpoint.apply_updates = self.apply_updates

    def load(self, name: str, files: Any, shift: Any) -> Any:
        """Run preamble and candidate.

        Returns:
            What they raised; the flags of their future imports; the names they use; the names
            that are there; of those, what they define themselves; and the functions among these.
            The tests need a function or two in most cases, so that they are given unasked.
        """
        errors.place[:] = [home() + "/", shift]
        if home() not in sys.path:
            sys.path.insert(0, home())
        self.laid_out = True
        lay_out_files()
        self.endpoint.remote_objects.own = ""
        self.space = Namespace(name)
        raised = None
        used: set[str] = set()
        try:
            for file in files:
                with open(file, encoding="utf-8") as text:  # noqa: PTH123  # slow to load
                    source = text.read()
                self.space.run(source, file)
                used |= _names_later(self.space.code)
        except BaseException as error:  # noqa: BLE001  # a candidate may raise what it likes
            raised = error
        space = self.space.names
        there = [n for n in space if type(n) is str and (n[:2] != "__" or n in _SPECIAL)]
        own = [n for n in there if getattr(space[n], "__module__", None) == name]
        self.known = frozenset(space)
        functions = {n: space[n] for n in own if type(space[n]) is _FUNCTION}
        if len(functions) > _FEW:
            functions.clear()
        self.sent = functions
        self.wanted = tuple(functions)
        offered = tuple(functions.items())
        return raised, self.space.flags, tuple(used), tuple(there), tuple(own), offered

    def want(self, names: Any) -> None:
        """Send the values of these names, all of which are there, now and when they change."""
        self.wanted += tuple(name for name in names if name not in self.wanted)

    def callables(self) -> Any:
        """Return the public names that can be called."""
        items = self.space.names.items()
        return tuple([n for n, value in items if not n.startswith("_") and callable(value)])

    def collect_all_updates(self) -> Any:
        """Return what has changed of names, environment and working directory, and new packages."""
        news = self.collect_updates(), variables(), new_folder(), new_packages() or None
        return None if news == (None, None, None, None) else news

    def collect_updates(self) -> Any:
        """Return the candidate's names that have changed, and those that were not there before."""
        space, sent = self.space.names if self.known else {}, self.sent
        wanted = self.wanted
        if len(space) != len(self.known):
            # All new ones: what the tests are going to ask for is not known on this side.
            wanted += tuple(n for n in space if n not in self.known and type(n) is str)
            self.known = frozenset(space)
        news = {n: space[n] for n in wanted if n in space and space[n] is not sent.get(n, sent)}
        sent.update(news)
        return tuple(news.items()) or None

    def apply_updates(self, news: Any) -> None:
        """Apply the tests' changed names that the candidate uses."""
        names, changes = news
        for name, value in names:
            self.space.names[name] = self.sent[name] = value
        if changes is not None:
            change(changes)

    def bring(self, name: str, shift: Any) -> Any:
        """Import a module of the candidate's."""
        errors.place[:] = [home() + "/", shift]
        if home() not in sys.path:
            sys.path.insert(0, home())
        if not self.laid_out:
            self.laid_out = True
            lay_out_files()
        __import__(name)
        return sys.modules[name]


def _depth() -> int:
    """Count the frames below the caller's, its own, and the calls of `exec` between them.

    Before Python 3.12 these count as recursion. In a warm worker one of them runs the program.
    """
    frame: Any = sys._getframe(1)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    depth = 0
    while frame is not None:
        in_exec = frame.f_code.co_name == "<module>" and frame.f_back is not None
        depth += 1 + (in_exec and sys.version_info < (3, 12))
        frame = frame.f_back
    return depth


def _names_later(code: CodeType) -> set[str]:
    """Return the global names that a module's code uses after it has been run, in its functions."""
    inner = [constant for constant in code.co_consts if type(constant) is type(code)]
    found = {name for one in inner for name in _names(one)}
    if found & _BY_TEXT:
        return found | set(code.co_names)
    known = vars(builtins)  # looked up one by one: a set of them would copy 40 pages of memory
    if all(name in known for name in found.difference(code.co_names)):
        return found  # none is of an attribute alone
    return {name for one in inner for name in _global_names(one)}


def _names(code: CodeType) -> set[str]:
    """Return the names that code uses, with those of the functions in it."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if type(constant) is type(code):
            found |= _names(constant)
    return found


def _global_names(code: CodeType) -> set[str]:
    """Return the names that code may use of its module's, with those of the functions in it.

    Others are of attributes: a name of the tests that is the same means something else.
    """
    from opcode import opmap  # noqa: PLC0415  # small programs do without

    steps, found = code.co_code, set[str]()
    for title in _GLOBALS:
        operation = opmap.get(title, 0)
        shift = title == "LOAD_GLOBAL" and sys.version_info >= (3, 11)
        at = steps.find(operation)
        while operation and at >= 0:
            if at % 2 == 0:
                number, extension = steps[at + 1], at - 2
                while extension >= 0 and steps[extension] == opmap["EXTENDED_ARG"]:
                    number += steps[extension + 1] << 4 * (at - extension)
                    extension -= 2
                found.add(code.co_names[number >> shift])
            at = steps.find(operation, at + 1)
    for constant in code.co_consts:
        if type(constant) is type(code):
            found |= _global_names(constant)
    return found


_GLOBALS = (
    *("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"),
    *("STORE_GLOBAL", "DELETE_GLOBAL"),
)
"""Instructions that use a global name."""


def _at_exit() -> None:
    import atexit  # noqa: PLC0415

    # What the interpreter calls at its end.
    atexit._run_exitfuncs()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def _start(value: Any) -> Any:
    from .coroutines import start  # noqa: PLC0415

    return start(value)


def _poll(task: Any, order: str) -> Any:
    from .coroutines import poll  # noqa: PLC0415

    return poll(task, order)
