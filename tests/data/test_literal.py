"""Values as source text and back."""

import math
import subprocess
import sys
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planish.data.literal import parse_literal, to_source

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
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    back = parse_literal(to_source(value))
    assert back == value
    assert type(back) is type(value)
    assert to_source(back) == to_source(value)  # with the sign of each zero


@pytest.mark.parametrize(
    ("value", "source"),
    [
        (math.inf, "float('inf')"),
        (-math.inf, "float('-inf')"),
        (-0.0, "-0.0"),
        (1 + 2j, "(1+2j)"),
        (complex(0.0, -1.0), "complex(0.0, -1.0)"),  # not -1j, whose real part is -0.0
        (..., "..."),
        ((1,), "(1,)"),
        ((), "()"),
        (set[int](), "set()"),
        ({"b", "a"}, "{'a', 'b'}"),
        (frozenset({2, 1}), "frozenset({1, 2})"),
        ({1: {2: ()}}, "{1: {2: ()}}"),
    ],
)
def test_the_source_is_what_one_would_write(value: Any, source: str) -> None:
    assert to_source(value) == source
    assert parse_literal(source) == value


def test_long_integers_are_hexadecimal() -> None:
    # CPython refuses to write them in decimals.
    for value in (2**20_000, -(3**20_000)):
        assert to_source(value) == hex(value)
        assert parse_literal(hex(value)) == value


def test_nan_comes_back_as_nan() -> None:
    assert math.isnan(parse_literal(to_source(math.nan)))


def test_the_source_of_a_set_is_the_same_in_every_process() -> None:
    code = (
        "from planish.data.literal import to_source\n"
        "print(to_source({'a', 'b', 'c', ('d', 1), frozenset({'e', 'f'})}))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1


@pytest.mark.parametrize("value", [object(), range(3), [1, {2: bytearray()}], complex(math.nan, 0)])
def test_what_is_not_plain_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="not a plain value"):
        to_source(value)


def test_what_is_nested_too_deeply_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        to_source(deep)


@pytest.mark.parametrize(
    "text",
    [
        *("f(1)", "x", "1 +", "", "open('x')", "set(x)", "float(x=1)", "__import__('os')"),
        *("{[]}", "{**{}}", "[*[]]", "'a'.upper()", "f'{1}'", "lambda: 1", "1\0", "(" * 300),
        *("[" * 5_000 + "]" * 5_000, "-" * 50_000 + "1", "float('x')", "set(5)", "1 if 1 else 2"),
    ],
)
def test_text_that_is_no_value_is_refused_and_nothing_runs(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_literal(text)


@settings(deadline=None)
@given(st.text(alphabet="[]{}(),:'\"\\1a.-+ex \n", max_size=40))
def test_any_text_is_a_value_or_a_value_error(text: str) -> None:
    try:
        parse_literal(text)
    except ValueError:
        return


def test_reading_a_value_warns_of_nothing() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert parse_literal(r"'\d'") == "\\d"
    assert seen == []
