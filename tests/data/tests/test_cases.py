"""Tests as tables: cases, and their tolerances."""

import warnings
from typing import Any

import pytest

from planish.data.tests import Case, Cases, StdioPairs, Tolerance
from planish.errors import TaskError


def test_a_predicate_warns_of_nothing() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        Case(1, predicate="result is 'x' or '\\d'")
    assert seen == []


@pytest.mark.parametrize("predicate", ["result >", "x = 1", "result) or (True", "-" * 20_000 + "1"])
def test_a_predicate_is_an_expression(predicate: str) -> None:
    with pytest.raises(TaskError, match="is not a Python expression"):
        Case(1, predicate=predicate)


@pytest.mark.parametrize(
    "wrong",
    [
        {"args": 1},
        {"args": 1, "expected": 2, "predicate": "result"},
        {"args": object(), "expected": 1},
        {"args": 1, "expected": [object()]},
        {"args": 1, "expected": 1, "kwargs": {"x": range(3)}},
    ],
)
def test_a_case_holds_plain_values_and_one_way_to_judge(wrong: dict[str, Any]) -> None:
    with pytest.raises(TaskError):
        Case(**wrong)


def test_a_case_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(TaskError, match="holds itself, or is nested too deeply"):
        Case(1, [loop])


@pytest.mark.parametrize(
    ("case", "title"),
    [
        (Case((2, 3), 5), "add(2, 3)"),
        (Case([1], 1, kwargs={"key": "x"}), "add([1], key='x')"),
        (Case(1, 1, name="one"), "one"),
        (Case({"b", "a", "c"}, 1), "add({'a', 'b', 'c'})"),
        (Case("x" * 500, 1), "add('" + "x" * 112 + "..."),
        (Case(10**5_000, 1), None),
    ],
)
def test_the_title_of_a_case_is_the_call(case: Case, title: str | None) -> None:
    if title is not None:
        assert case.title("add") == title
    assert len(case.title("add")) <= 120


def test_cases_travel_as_json() -> None:
    cases = Cases.of(
        [
            ((1, (2.5, None)), {"a": {1, 2}, b"\x00": [...]}),
            Case(float("inf"), predicate="result > 1", kwargs={"k": frozenset("a")}),
        ]
    )
    assert Cases.from_json(cases.to_json()) == cases


@pytest.mark.parametrize("wrong", [-1.0, float("inf"), float("nan"), True])
def test_a_tolerance_is_a_finite_number(wrong: float) -> None:
    for make in (
        lambda: Tolerance(absolute=wrong),
        lambda: Tolerance(relative=wrong),
        lambda: Case(1, 1.0, tolerance=wrong),
        lambda: Cases.of([(1, 1.0)], tolerance=wrong),
    ):
        with pytest.raises(TaskError, match=r"^Tolerance\("):
            make()


def test_options_that_mean_nothing_are_refused() -> None:
    with pytest.raises(TaskError, match="a tolerance is for `expected`"):
        Case(1, predicate="result", tolerance=1e-6)
    with pytest.raises(TaskError, match="must be 'exact' or 'any'"):
        Cases.of([(1, 1)], sequences="all")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_empty_tables_are_refused() -> None:
    with pytest.raises(TaskError, match="at least one"):
        Cases(())
    with pytest.raises(TaskError, match="at least one"):
        StdioPairs(())
