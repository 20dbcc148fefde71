"""`Cases`: the sandbox calls the entry point, the host compares."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from planish.data.execution import Execution
from planish.data.status import Status
from planish.data.tests import Case

Run = Callable[..., Execution]


def statuses(execution: Execution) -> list[str]:
    return [test.status for test in execution.tests]


@pytest.mark.parametrize("code", ["[1] * 9000", "[True] * 9000", "[1.0000000000000] * 9000"])
def test_a_long_result_is_compared_however_it_is_written(run: Run, code: str) -> None:
    result = run(f"def f():\n    return {code}\n", tests=[Case((), [1] * 9000)], entry_point="f")
    assert statuses(result) == ["passed"]


def test_each_case_is_a_test(run: Run) -> None:
    code = "def add(a, b=1):\n    if a == 3: raise KeyError('three')\n    return a + b\n"
    cases = [
        Case((2, 3), 5),
        Case(2, 4),
        Case(3, 4),
        Case((), 7, kwargs={"a": 6, "b": 1}, name="by keyword"),
    ]
    result = run(code, tests=cases, entry_point="add")
    assert [(t.name, t.status) for t in result.tests] == [
        ("add(2, 3)", "passed"),
        ("add(2)", "failed"),
        ("add(3)", "error"),
        ("by keyword", "passed"),
    ]
    assert (result.tests[1].expected, result.tests[1].actual) == ("4", "3")
    assert result.tests[2].message == "KeyError: 'three'"
    assert result.status is Status.PARTIAL_SUCCESS
    assert result.failure is not None
    assert (result.failure.name, result.failure.message) == (
        "AssertionError",
        "add(2): got 3, expected 4",
    )


def test_the_first_failure_is_the_first_in_time(run: Run) -> None:
    code = "def f(n):\n    return n // n\n"
    result = run(code, tests=[(0, 1), (2, 3)], entry_point="f")
    assert statuses(result) == ["error", "failed"]
    assert result.failure is not None
    assert (result.failure.name, result.failure.line) == ("ZeroDivisionError", 2)


VALUES: list[Any] = [
    None,
    True,
    0,
    -(10**5000),
    1e16,
    -0.0,
    float("inf"),
    1 - 2j,
    "a\n'\"\0\x7f\u2028é\U0001f600\ud800",
    b"\x00\xff",
    [],
    (1,),
    {1: [2, (3,)], "a": {"b": ()}},
    set(),
    {1, 2, 3},
    frozenset({("a", 1), ("b", 2)}),
    ...,
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_plain_values_travel_both_ways(run: Run, value: object) -> None:
    result = run("def f(x):\n    return [x]\n", tests=[Case((value,), [value])], entry_point="f")
    assert statuses(result) == ["passed"]


def test_arguments_are_fresh_for_each_case(run: Run) -> None:
    shared = [3, 1, 2]
    code = "def f(xs):\n    xs.sort()\n    xs.append(0)\n    return len(xs)\n"
    result = run(code, tests=[(shared, 4), (shared, 4)], entry_point="f")
    assert statuses(result) == ["passed", "passed"]


RESULTS: list[tuple[str, Any, str, str]] = [
    ("return (i for i in range(3))", [0, 1, 2], "failed", "the result is a generator"),
    ("return map(str, [1])", ["1"], "failed", "the result is a map"),
    ("return range(3)", [0, 1, 2], "failed", "the result has type range, not list"),
    ("return (1, 2)", [1, 2], "failed", "tuple instead of list"),
    ("return 1", "1", "failed", "the result has type int, not str"),
    ("return 1.0", 1, "passed", ""),
    ("return {1: 2}.keys()", {1}, "passed", ""),
    ("import collections as c; return c.Counter('aab')", {"a": 2, "b": 1}, "passed", ""),
    ("import collections as c; return c.namedtuple('P', 'x y')(1, 2)", (1, 2), "passed", ""),
    ("import enum; return enum.IntEnum('E', 'A').A", 1, "passed", ""),
    ("import fractions; return fractions.Fraction(1, 2)", 0.5, "passed", ""),
    ("import decimal; return [decimal.Decimal(2)]", [2], "passed", ""),
    ("return bytearray(b'a')", b"a", "passed", ""),
    ("return float('nan')", float("nan"), "passed", ""),
    ("return 1.0", float("nan"), "failed", ""),
    ("return float('nan')", 1.0, "failed", ""),
    ("return object()", 1, "failed", "the result has type object, not int"),
    ("return 'x' * 5_000_000", "x", "failed", ""),
    ("return list(range(1_000_000))", [0], "failed", ""),
    ("return 1 << 100_000_000", 1, "failed", ""),
    ("x = []; x.append(x); return x", [[]], "failed", ""),
]


@pytest.mark.parametrize(("code", "expected", "status", "message"), RESULTS)
def test_what_is_equal(run: Run, code: str, expected: object, status: str, message: str) -> None:
    result = run(f"def f():\n    {code}\n", tests=[Case((), expected)], entry_point="f")
    test = result.tests[0]
    assert test.status == status
    assert test.message.startswith(message)
    assert len(test.actual or "") < 2_100


def test_a_value_with_an_awkward_repr_is_still_judged(run: Run) -> None:
    code = """
class Odd:
    def __init__(self, n): self.n = n
    def __eq__(self, other): return self.n == other
    def __repr__(self):
        if self.n == 1: raise RuntimeError("no")
        if self.n == 2: raise SystemExit(0)
        while self.n == 3: pass
        return "x" * 10_000_000
def f(n): return Odd(n)
"""
    result = run(code, tests=[(n, n) for n in range(1, 5)], entry_point="f")
    assert statuses(result) == ["passed"] * 4
    shown = [test.actual or "" for test in result.tests]
    assert shown[0] == "<Odd object: its repr raised RuntimeError>"
    assert shown[1] == "<Odd object: its repr raised SystemExit>"
    assert shown[2] == "<Odd object: its repr took more than 1 s>"
    assert len(shown[3]) < 2_100


def test_predicates_are_asked_in_the_sandbox(run: Run) -> None:
    cases = [
        Case(1, predicate="result > 0"),
        Case(-1, predicate="result > 0"),
        Case(0, predicate="len(result) == 0"),
        Case(2, predicate="\n  (isinstance(result, int) and\n  result == 2)"),
    ]
    result = run("len = lambda x: 0\ndef f(n):\n    return n\n", tests=cases, entry_point="f")
    assert statuses(result) == ["passed", "failed", "error", "passed"]
    assert (result.tests[1].expected, result.tests[1].actual) == ("result > 0", "-1")
    assert result.tests[1].message == "result > 0 is not true of the result"
    assert result.tests[2].message == "TypeError: object of type 'int' has no len()"


def test_coroutine_functions_are_awaited(run: Run) -> None:
    code = "import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n\n"
    assert statuses(run(code, tests=[(1, 1), (2, 3)], entry_point="f")) == ["passed", "failed"]


def test_a_missing_entry_point_is_named(run: Run) -> None:
    code = "import math\ndef sum_two(a, b):\n    return a + b\nclass Helper: pass\nx = 1\n"
    result = run(code, tests=[((1, 2), 3), ((2, 2), 4)], entry_point="add")
    assert statuses(result) == ["error", "error"]
    assert result.failure is not None
    assert result.failure.name == "NameError"
    assert result.failure.message == ("the code does not define 'add'; it defines: sum_two, Helper")
    assert result.status is Status.RUNTIME_ERROR


METHODS = """
class Solution:
    made = 0
    def __init__(self):
        Solution.made += 1
        self.calls = 0
    def add(self, a, b):
        self.calls += 1
        return [a + b, self.calls]
    @staticmethod
    def sub(a, b):
        return [a - b, 1]
    @classmethod
    def mul(cls, a, b):
        return [a * b, 1]
    async def later(self, a, b):
        return [a, b]
    class Inner:
        def div(self, a, b):
            return [a // b, 1]
class Needs:
    def __init__(self, n): pass
    @staticmethod
    def add(a, b):
        return [a + b, 1]
"""


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("Solution().add", [9, 1]),
        ("Solution.add", [9, 1]),
        ("Solution().sub", [3, 1]),
        ("Solution.sub", [3, 1]),
        ("Solution().mul", [18, 1]),
        ("Solution.mul", [18, 1]),
        ("Solution.later", [6, 3]),
        ("Solution.Inner().div", [2, 1]),
        ("Solution().Inner.div", [2, 1]),
        ("Needs.add", [9, 1]),
    ],
)
def test_an_entry_point_can_be_a_method(run: Run, entry: str, expected: object) -> None:
    result = run(METHODS, tests=[((6, 3), expected)] * 2, entry_point=entry)
    assert statuses(result) == ["passed", "passed"], result.tests
    assert result.tests[0].name == f"{entry}(6, 3)"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("Solution().none", "NameError: the code does not define 'Solution().none'"),
        ("Nothing().add", "NameError: the code does not define 'Nothing().add'"),
        ("Needs().add", "TypeError: Needs.__init__() missing 1 required positional"),
    ],
)
def test_a_method_that_is_not_there_is_named(run: Run, entry: str, message: str) -> None:
    result = run(METHODS, tests=[((6, 3), 9), ((6, 3), 9)], entry_point=entry)
    assert statuses(result) == ["error", "error"]
    assert result.tests[1].message.startswith(message)


def test_recursion_is_a_resource_limit(run: Run) -> None:
    result = run("def f(n):\n    return f(n)\n", tests=[(1, 1)], entry_point="f")
    assert result.status is Status.RESOURCE_LIMIT
    assert result.failure is not None
    assert result.failure.name == "RecursionError"
    assert "repeated" in result.failure.traceback


def test_a_candidate_recurses_as_deep_as_by_itself(run: Run) -> None:
    code = "def f(n):\n    try: return f(n + 1)\n    except RecursionError: return n\n"
    alone = subprocess.run(
        [sys.executable, "-I", "-c", f"{code}print(f(1))"], capture_output=True, check=True
    )
    result = run(code, tests=[Case(1, predicate=f"result >= {int(alone.stdout)}")], entry_point="f")
    assert statuses(result) == ["passed"]
