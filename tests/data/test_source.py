"""Names that code uses and binds, and the name that a task's tests require."""

import pytest

from planish import Task
from planish.data.source import bound_names, undefined_names


@pytest.mark.parametrize(
    ("tests", "wanted"),
    [
        ("assert fib(3) == 2", "fib"),
        ("import math\nfor n in range(3):\n    assert fib(n) == math.floor(n)", "fib"),
        ("def check(f):\n    assert f(1) == 1\ncheck(double)", "double"),
        ("assert f(g(1)) == 1", None),
        ("with open(__file__) as file:\n    assert read(file) == sorted([])", "read"),
    ],
)
def test_the_one_name_the_tests_need_is_the_wanted_one(tests: str, wanted: str | None) -> None:
    assert Task("Do it.", tests=tests).required_name == wanted


def test_a_stated_entry_point_is_the_required_name() -> None:
    assert Task("Do it.", tests="assert f(g(1)) == 1", entry_point="g").required_name == "g"


def test_names_of_the_preamble_are_not_wanted() -> None:
    task = Task("Do it.", tests="assert f(helper(1)) == 1", preamble="def helper(n): return n")
    assert task.required_name == "f"


def test_every_way_to_bind_a_name_counts() -> None:
    code = """
import a.b, c as d
from e import f
async def g(h, *i, j, **k): pass
class L: pass
m = [n for n in ()]
try: pass
except Exception as o: pass
match m:
    case [p, *q]: pass
    case {"k": r}: pass
"""
    assert {*"adfghijkLmnopqr"} <= bound_names(code)
    assert undefined_names(code) == frozenset()


def test_code_that_does_not_parse_binds_nothing() -> None:
    assert bound_names("def") == frozenset()
