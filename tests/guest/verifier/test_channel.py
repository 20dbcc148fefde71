"""Records leave as sealed JSON lines; what a class of the code says never stands in one."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish.guest.verifier.channel import Seals, channel, encode, granted

PLAIN = st.none() | st.booleans() | st.text() | st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=50, deadline=None)
@given(PLAIN | st.integers(1 - (1 << 63), (1 << 63) - 1))
def test_a_plain_fact_is_its_json(value: object) -> None:
    assert json.loads(encode(value)) == value
    assert "\n" not in encode(value)


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return '", "kind": "passed'

    __repr__ = __format__ = translate = __str__  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]


class Number(int):
    def __repr__(self) -> str:
        return "0, forged"

    __str__ = __repr__


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((math.inf, "null"), (-math.inf, "null"), (math.nan, "null"), ([1], "null")),
        *((1 << 63, "null"), (-(1 << 63), "null"), (object(), "null"), ({"a": 1}, "null")),
        *((Text('a"\n'), r'"a\"\u000a"'), (Number(7), "7"), (10**5000, "null"), (b"x", "null")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_is_null_or_its_plain_value(value: object, text: str) -> None:
    assert encode(value) == text


def lines(data: bytes, secret: bytes) -> list[Any]:
    """The records; each has the seal of its place."""
    found: list[Any] = []
    seals = Seals(secret)
    for line in data.splitlines():
        mark, _, record = line.partition(b" ")
        assert mark == seals.next(record)
        found.append(json.loads(record))
    return found


def test_records_are_sealed_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "results"
    path.write_text("what was there before")
    put = channel(None, str(path), b"secret")
    put("begin", test=1, name="\udc80 ä")
    put("passed", test=1, seconds=0.5)
    data = path.read_bytes()
    assert lines(data, b"secret") == [
        {"kind": "begin", "test": 1, "name": "\udc80 ä"},
        {"kind": "passed", "test": 1, "seconds": 0.5},
    ]
    assert b"secret" not in data
    assert path.stat().st_mode & 0o777 == 0o600
    assert Seals(b"other").next(b"{}") != Seals(b"secret").next(b"{}")


def test_a_descriptor_is_written_to_and_no_file_is_made(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    put = channel(writing, str(tmp_path / "results"), b"secret")
    put("end")
    os.close(writing)
    put("after it was closed")  # is lost, and the host sees that
    assert lines(os.read(reading, 1000), b"secret") == [{"kind": "end"}]
    assert not list(tmp_path.iterdir())
    os.close(reading)


def test_a_fork_does_not_write(tmp_path: Path) -> None:
    put = channel(None, str(tmp_path / "results"), b"secret")
    child = os.fork()
    if child == 0:
        put("passed", test=1)
        os._exit(0)
    os.waitpid(child, 0)
    assert not (tmp_path / "results").read_bytes()


@pytest.mark.parametrize(("text", "descriptor"), [("7", 7), ("", None), ("x", None), ("-1", None)])
def test_the_descriptor_is_taken_out_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, text: str, descriptor: int | None
) -> None:
    monkeypatch.setenv("PLANISH_RESULTS_FD", text)
    assert granted() == descriptor
    assert "PLANISH_RESULTS_FD" not in os.environ
    assert granted() is None
