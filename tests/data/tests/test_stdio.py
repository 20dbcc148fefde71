"""Pairs of stdin and stdout: their options, and the source of a checker."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from planish.data.tests import Stdio, StdioPairs
from planish.errors import TaskError

Checker = Callable[[str, str, str], bool]
PAIR = [("1\n", "2\n")]
CHECK = "def check(stdin, expected, actual):\n    return int(actual) == 2 * int(stdin)\n"


def near(stdin: str, expected: str, actual: str) -> bool:
    import math  # noqa: PLC0415

    def close(one: str) -> bool:
        return math.isclose(float(one), float(expected), abs_tol=float(stdin))

    return close(actual)


def needs_more(stdin: str, expected: str, actual: str) -> bool:
    return math.isclose(float(actual), float(expected))


def test_pairs_of_texts_will_do() -> None:
    assert StdioPairs(PAIR) == StdioPairs((Stdio("1\n", "2\n"),))


def test_a_function_travels_by_its_source() -> None:
    tests = StdioPairs(PAIR, checker=near)
    back = StdioPairs.from_json(tests.to_json())
    assert back == tests
    space: dict[str, Any] = {}
    exec(back.checker or "", space)  # noqa: S102
    assert space["check"]("0.5", "1", "1.4")
    assert not space["check"]("0.1", "1", "1.4")


anonymous: Checker = lambda stdin, expected, actual: stdin + expected == actual  # noqa: E731


@pytest.mark.parametrize("wrong", [anonymous, int, "".join, StdioPairs])
def test_what_has_no_source_of_its_own_is_refused(wrong: Any) -> None:
    with pytest.raises(TaskError, match="give the checker as source text"):
        StdioPairs(PAIR, checker=wrong)


def test_a_function_that_needs_names_of_its_module_is_refused() -> None:
    with pytest.raises(TaskError, match=r"needs_more\(\) uses math, which it does not define"):
        StdioPairs(PAIR, checker=needs_more)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compare": "same"}, "must be one of"),
        ({"tolerance": 1e-6}, "needs compare='floats'"),
        ({"compare": "floats", "tolerance": -1}, "must be finite and not below 0"),
        ({"seconds": 0}, "must be more than 0 and finite"),
        ({"seconds_each": float("nan")}, "must be more than 0 and finite"),
        ({"checker": CHECK, "compare": "tokens"}, "not both"),
        ({"checker": CHECK, "ignore_case": True}, "not both"),
        ({"checker": "def check(:"}, "the checker does not parse"),
        ({"checker": "def chek(a, b, c): return True"}, "does not define check"),
        ({"checker": "def check(a, b): return True"}, "must take"),
        ({"checker": "def check(a, b, c, d): return True"}, "must take"),
        ({"checker": "def check(*, a, b, c): return True"}, "must take"),
        ({"checker": "def check(a, b, c, d, e=1): return True"}, "must take"),
        ({"checker": "def check(a, b=1): return True"}, "must take"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        StdioPairs(PAIR, **options)


@pytest.mark.parametrize(
    "arguments",
    ["a, b, c", "a, b, /, c", "a, b, c, d=1", "a, b=1, c=2", "a, *rest", "*rest", "a, b, c, **d"],
)
def test_a_checker_that_takes_three_values_will_do(arguments: str) -> None:
    checker = f"def check({arguments}): return True\n"
    assert StdioPairs(PAIR, checker=checker).checker == checker
    assert StdioPairs(PAIR, checker="from m import check").checker == "from m import check"


def test_options_are_kept_and_shown_to_the_comparison() -> None:
    tests = StdioPairs(PAIR, "generated", compare="floats", tolerance=0.1, seconds=2)
    assert (tests.origin, tests.compare, tests.tolerance) == ("generated", "floats", 0.1)
    assert (tests.seconds, tests.seconds_each, tests.stop_at_first) == (2, None, False)
    assert StdioPairs(PAIR).origin == "user"
    for compare in ("exact", "tokens", "floats", "lines_any_order"):
        assert StdioPairs(PAIR, compare=compare).compare == compare
