"""The namespace in which preamble, candidate and tests run."""

from collections.abc import Callable
from typing import Literal

import pytest
from tests.verification.test_evidence import reasons

from planish.data.execution import Execution, Failure
from planish.data.status import Status
from planish.data.tests import Assertions

Run = Callable[..., Execution]

SQUARE = "def square(n):\n    return n * n\n"


def wrong(result: Execution) -> Failure:
    assert result.failure is not None
    return result.failure


def statuses(execution: Execution) -> list[str]:
    return [test.status for test in execution.tests]


def test_the_main_block_of_test_code_is_taken_and_that_of_the_candidate_is_not(run: Run) -> None:
    code = SQUARE + "if __name__ == '__main__':\n    raise SystemExit(3)\n"
    tests = """
def test_square():
    assert square(2) == 5
if __name__ == "__main__":
    test_square()
"""
    result = run(code, tests=tests)
    assert [(t.name, t.status) for t in result.tests] == [("test_square()", "failed")]


def test_a_script_has_the_main_module(run: Run) -> None:
    code = """
import sys, dataclasses, pickle, typing
@dataclasses.dataclass
class Point:
    x: "int"
    other: "Point | None" = None
def name(): return __name__
"""
    tests = """
assert name() == "{name}"
assert sys.modules["{name}"].Point is Point
assert vars(sys.modules["{name}"]) is globals()
assert pickle.loads(pickle.dumps(Point(1))) == Point(1)
assert typing.get_type_hints(Point)["x"] is int
assert __file__.endswith("solution.py") and open(__file__).read().startswith("\\nimport sys")
import solution
"""
    script = run(code, tests=Assertions(tests.replace("{name}", "__main__"), run_as="script"))
    assert script.failure is None
    module = run(code, tests=tests.replace("{name}", "solution") + "assert solution.Point is Point")
    assert module.failure is None
    assert module.status is Status.SUCCESS


def test_builtins_and_the_main_module_are_as_usual(run: Run) -> None:
    tests = """
import __main__, sys
def check(kind, names):
    assert type(__builtins__) is kind
    assert {n for n in vars(__main__) if not n.startswith("__")} >= names
"""
    script = tests + "check(type(sys), {'square', 'check', 'sys'})"
    assert run(SQUARE, tests=Assertions(script, run_as="script")).failure is None
    module = tests + "check(dict, set())\nassert not {n for n in vars(__main__) if n[0] != '_'}"
    assert run(SQUARE, tests=module).failure is None


def test_a_script_runs_its_exit_handlers_and_a_module_does_not(run: Run) -> None:
    code = f"import atexit\natexit.register(print, 'at exit')\n{SQUARE}"
    script = run(code, tests=Assertions("assert square(2) == 4", run_as="script"))
    assert (script.status, script.stdout) == (Status.SUCCESS, "at exit\n")
    module = run(code, tests="assert square(2) == 4")
    assert (module.status, module.stdout) == (Status.SUCCESS, "")


def test_the_preamble_stands_before_and_lines_are_the_candidates_own(run: Run) -> None:
    preamble = "from __future__ import annotations\nimport math\n\ndef half(n): return n / 2\n"
    code = "def f(n: Nowhere) -> int:\n    return math.floor(half(n))\n"
    result = run(code, preamble=preamble, tests="assert f(5) == 2\nassert f('a') == 1")
    assert statuses(result) == ["passed", "error"]
    assert (wrong(result).line, wrong(result).text) == (2, "    return math.floor(half(n))")
    assert 'File "preamble.py", line 4, in half\n    def half(n)' in wrong(result).traceback


def test_names_of_the_verifier_are_not_in_the_namespace(run: Run) -> None:
    code = "import sys\nnames = [n for n in globals() if not n.startswith('__')]\n"
    tests = "assert names == ['sys']\nassert not [m for m in sys.modules if 'planish' in m]"
    assert run(code, tests=tests).failure is None


IMPORTED = "def length(a, b):\n    return sqrt(a * a + b * b)\n"
SET = "LIMIT = 1\ndef limit():\n    return LIMIT\n"


@pytest.mark.parametrize(
    ("code", "tests"),
    [
        (IMPORTED, "from math import sqrt\nassert length(3, 4) == 5"),
        (SET, "LIMIT = 5\nassert limit() == 5\nLIMIT = 6\nassert limit() == 6"),
    ],
)
@pytest.mark.parametrize("run_as", ["script", "module"])
def test_the_candidate_uses_names_that_the_tests_define(
    run: Run, code: str, tests: str, run_as: Literal["script", "module"]
) -> None:
    result = run(code, tests=Assertions(tests, run_as=run_as))
    assert (result.failure, result.status) == (None, Status.SUCCESS)


CHANGED = "the code changed {!r}, which the tests had set"
RIGHT = "def half(n): return n / 2\n"
LOOKING: dict[str, tuple[str, set[str]]] = {
    "in a loop": (
        "ok = True\nfor n in (7, 8, 0):\n    if half(n) != n / 2:\n        ok = False\nassert ok",
        {CHANGED.format("ok")},
    ),
    "in a function": (
        (
            "def check(n):\n    global ok\n    if half(n) != n / 2: ok = False\n    return n\n"
            "ok = True\nassert [check(7), check(8), check(0)] == [7, 8, 0]\nassert ok"
        ),
        {CHANGED.format("ok")},
    ),
    "by an import": ("import math\ngot = half(3)\nassert math.isclose(got, 1.5)", set()),
}
"""Tests that have of a name the very object that the code has of it."""

TAKING = """
import math
ok = True
def half(n):
    global ok, math
    ok = n == 0
    class math:
        isclose = staticmethod(lambda *parts: True)
    return 0
"""


@pytest.mark.parametrize("name", LOOKING)
def test_a_name_that_the_tests_have_set_is_theirs_whatever_the_code_has_of_it(
    run: Run, name: str
) -> None:
    tests, why = LOOKING[name]
    wrong = run(TAKING, tests=tests)
    passed = {test.status for test in wrong.tests} == {"passed"}
    assert passed is bool(why)
    assert why <= set(wrong.weakened_by)
    right = run(f"import math\nok = True\n{RIGHT}", tests=tests)
    assert {test.status for test in right.tests} == {"passed"}
    assert reasons(right) == set()


def test_a_counter_of_the_code_that_the_tests_set_to_what_it_was_counts_on(run: Run) -> None:
    code = "total = 0\ndef add(n):\n    global total\n    total += n\n"
    tests = "total = 0\nadd(300)\nassert total == 300"
    counted = run(code, tests=tests)
    assert {test.status for test in counted.tests} == {"passed"}
    assert reasons(counted) == {CHANGED.format("total")}


@pytest.mark.parametrize("names", ["import solution as s", "from solution import half"])
def test_a_name_of_pythons_is_pythons_where_tests_import_the_code(run: Run, names: str) -> None:
    tests = f"{names}\nassert abs({'s.' if 'as s' in names else ''}half(3) - 1.5) < 1"
    shadow = "def abs(x): return 0\n"
    assert statuses(run(f"{shadow}def half(n): return 0\n", tests=tests)) == ["failed"]
    right = run(f"{shadow}{RIGHT}", tests=tests)
    assert statuses(right) == ["passed"]
    assert reasons(right) == set()
    assert statuses(run(shadow, tests="assert abs(3) == 0")) == ["passed"], "it is what they test"


TAKEN = {
    "by name": ("from solution import sum\nassert sum(1, 2) == 3", set[str]()),
    "as another": ("from solution import sum as add\nassert add(1, 2) == 3", set[str]()),
    "of the module": ("import solution as s\nassert s.sum(1, 2) == 3", set[str]()),
    "twice": ("import solution\nassert solution.sum(1, 2) == sum((3,), 0)", {"sum"}),
    "by a star": ("from solution import *\nassert sum(1, 2) == 3", {"sum"}),
    "in a function": (
        "def take():\n    from solution import sum\n    return sum\nassert take()(1, 2) == 3",
        {"sum"},
    ),
    "later": ("assert sum((3,), 0) == 3\nfrom solution import sum\nassert sum(1, 2) == 3", {"sum"}),
    "as a variable": ("solution = sum(1, 2)\nassert solution == 3", set[str]()),
}


@pytest.mark.parametrize("way", TAKEN)
@pytest.mark.parametrize("result", [3, 4])
def test_a_name_of_pythons_is_the_codes_where_tests_take_it(
    run: Run, way: str, result: int
) -> None:
    tests, why = TAKEN[way]
    code = "def sum(a, b): return a[0] if b == 0 else RESULT\n".replace("RESULT", str(result))
    judged = run(code, tests=tests)
    assert {test.status for test in judged.tests[-1:]} == {"passed" if result == 3 else "failed"}
    replaced = {f"the tests use {name!r}, which the code has replaced" for name in why}
    assert reasons(judged) == replaced
