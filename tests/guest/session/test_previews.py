"""A variable in short: what it is, how large, and its beginning."""

from types import SimpleNamespace
from typing import Any

import pytest

from planish.guest.session.previews import described, preview


class Bad:
    def __repr__(self) -> str:
        raise KeyError


class Shaped:
    shape = (3, 1 << 70)


class BadShape:
    @property
    def shape(self) -> Any:
        raise SystemExit


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((7, "7"), (None, "None"), ("a'b", '"a\'b"'), ("x" * 100, repr("x" * 100))),
        *(("x" * 103, repr("x" * 100) + " … 3 more"), (b"y" * 101, repr(b"y" * 100) + " … 1 more")),
        *((bytearray(b"ab"), "bytearray(b'ab')"), ([], "[]"), ((), "()"), ({}, "{}")),
        *((set[int](), "set()"), (frozenset[int](), "frozenset()"), ({5}, "{5}"), ((1,), "(1,)")),
        *(([1, 2, 3], "[1, 2, 3]"), ([1, 2, 3, 4], "[1, 2, 3, … 1 more]"), ((1, 2), "(1, 2)")),
        *((frozenset({5}), "{5}"), ({"a": [1]}, "{'a': [1]}")),
        ({n: str(n) for n in range(6)}, "{0: '0', 1: '1', 2: '2', … 3 more}"),
        ([[[[1]]]], "[[[<list of 1>]]]"),
        (["x" * 101], "['" + "x" * 100 + "' … 1 more]"),
        (SimpleNamespace(a="y" * 300), "namespace(a='" + "y" * 187 + " … 115 more characters"),
        (Bad(), "<Bad: its repr raised KeyError>"),
        ([Bad()], "<list: its repr raised KeyError>"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_shown_up_to_its_limits(value: object, text: str) -> None:
    assert preview(value) == text


def test_all_of_it_is_bounded() -> None:
    text = preview([["x" * 90 + str(n) for n in range(40)]] * 2, items=100)
    assert len(text) < 4100
    assert text[4000:].startswith(" … ")
    assert text.endswith(" more characters")


def test_limits_can_be_given() -> None:
    assert preview([1, 2, 3], items=1) == "[1, … 2 more]"
    assert preview("abc", chars=2) == "'ab' … 1 more"
    assert preview(SimpleNamespace(a="y" * 300), chars=290).endswith(" … 25 more characters")


def test_of_a_table_the_first_rows_are_shown() -> None:
    pd = pytest.importorskip("pandas")
    assert preview(pd.DataFrame({"a": [1, 2]})) == "   a\n0  1\n1  2"
    assert preview(pd.DataFrame({"a": [1, 2, 3]}), rows=1) == "   a\n0  1\n… 2 more rows"
    assert preview(pd.Series([5, 6, 7]), rows=2) == "0    5\n1    6\n… 1 more rows"
    wide = preview(pd.DataFrame({"a": ["x" * 500]}))
    assert 100 < len(wide) < 250


@pytest.mark.parametrize(
    ("value", "kind", "shape"),
    [
        *(([1, 2], "list", [2]), ((1,), "tuple", [1]), ({1}, "set", [1]), ({}, "dict", [0])),
        *(("abc", "str", [3]), (b"a", "bytes", [1]), (frozenset({1}), "frozenset", [1])),
        *((7, "int", None), (range(3), "range", None), (Shaped(), "Shaped", [3, 1 << 63])),
        (BadShape(), "BadShape", None),
        (SimpleNamespace(shape=(1,) * 70), "SimpleNamespace", [1] * 64),
        (SimpleNamespace(shape=[1, 2]), "SimpleNamespace", None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_variable_is_described(value: object, kind: str, shape: list[int] | None) -> None:
    found = described("n" * 200, value)
    assert (found["name"], found["type"], found["shape"]) == ("n" * 100, kind, shape)
    assert found["preview"] == preview(value)
    assert set(found) == {"name", "type", "shape", "preview"}
    assert described("a", type("T" * 200, (), {})())["type"] == "T" * 100
