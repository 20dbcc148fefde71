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


@pytest.mark.parametrize("predicate", ["lambda r: r == 4", " (lambda result: result == 4)"])
def test_a_predicate_is_no_function_which_any_result_would_pass(predicate: str) -> None:
    with pytest.raises(TaskError, match="is a function, which is always true"):
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


def test_a_number_is_both_tolerances_and_that_of_a_case_is_before_that_of_its_table() -> None:
    both = Tolerance(absolute=0.5, relative=0.25)
    own, other, exact = Case(1, 1.0, tolerance=0.1), Case(1, 1.0), Case(1, 1.0, tolerance=0)
    table = Cases.of([own, other, exact], tolerance=both)
    found = [table.tolerance_of(case) for case in table.cases]
    assert found == [Tolerance(0.1, 0.1), both, Tolerance(0, 0)]
    assert Cases.of([other]).tolerance_of(other) == Tolerance()
    assert Cases.of([other], tolerance=0.2).tolerance_of(other) == Tolerance(0.2, 0.2)


@pytest.mark.parametrize(
    ("case", "shown"),
    [
        (Case(2, 5), "Case(args=(2,), expected=5)"),
        (Case((), None), "Case(args=(), expected=None)"),
        (Case(2, predicate="result"), "Case(args=(2,), predicate='result')"),
        (
            Case(2, 5, kwargs={"a": 1}, name="n", tolerance=0.0),
            "Case(args=(2,), expected=5, kwargs={'a': 1}, name='n', tolerance=0.0)",
        ),
    ],
)
def test_a_case_is_shown_as_it_is_written(case: Case, shown: str) -> None:
    assert repr(case) == shown


def test_a_title_of_120_characters_is_whole() -> None:
    whole = Case("x" * 113, 1)
    assert whole.title("add") == f"add('{'x' * 113}')"
    assert len(whole.title("add")) == 120
    assert Case("x" * 114, 1).title("add") == f"add('{'x' * 112}..."


def test_options_that_mean_nothing_are_refused() -> None:
    with pytest.raises(TaskError, match="a tolerance is for `expected`"):
        Case(1, predicate="result", tolerance=1e-6)
    with pytest.raises(TaskError, match="must be one of 'exact', 'any'"):
        Cases.of([(1, 1)], sequences="all")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_empty_tables_are_refused() -> None:
    with pytest.raises(TaskError, match="at least one"):
        Cases(())
    with pytest.raises(TaskError, match="at least one"):
        StdioPairs(())
