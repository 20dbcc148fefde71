"""The hooks in a session's IPython: steps have end marks, variables are listed."""

import base64
import builtins
import json
import math
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import zmq
from ipykernel.iostream import IOPubThread
from IPython.core.autocall import ZMQExitAutocall
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

from planish.guest.e2b.steps import END, HEADER, LISTED, install


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
    """An IPython shell with the hooks of a session, and what it publishes."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], kernel: object = None
    ) -> None:
        shell_class: Any = InteractiveShell  # IPython's own annotations are incomplete
        self.shell: Any = shell_class(display_pub_class=CapturingDisplayPublisher)
        self.shell.kernel = kernel
        self.shell.push({"of_template": 1})
        monkeypatch.setattr(builtins, "get_ipython", lambda: self.shell, raising=False)
        monkeypatch.delitem(sys.modules, "planish_steps", raising=False)
        install("word", base64.b64encode(json.dumps(env).encode()).decode())

    def published(self, form: str) -> list[Any]:
        """Return what was published in this form, decoded."""
        found = [one["data"] for one in self.shell.display_pub.outputs]
        return [json.loads(data[form]) for data in found if form in data]

    def listed(self) -> dict[str, Any]:
        """Return the variables that are listed, by name."""
        sys.modules["planish_steps"].variables()
        return {one.pop("name"): one for one in self.published(LISTED)[-1]}


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    """Make a session that sets a variable of the environment."""
    monkeypatch.setenv("PLANISH_OF_THE_SESSION", "before")
    return Session(monkeypatch, {"PLANISH_OF_THE_SESSION": "set"})


def test_each_step_has_an_end_mark_with_its_exit_code(session: Session) -> None:
    assert os.environ["PLANISH_OF_THE_SESSION"] == "set"
    session.shell.run_cell("x = 1")
    assert session.published(END) == [{"word": "word"}]
    session.shell.run_cell("raise SystemExit(3)")
    assert session.published(END)[1] == {"word": "word", "exit": 3, "message": ""}


@pytest.mark.parametrize(("call", "code"), [("exit()", 0), ("exit(3)", 3), ("quit(False)", 0)])
def test_exit_of_ipython_ends_the_step_with_its_code(
    session: Session, call: str, code: int
) -> None:
    exit_class: Any = ZMQExitAutocall  # what a kernel has by these names, without annotations
    leave = exit_class(session.shell)
    session.shell.push({"exit": leave, "quit": leave})
    session.shell.run_cell(f"{call}\nafter = 1")
    assert session.published(END) == [{"word": "word", "exit": code, "message": ""}]
    assert "after" not in session.shell.user_ns


@pytest.mark.parametrize(
    "step",
    ["1", "\n\n    a = 1\n    a += 1", "\n%%capture\n1", ">>> a = 1", "In [1]: a = 1", "%time 1\n"],
)
def test_ipython_reads_a_step_as_the_same_cell_without_its_header(
    session: Session, step: str
) -> None:
    assert session.shell.transform_cell(f"{HEADER}\n{step}") == session.shell.transform_cell(step)


def test_a_message_of_an_exit_that_cannot_be_shown_is_the_type_of_its_error(
    session: Session,
) -> None:
    session.shell.push({"Bad": Bad})
    session.shell.run_cell("raise SystemExit(Bad())")
    ended = {"word": "word", "exit": 1, "message": "<KeyError>\n"}
    assert session.published(END) == [ended]


def test_forms_are_bounded_by_their_size_as_text(session: Session) -> None:
    # Bytes are sent as base64: three of them are four characters.
    fits, exceeds = bytes(6 << 20), bytes((6 << 20) + 1)
    for image in (fits, exceeds):
        session.shell.display_pub.publish({"text/plain": "an image", "image/png": image})
    shown = [sorted(one["data"]) for one in session.shell.display_pub.outputs]
    assert shown == [["image/png", "text/plain"], ["text/plain"]]


def test_only_variables_that_steps_set_are_listed(session: Session) -> None:
    session.shell.push({"_hidden": 1, "sys": sys, "b": 1, "a": 2})
    assert list(session.listed()) == ["a", "b"]
    session.shell.push({"of_template": 2})
    assert list(session.listed()) == ["a", "b", "of_template"]


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
    session.shell.push({"it": value})
    assert session.listed()["it"] == {"type": type_, "shape": shape, "preview": preview}


def test_no_message_is_lost_while_the_server_reads_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    count = 6000  # two queues of 1,000 and the buffers of a connection hold about 2,300
    with (
        zmq.Context() as context,
        context.socket(zmq.XPUB) as socket,
        context.socket(zmq.SUB) as server,
    ):
        socket.linger = server.linger = 0
        socket.bind(f"ipc://{tmp_path}/s")
        server.connect(f"ipc://{tmp_path}/s")
        server.subscribe(b"")
        socket.recv()  # the server has subscribed: it receives what is sent from now on
        thread_class: Any = IOPubThread  # ipykernel's own annotations are incomplete
        thread: Any = thread_class(socket)  # not started, it does at once what it is to do
        try:
            Session(monkeypatch, {}, SimpleNamespace(iopub_thread=thread))
            for number in range(count):
                thread.send_multipart([b"%d" % number, b"x" * 500])
            server.rcvtimeo = 2000
            received: list[int] = []
            with suppress(zmq.Again):
                while len(received) < count:
                    received.append(int(server.recv_multipart()[0]))
        finally:
            thread.io_loop.close(all_fds=True)
    assert received == [*range(count)]
