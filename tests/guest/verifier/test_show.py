"""Values as text."""

import collections
import enum
import math
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish.data.literal import parse_literal, to_source
from planish.guest.verifier.show import show, show_sides

ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False, allow_infinity=False)
    | st.text(max_size=10)
    | st.binary(max_size=10)
    | st.just(...)
)
KEYS = ATOMS | st.tuples(ATOMS, ATOMS)
SETS = st.sets(KEYS, max_size=4)
VALUES = st.recursive(
    ATOMS | SETS | SETS.map(frozenset),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(VALUES)
def test_a_plain_value_is_its_source(value: Any) -> None:
    text, plain = show(value, 1_000_000)
    assert plain
    assert text == to_source(value)
    assert parse_literal(text) == value


@pytest.mark.parametrize("real", [0.0, -0.0, 1.5, -1.5])
@pytest.mark.parametrize("imaginary", [0.0, -0.0, 2.5, -2.5])
def test_zeros_of_a_complex_number_keep_their_signs(real: float, imaginary: float) -> None:
    number = complex(real, imaginary)
    text, plain = show(number, 100)
    assert plain
    assert text == to_source(number)
    assert repr(parse_literal(text)) == repr(number)


@settings(deadline=None)
@given(VALUES, st.integers(min_value=0, max_value=60))
def test_what_does_not_fit_is_cut(value: Any, limit: int) -> None:
    text, plain = show(value, limit)
    whole = show(value, 1_000_000)[0]
    assert plain == (len(whole) <= limit)
    if plain:
        assert text == whole
    else:
        assert len(text) <= limit + 3
        assert "..." in text


class Point(NamedTuple):
    x: int
    y: int


class Color(enum.IntEnum):
    RED = 1


class Name(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return "Name!"


OF_SUBCLASSES: list[tuple[Any, str | None, str]] = [
    (Point(1, 2), "Point(x=1, y=2)", "(1, 2)"),
    (Color.RED, "<Color.RED: 1>", "1"),
    (Name("a"), "Name!", "'a'"),
    (collections.Counter("aab"), "Counter({'a': 2, 'b': 1})", "{'a': 2, 'b': 1}"),
    (collections.OrderedDict(a=[Point(1, 2)]), None, "{'a': [(1, 2)]}"),
    ([Name("b")], "[Name!]", "['b']"),
    (frozenset([Name("b")]), "frozenset({Name!})", "frozenset({'b'})"),
]


@pytest.mark.parametrize(("value", "shown", "by_base"), OF_SUBCLASSES)
def test_a_value_of_a_subclass(value: Any, shown: str | None, by_base: str) -> None:
    if shown is not None:
        assert show(value, 100) == (shown, False)
    assert show(value, 100, by_base=True) == (by_base, True)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (range(3), "range(0, 3)"),
        (complex(math.nan, 1), "(nan+1j)"),
        ([object], "[<class 'object'>]"),
    ],
)
def test_a_value_that_is_not_plain(value: Any, shown: str) -> None:
    assert show(value, 100) == (shown, False)


def test_long_integers_are_hexadecimal() -> None:
    value = 10**5_000
    assert show(value, 100_000) == (hex(value), True)
    assert show(-value, 100_000) == (hex(-value), True)
    assert show(1 << 200_000, 100) == ("<int of 200001 bits>", False)


def test_containers_that_hold_themselves_end() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    text, plain = show(loop, 10_000)
    assert not plain
    assert text.startswith("[1, [1, [1, ")
    assert text.endswith("...")


def test_a_large_container_is_not_walked() -> None:
    class Counting(list[int]):
        steps = 0

        def __iter__(self) -> Any:
            raise AssertionError("its own iterator must not be used")

    assert show(Counting([1, 2]), 100, by_base=True) == ("[1, 2]", True)
    steps = 0

    class Item:
        def __repr__(self) -> str:
            nonlocal steps
            steps += 1
            return "Item"

    show([Item() for _ in range(10_000)], 100)
    assert steps < 100


def test_a_dictionary_that_changes_meanwhile_is_shown_as_far_as_it_goes() -> None:
    mutable: dict[Any, Any] = {}

    class Evil:
        def __repr__(self) -> str:
            mutable[len(mutable)] = 1
            return "evil"

    mutable[0] = Evil()
    mutable[1] = 2
    text, plain = show(mutable, 1_000)
    assert not plain
    assert text.startswith("{0: evil")
    assert text.endswith("<dict: showing it raised RuntimeError>")


@pytest.mark.parametrize(
    ("left", "right", "where", "parts"),
    [
        ("x" * 500 + "y", "x" * 500 + "z", 480, (repr("x" * 20 + "y"), repr("x" * 20 + "z"))),
        ([0] * 300 + [5], [0] * 300, 280, (str([0] * 20 + [5]), str([0] * 20))),
        ([[1]] * 99 + [[2]], [[1]] * 99 + [[3]], 79, (str([[1]] * 20 + [[2]]), None)),
    ],
)
def test_sides_that_differ_beyond_what_is_shown(
    left: Any, right: Any, where: int, parts: tuple[str, str | None]
) -> None:
    found = show_sides(left, right, 200)
    for text, part in zip(found, parts, strict=True):
        assert text.startswith(f"... from index {where} on: ")
        assert part is None or part in text
    assert found[0] != found[1]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("ab", "ac"),
        ([1] + [0] * 300, [2] + [0] * 300),
        ([0] * 300, (0,) * 300),
        ([float("nan")] * 200, [float("nan")] * 200),
        ([object()] * 300, [object()] * 300),
    ],
)
def test_sides_whose_difference_is_shown_or_unknown(left: Any, right: Any) -> None:
    assert show_sides(left, right, 200) == (show(left, 200)[0], show(right, 200)[0])
