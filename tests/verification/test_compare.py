"""Values of cases: NaN, tolerance, lists and tuples, on the host and in the sandbox."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planish.data.execution import Execution
from planish.data.tests import Case, Cases, Tolerance
from planish.guest.verifier.compare import Rules, difference
from planish.guest.verifier.guard import kind_of

Run = Callable[..., Execution]
NAN = float("nan")
WRAPS: list[Callable[[Any], Any]] = [lambda x: x, lambda x: [1, {"a": (x,)}], lambda x: {x}]
FLOATS = st.floats(allow_nan=True, allow_infinity=True)
HASHABLE = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(max_size=4),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
PLAIN: st.SearchStrategy[Any] = st.recursive(
    HASHABLE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.sets(HASHABLE, max_size=3)
    ),
    max_leaves=8,
)


def copied(value: Any, *, swapped: bool = False) -> Any:
    """Make a copy with NaN objects of its own, and tuples for lists where asked."""
    kind = make = kind_of(value)
    if kind is float:
        return float(repr(value))
    if kind is dict:
        return {copied(k): copied(v, swapped=swapped) for k, v in value.items()}
    if kind in (set, frozenset):
        return make(copied(item) for item in value)
    if kind in (list, tuple):
        if swapped:
            make = {list: tuple, tuple: list}[kind]
        return make(copied(item, swapped=swapped) for item in value)
    return value


@given(PLAIN)
def test_a_copy_of_a_value_is_equal_to_it(value: Any) -> None:
    assert difference(copied(value), value, Rules()) is None


@given(PLAIN)
def test_any_sequence_takes_lists_for_tuples_and_tuples_for_lists(value: Any) -> None:
    assert difference(copied(value, swapped=True), value, Rules(any_sequence=True)) is None


@given(PLAIN, PLAIN)
def test_without_nan_and_options_it_is_the_equality_of_python(one: Any, other: Any) -> None:
    if "nan" not in repr((one, other)):
        assert (difference(one, other, Rules()) is None) == (one == other)


@given(PLAIN, PLAIN, st.floats(0, 1), st.floats(0, 1))
def test_a_tolerance_only_adds_to_what_is_equal(
    one: Any, other: Any, absolute: float, relative: float
) -> None:
    if difference(one, other, Rules()) is None:
        assert difference(one, other, Rules(absolute, relative)) is None


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e9, 1e9),
    st.floats(0, 1e9),
    st.floats(0, 1),
)
def test_numbers_within_the_tolerance_are_equal_at_any_depth(
    got: float, expected: float, absolute: float, relative: float
) -> None:
    rules = Rules(absolute, relative)
    right = abs(got - expected) <= max(absolute, relative * abs(expected))
    for wrap in WRAPS:
        assert (difference(wrap(got), wrap(expected), rules) is None) == (right or got == expected)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (math.inf, 1e308),
        (1e308, math.inf),
        (-math.inf, math.inf),
        (NAN, 1.0),
        (1.0, NAN),
        (10**400, 1.0),
        (1.0, 10**400),
        (True, 0.9),
        (0, True),
        ("1", 1),
        ({1.0, 2.0}, {1.0, 5.0}),
        ({"a"}, {1.0}),
    ],
)
def test_a_tolerance_has_its_bounds(got: Any, expected: Any) -> None:
    assert difference(got, expected, Rules(0.5, 0.5)) is not None


@pytest.mark.parametrize(
    ("got", "expected", "reason"),
    [
        (0.1 + 0.2, 0.3, "differs by 6e-17: give a tolerance"),
        ([1, (0.1 + 0.2,)], [1, (0.3,)], "at [1][0]: differs by 6e-17: give a tolerance"),
        ({"a": 0.30000001}, {"a": 0.3}, "at ['a']: differs by 1e-08: give a tolerance"),
        ((1, 2), [1, 2], "tuple instead of list: sequences='any' takes either"),
        (
            [[1], (1, 2)],
            [[1], [1, 2]],
            "at [1]: tuple instead of list: sequences='any' takes either",
        ),
        ((1, 3), [1, 2], "tuple instead of list"),
        ([1, 2], (1, 2), "list instead of tuple: sequences='any' takes either"),
        ([1], [1, 2], "1 items instead of 2"),
        ({"a": 1}, {"b": 1}, "no key 'b'"),
        (4, 5, ""),
        (0.5, 0.3, ""),
        (10**7, 1e7 + 1, "differs by 1: give a tolerance"),
        (10**7, 10**7 + 1, ""),  # integers are not rounded
    ],
)
def test_the_reason_names_place_and_difference(got: Any, expected: Any, reason: str) -> None:
    assert difference(got, expected, Rules()) == reason


def test_the_reason_names_the_tolerance_that_was_given() -> None:
    reason = difference(1.1, 1.0, Rules(0.01))
    assert reason == "differs by 0.1, more than the tolerance of 0.01"


def test_options_of_the_table_and_of_a_case(run: Run) -> None:
    cases = Cases.of(
        [
            (0, [0.3]),
            Case(0, [0.3], tolerance=0),
            Case(1, [0.3], tolerance=Tolerance(absolute=0.5)),
            (1, [0.3]),
        ],
        tolerance=1e-9,
        sequences="any",
    )
    code = "def f(n):\n    return (0.1 + 0.2 + 0.4 * n,)\n"
    result = run(code, tests=cases, entry_point="f")
    assert [test.status for test in result.tests] == ["passed", "failed", "passed", "failed"]
    assert result.tests[1].message == "at [0]: differs by 6e-17: give a tolerance"
    assert result.tests[3].message == "at [0]: differs by 0.4, more than the tolerance of 1e-09"
    assert result.failure is not None
    assert "differs by 6e-17" in result.failure.message


def test_a_value_that_does_not_travel_whole_is_compared_by_the_same_rules(run: Run) -> None:
    code = """
class Odd:
    def __eq__(self, other): return other == 1
    def __hash__(self): return 1
def f(n):
    return {"a": (Odd(), 0.1 + 0.2, float("nan"))}
"""
    expected = {"a": [1, 0.3, NAN]}
    result = run(
        code,
        tests=Cases.of([Case(0, expected, tolerance=1e-9)], sequences="any"),
        entry_point="f",
    )
    assert [test.status for test in result.tests] == ["passed"]
    exact = run(code, tests=Cases.of([(0, expected), (0, {"a": (1, 0.3, NAN)})]), entry_point="f")
    assert [test.message for test in exact.tests] == [
        "at ['a']: tuple instead of list",
        "at ['a'][1]: differs by 6e-17: give a tolerance",
    ]
