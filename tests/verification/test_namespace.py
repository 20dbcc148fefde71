"""The namespace in which preamble, candidate and tests run."""

from collections.abc import Callable
from typing import Literal

import pytest

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
