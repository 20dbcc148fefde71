"""Run both sides of a verification once before any is known, as a template process does.

CPython specialises a function when it has been called some twenty times, and fills caches; done
before the fork, no verdict does it again, and no page is copied for it. Tests and candidate of
this rehearsal stand below. What it changes in the modules is put back: see `_Before`.
"""

from __future__ import annotations

import builtins
import sys
from os import O_CLOEXEC, close, pipe2

from .channel import channel
from .checks import run_checks
from .evidence import Evidence
from .failure import Witness
from .guard import Module, kind_of
from .judge import Judge
from .pipe import Pipe
from .serve import Side

__import__("opcode")  # for most programs, by `serve`

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType
    from typing import Any

__all__ = ["warm_up"]

_TIMES = 4  # each makes ten calls to the candidate
_HOOK = "@rehearsal"
_NAME = "solution"
_CODE = "def same(value, *more, **named):\n    return value\n"
_TESTS = """
def check(same):
    assert same(1) == 1
    assert same(2.5, 1) == 2.5, "message"
    assert same("text", "more", key=1) == "text"
    assert same([1, 2, 3]) == [1, 2, 3]
    assert same([[1, 2.5], ["a", "b"]]) == [[1, 2.5], ["a", "b"]]
    assert same({"a": 1, "b": [2]}) == {"a": 1, "b": [2]}
    assert same((1, "a", None)) == (1, "a", None)
    assert same(True) is True and not same(None)
    assert same(list(range(20))) == list(range(20))
    for number in range(3):
        assert same(number) == number


check(same)
"""
_PLAN = {
    "mode": "checks",
    "name": _NAME,
    "candidate": "solution.py",
    "offset": 0,
    "files": [],
    "modules": [],
    "preamble": "",
    "entry": "same",
    "needs": ["same"],
    "imports": None,
    "tests": _TESTS,
    "checks": [[1, "check(same)"]],
    "inline": [],
    "skip": [],
    "used": None,
    "hook": _HOOK,
    "test_code": None,
}


def warm_up(modules: Iterable[ModuleType]) -> None:
    """Rehearse.

    Args:
        modules: The verifier's, whose state is put back.
    """
    before = _Before(modules)
    try:
        for _ in range(_TIMES):
            _rehearse()
            before.restore()
    finally:
        before.restore()


class _Before:
    """Keep what a verification changes outside its own objects.

    That is the content of the containers that the verifier's modules have as their names, the
    table of imported modules, the builtins, and the lines of `linecache`.
    """

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        places: list[Any] = [sys.modules, sys.meta_path, vars(builtins)]
        for module in modules:
            found = vars(module).values()
            places += [value for value in found if kind_of(value) in (dict, list, set)]
        lines = getattr(sys.modules.get("linecache"), "cache", None)
        self._places = [place for place in (*places, lines) if place is not None]
        self._contents = [place.copy() for place in self._places]

    def restore(self) -> None:
        """Put it back, in the same containers; those that are as they were are not touched."""
        for place, content in zip(self._places, self._contents):  # noqa: B905  # Python 3.9
            if kind_of(place) is dict:
                _restore_dict(place, content)
            elif place != content:
                place.clear()
                place.extend(content) if kind_of(place) is list else place.update(content)


def _restore_dict(place: dict[Any, Any], content: dict[Any, Any]) -> None:
    for key in place.keys() - content.keys():
        del place[key]
    for key, value in content.items():
        if place.get(key, _ABSENT) is not value:
            place[key] = value
    if list(place) != list(content):
        place.clear()
        place.update(content)


_ABSENT = object()


class _Near(Pipe):
    """The verifier's end of a pipe of which the other end is in this process too.

    Args:
        incoming, outgoing: As for `Pipe`.
        side: Answers when this end waits.
    """

    def __init__(self, incoming: int, outgoing: int, side: Side) -> None:
        super().__init__(incoming, outgoing)
        self.side = side

    def _wait(self) -> None:
        self.side.endpoint.serve_one()


def _rehearse() -> None:
    to_judge, to_candidate, records = (pipe2(O_CLOEXEC) for _ in range(3))
    try:
        put = channel(records[1], "", b"0" * 32)
        side = Side(Pipe(to_candidate[0], to_judge[1]))
        near = _Near(to_judge[0], to_candidate[1], side)
        side.endpoint.operations["load"] = _load
        judge = Judge(near, dict(_PLAN), lambda: None, Evidence(put))
        judge.load()
        run_checks(_PLAN, judge, put, Witness(put, "solution.py", "tests.py"))
        judge.packages()
    finally:
        for end in (*to_judge, *to_candidate, *records):
            close(end)


def _load(name: str, _files: Any, _shift: Any) -> Any:
    """Answer as `Side.load`, which reads a file."""
    module: Any = Module(name)
    names: dict[str, Any] = module.__dict__
    exec(_CODE, names)  # noqa: S102  # our own
    same = names["same"]
    return None, 0, ("same",), ("same",), ("same",), (("same", same),)
