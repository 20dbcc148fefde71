"""What lives in a session's interpreter: the end of a step is announced, variables are listed."""

import builtins
import json
import math
import os
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from planish.guest.e2b.kept import END, LISTED, install


class Frame:
    """Like a table of pandas."""

    shape = (3, 2)

    def head(self, rows: int) -> "Frame":
        assert rows == 30
        return self

    def to_string(self) -> str:
        return "a b\n" * 2000


class Bad:
    def __repr__(self) -> str:
        raise KeyError

    def __len__(self) -> int:
        raise OSError


class Session:
    """A stand-in for the shell, which a step runs in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, env: dict[str, str]) -> None:
        self.over: list[Any] = []
        self.shown: list[dict[str, str]] = []
        self.space: dict[str, Any] = {"In": [], "there": 1}
        events = SimpleNamespace(register=self._register)
        shell = SimpleNamespace(user_ns=self.space, events=events)
        monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
        monkeypatch.setattr(builtins, "display", self._display, raising=False)
        monkeypatch.delitem(sys.modules, "planish_kept", raising=False)
        install("word", env)

    def _register(self, *call: object) -> None:
        self.over.append(call)

    def _display(self, forms: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(forms)

    def listed(self) -> dict[str, Any]:
        sys.modules["planish_kept"].variables()
        return {one.pop("name"): one for one in json.loads(self.shown[-1][LISTED])}


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session with a variable of its own in the environment."""
    monkeypatch.setenv("PLANISH_OF_THE_SESSION", "before")
    return Session(monkeypatch, {"PLANISH_OF_THE_SESSION": "set"})


def test_each_step_says_when_it_is_over(session: Session) -> None:
    assert os.environ["PLANISH_OF_THE_SESSION"] == "set"
    ((event, call),) = session.over
    assert event == "post_run_cell"
    assert session.shown == []
    call("whatever the shell gives")
    assert session.shown == [{END: "word"}]


def test_only_variables_that_steps_set_are_listed(session: Session) -> None:
    session.space.update(_hidden=1, sys=sys, there=2, b=1, a=2)
    assert list(session.listed()) == ["a", "b"]


@pytest.mark.parametrize(
    ("value", "type_", "shape", "preview"),
    [
        *((7, "int", None, "7"), (math.pi, "float", None, "3.141592653589793")),
        *(("x" * 200, "str", None, "x" * 100), (b"a" * 200, "bytes", None, "b'" + "a" * 98)),
        *((bytearray(b"ab"), "bytearray", None, "b'ab'"), (int, "type", None, "<class 'int'>")),
        *(([1, 2, 3], "list", [3], "[1, 2, 3]"), ((1,), "tuple", [1], "(1)")),
        *(([1, 2, 3, 4], "list", [4], "[1, 2, 3, ... 1 more]"), ({5}, "set", [1], "{5}")),
        (dict.fromkeys(range(5), "v"), "dict", [5], "{0: 'v', 1: 'v', 2: 'v', ... 2 more}"),
        (frozenset({5}), "frozenset", [1], "{5}"),
        (["x" * 200], "list", [1], "['" + "x" * 99 + "]"),
        (range(5), "range", [5], "range(0, 5)"),
        (Frame(), "Frame", [3, 2], ("a b\n" * 2000)[:4000]),
        (Bad(), "Bad", None, "<OSError>"),
        ([Bad()], "list", None, "<KeyError>"),
        (SimpleNamespace(a="y" * 200), "SimpleNamespace", None, "namespace(a='" + "y" * 87),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_variable_is_described_in_short(
    session: Session, value: object, type_: str, shape: list[int] | None, preview: str
) -> None:
    session.space["it"] = value
    assert session.listed()["it"] == {"type": type_, "shape": shape, "preview": preview}
