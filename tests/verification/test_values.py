"""Messages and values of failed asserts; instrumented asserts keep their meaning."""

from collections.abc import Callable

import pytest

from planish.data.execution import Execution
from planish.data.status import Status

Run = Callable[..., Execution]


@pytest.mark.parametrize(
    ("check", "expected", "actual"),
    [
        ("assert f(2) == 5", "5", "2"),
        ("assert 5 == f(2)", "5", "2"),
        ("x = f(2)\nassert 5 == x", "5", "2"),
        ("want = 5\nassert want == f(2)", "5", "2"),
        ("assert sorted([f(2)]) == sorted([5])", "[5]", "[2]"),
        ("assert f(2) != 2", "!= 2", "2"),
        ("assert f(2) < 1", "< 1", "2"),
        ("assert 3 < f(2)", "> 3", "2"),
        ("assert 3 <= f(2)", ">= 3", "2"),
        ("assert f(2) >= 3.5", ">= 3.5", "2"),
        ("assert f(2) in [1, 3]", "in [1, 3]", "2"),
        ("assert f(2) not in {2}", "not in {2}", "2"),
        ("assert 3 in f([2])", "with 3", "[2]"),
        ("assert f(2) is None", "None", "2"),
        ("assert f(None) is not None", "is not None", "None"),
        ("assert f(False)", "True", "False"),
        ("assert f([])", None, "[]"),
        ("assert not f(True)", "False", "True"),
        ("assert not f([1])", None, "[1]"),
        ("assert 1 < f(0) < 2", "True", "False"),
        ("assert f(1) and f(0)", None, "0"),
        ("assert abs(f(1.5) - 1.0) < 0.1", "< 0.1", "0.5"),
        ("assert f(float('nan')) == 1", "1", "float('nan')"),
        ("assert f(\n    2\n) == (\n    5\n)", "5", "2"),
        ("assert (n := f(2)) == 5", "5", "2"),
    ],
)
def test_a_failed_assert_says_what_it_got(
    run: Run, check: str, expected: str | None, actual: str
) -> None:
    test = run("def f(x):\n    return x\n", tests=check).tests[-1]
    assert (test.status, test.expected, test.actual) == ("failed", expected, actual)


def test_asserts_mean_what_they_mean(run: Run) -> None:
    code = """
seen = []
def f(x):
    seen.append(x)
    return x
"""
    tests = """
assert f(1) == f(1), f("message")
assert seen == [1, 1]
assert f(2) < f(3) < f(4)
assert seen == [1, 1, 2, 3, 4]
try:
    assert f(5) == 6, f("message")
    verify = "nothing raised"
except AssertionError as error:
    verify = str(error)
assert verify == "message"
assert seen == [1, 1, 2, 3, 4, 5, "message"]
class Odd:
    def __eq__(self, other): return []
    def __hash__(self): return 1
    def __bool__(self): raise ValueError("neither")
def truth():
    try:
        assert Odd()
    except ValueError:
        return "asked"
assert truth() == "asked"
assert not (Odd() == 1)
"""
    result = run(code, tests=tests)
    assert result.failure is None
    assert result.status is Status.SUCCESS
