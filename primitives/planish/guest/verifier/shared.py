"""Repeat in the candidate's process what tests change in modules that both processes have.

A test double for `builtins.input` or `time.sleep`, a `sys.stdout` that keeps what is printed, a
seed, an environment variable: the candidate's process has its own of all these.
"""

from __future__ import annotations

import os
import sys

from . import link
from .guard import Module, is_a
from .place import new_folder
from .proxy import number_of
from .substitutes import GONE, Substitutes, change_name, is_made, owner_of, substitute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

__all__ = ["Changes", "change", "variables"]

_OWN = ("_pytest", "pytest", "pluggy", "unittest")
_DOUBLES = ("unittest.mock", "_pytest.monkeypatch")
_vars: Any = vars
_patched: dict[tuple[str, str], Any] = {}
"""What was there before, by module and name."""
_dirty: dict[tuple[str, str], None] = {}
_seeded: list[bool] = []
_bound: dict[tuple[str, str], Callable[[Any], None]] = {}
"""What is to be done with a module that is imported later, by its package and name."""


class _Watched(Module):  # type: ignore[misc]
    """Record what is set in a module from outside."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "__class__":
            Module.__setattr__(self, name, value)
            return
        # A module that is made of the class of one that is watched is no import of any process.
        shared = sys.modules.get(self.__name__) is self
        key = (self.__name__, name)
        bound = key not in _patched and sys.modules.get(".".join(key)) is value  # by an import
        if shared and name.isidentifier() and name[0] != "_" and not bound:
            _patched.setdefault(key, vars(self).get(name, GONE))
            _dirty[key] = None
        Module.__setattr__(self, name, value)
        if bound and key in _bound:
            _bound[key](value)

    def __delattr__(self, name: str) -> None:
        if sys.modules.get(self.__name__) is self:
            key = (self.__name__, name)
            _patched.setdefault(key, vars(self).get(name, GONE))
            _dirty[key] = None
        Module.__delattr__(self, name)


class Changes:
    """Collect the changes that the verifier sends to the candidate's process.

    Args:
        own: The modules that are the candidate's, and its environment at the start.
        substitutes: Whether the tests may put modules of their own into `sys.modules`.
    """

    def __init__(self, own: Iterable[str], *, substitutes: bool = False) -> None:
        self.own: set[str] = {*own, "__main__"}
        self.substitutes: Substitutes | None = Substitutes(self.own) if substitutes else None
        self.modules: int = -1  # how many are watched; -1: tests that reach none change none
        self.folder: str = ""
        self.calls: list[Any] = []
        self.environment: dict[bytes, bytes] = {}
        self.seeds: bool = False
        self.arrays: bool = False

    def watch(self) -> None:
        """Watch modules from now on, because the tests have a way to reach one.

        Another call takes in those that have been loaded since.
        """
        if self.modules < 0:
            self.modules = 0
            self.folder = os.getcwd()  # noqa: PTH109  # pathlib costs 10 ms
            self.environment = dict(_environment())
            self._watch()
        elif len(sys.modules) != self.modules:
            self._watch()

    def watch_seeds(self) -> None:
        """Watch the functions that seed `random`, because the tests name it."""
        import random  # noqa: PLC0415

        for name in ("seed", "setstate"):
            random.__dict__[name] = _noting(getattr(random, name))
        self.seeds = True

    def _watch_numpy(self, module: Any) -> None:
        """Watch the function that seeds NumPy, also where `np.random` has just imported it."""
        if self.arrays:
            return
        self.arrays = True
        seed = module.seed

        def seeded(*args: Any, **kwargs: Any) -> Any:
            self.calls.append(("numpy.random", "seed", args, kwargs))
            return seed(*args, **kwargs)

        vars(module)["seed"] = seeded

    def _watch_classes(self, module: Any) -> None:
        """Record what a library of test doubles sets in classes of other libraries."""

        def set_part(owner: Any, name: str, value: Any) -> None:
            before = self._part(owner, name)
            setattr(owner, name, value)
            self._note(owner, name, before)

        def delete_part(owner: Any, name: str) -> None:
            before = self._part(owner, name)
            delattr(owner, name)
            self._note(owner, name, before)

        _vars(module).update(setattr=set_part, delattr=delete_part)

    def _part(self, owner: Any, name: str) -> Any:
        return _vars(owner).get(name, GONE) if is_a(owner, type) else GONE

    def _note(self, owner: Any, name: str, before: Any) -> None:
        if not is_a(owner, type) or number_of(owner) is not None:
            return
        module, title = owner.__module__, owner.__qualname__
        found = vars(sys.modules[module]).get(title) if module in sys.modules else None
        if found is owner and module not in self.own and not module.startswith(_OWN):
            key = (module, f"{title}.{name}")
            _patched.setdefault(key, before)
            _dirty[key] = None

    def take(self, news: Any, folder: Any) -> None:
        """Show the tests what the candidate has set in its environment, and its working directory.

        They see it in `os.environ`; what the judge itself and its children are started with and
        look for is left alone.
        """
        if type(folder) is str:
            try:
                os.chdir(folder)
                self.folder = folder
            except (OSError, ValueError):  # not here, or not to be seen from here
                pass
        for key, text in news or ():
            if type(key) is not bytes or key.startswith(_KEPT) or not key:
                continue
            if text is None:
                _environment().pop(key, None)
            elif type(text) is bytes:
                _environment()[key] = text
        self.environment = dict(_environment())

    def news(self) -> Any:
        """Return changed names in modules, environment variables and the state of `random`."""
        if self.modules < 0:
            return None
        if len(sys.modules) != self.modules:
            self._watch()
        names = [self._name(*key) for key in _dirty]
        _dirty.clear()
        now = _environment()
        variables = []
        if now != self.environment:
            changed = {*now.items()} ^ {*self.environment.items()}
            variables = [(key, now.get(key)) for key in {key for key, _ in changed}]
            self.environment = dict(now)
        state = None
        if _seeded:
            import random  # noqa: PLC0415

            state = random.getstate()
            _seeded.clear()
        calls = self._called()
        modules = () if self.substitutes is None else self.substitutes.news()
        if not names and not variables and not state and not calls and not modules:
            return None
        return tuple(names), tuple(variables), state, calls, modules

    def _called(self) -> Any:
        """Return the calls that the candidate's process has to make, such as `os.chdir`."""
        try:
            folder = os.getcwd()  # noqa: PTH109
        except OSError:  # it was removed
            folder = self.folder
        if folder != self.folder:
            self.folder = folder
            self.calls.append(("os", "chdir", (folder,), {}))
        calls = tuple(self.calls)
        del self.calls[:]
        return calls

    def _watch(self) -> None:
        if "random" in sys.modules and not self.seeds:
            self.watch_seeds()
        _bound["numpy", "random"] = self._watch_numpy
        if "numpy.random" in sys.modules:
            self._watch_numpy(sys.modules["numpy.random"])
        for name in _DOUBLES:
            if name in sys.modules and "setattr" not in vars(sys.modules[name]):
                self._watch_classes(sys.modules[name])
        for name, module in list(sys.modules.items()):
            watched = type(module) is Module and not name.startswith(_OWN) and name not in self.own
            if watched and (self.substitutes is None or not is_made(module)):
                module.__class__ = _Watched
        self.modules = len(sys.modules)

    def _name(self, module: str, name: str) -> Any:
        owner, part = owner_of(module, name)
        value = _vars(owner).get(part, GONE)
        original, gone = value is _patched[module, name], value is GONE
        link.note_stream(module, name, value)
        return module, name, original, gone, None if original or gone else value


def _noting(function: Any) -> Any:
    def seeded(*args: Any, **kwargs: Any) -> Any:
        _seeded.append(True)
        return function(*args, **kwargs)

    seeded.__name__ = function.__name__
    return seeded


def _environment() -> Any:
    return vars(os.environ)["_data"]


def change(news: Any) -> None:
    """Make the same changes on the candidate's side."""
    names, variables, state, calls, modules = news
    substitute(modules)
    for one in names:
        change_name(*one)
    for key, text in variables:
        if text is None:
            os.environ.pop(os.fsdecode(key), None)
        else:
            os.environ[os.fsdecode(key)] = os.fsdecode(text)
    if state is not None:
        import random  # noqa: PLC0415

        random.setstate(state)
    for place, name, args, kwargs in calls:
        try:
            getattr(__import__(place, None, None, ["*"]), name)(*args, **kwargs)
        except (ImportError, OSError):  # not here, or not to be seen from here
            continue
    if variables:
        _told[:] = [dict(_environment())]
    if any(name == "chdir" for _, name, _, _ in calls):
        new_folder()


_told: list[dict[bytes, bytes]] = []
"""The candidate's environment, as far as the tests know it."""
_KEPT = (b"PYTHON", b"PYTEST", b"LD_", b"PATH")


def variables() -> Any:
    """Return what the candidate has changed in its environment since the last call."""
    now = _environment()
    if not _told:
        _told.append(dict(now))
    if now == _told[0]:
        return None
    keys = {key for key, _ in {*now.items()} ^ {*_told[0].items()}}
    _told[0] = dict(now)
    return tuple((key, now.get(key)) for key in keys)
