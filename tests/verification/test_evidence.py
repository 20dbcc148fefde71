"""The evidence of a passed test: what it used, and which process decided."""

import pytest
from tests.verification.conftest import Run

from planish.data.execution import Execution
from planish.data.status import Status
from planish.data.tests import Assertions, PytestFile

CODE = """
from dataclasses import dataclass
LIMIT = 3
def f(n): return 2 * n
class Stack:
    def __init__(self): self.items = []
    def push(self, item): self.items.append(item)
    def pop(self): return self.items.pop()
    def __len__(self): return len(self.items)
@dataclass
class Point:
    x: int
def make(): return Point(3)
def adder(n): return lambda m: n + m
def count(n): yield from range(n)
"""
# The first reason of every run here: the test's own small sandbox promises nothing.
PLAIN = {
    "the sandbox does not guarantee that programs cannot reach the verifier process",
    "programs can gain privileges in this sandbox",
}


def reasons(result: Execution) -> set[str]:
    return set(result.weakened_by) - PLAIN


@pytest.mark.parametrize(
    ("tests", "statuses"),
    [
        ("assert True", ["no_evidence"]),
        ("assert 1 + 1 == 2\nassert f(1) == 2", ["no_evidence", "passed"]),
        ("r = f(3)\nassert r == 6", ["passed"]),
        ("r = f(3)\ns = r + 1\nassert s == 7", ["passed"]),
        ("rows = []\nrows.append(f(3))\nassert rows == [6]", ["passed"]),
        ("assert LIMIT == 3", ["passed"]),
        ("def helper(): return LIMIT\nassert helper() == 3", ["passed"]),
        ("f(1)\nassert f(1) == 2", ["passed"]),
        ("def test_a(): assert True\ndef test_b(): assert f(1) == 2", ["no_evidence", "passed"]),
    ],
)
def test_a_test_that_uses_nothing_of_the_candidates_is_no_evidence(
    run: Run, tests: str, statuses: list[str]
) -> None:
    result = run(CODE, tests=tests)
    assert [test.status for test in result.tests] == statuses
    assert result.status is Status.SUCCESS
    assert result.score == (1.0 if "passed" in statuses else None)


@pytest.mark.parametrize(
    "tests",
    [
        "def test_a():\n    for x in []:\n        assert f(x) == x",
        "for n in range(10, 0):\n    assert f(n) == 2 * n",
        "def test_a():\n    if False:\n        assert f(1) == 2",
        "def test_a():\n    return\n    assert f(1) == 2",
        "def check(n): assert f(n) == 2 * n\ndef test_a():\n    for n in (): check(n)",
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n"
            "        for x in []: self.assertEqual(f(x), x)"
        ),
        (
            "import glob\ndef test_a():\n    for path in glob.glob('missing/*.txt'):\n"
            "        assert f(open(path).read()) == 1"
        ),
    ],
)
def test_a_test_that_names_the_code_and_never_runs_it_is_no_evidence(run: Run, tests: str) -> None:
    for code in (CODE, "def f(n): return 999"):
        result = run(code, tests=tests)
        assert [test.status for test in result.tests] == ["no_evidence"]
        assert result.score is None


def test_also_in_a_file_for_pytest(run: Run) -> None:
    source = "from solution import f\ndef test_a():\n    for x in []:\n        assert f(x) == x\n"
    result = run(CODE, tests=PytestFile(source), seconds=60)
    assert [test.status for test in result.tests] == ["no_evidence"]


@pytest.mark.parametrize(
    "tests",
    [
        "assert callable(f)",
        "def test_a():\n    assert f is not None",
        "limit = f(3)\ndef test_a():\n    assert limit == 6",
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n"
            "        self.assertEqual(LIMIT, 3)"
        ),
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n"
            "        for x in (1, 2): self.assertEqual(f(x), 2 * x)"
        ),
        (
            "stack = Stack()\nimport unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n"
            "        self.assertEqual(len(stack), 0)"
        ),
    ],
)
def test_a_test_that_looks_at_what_it_names_is_evidence(run: Run, tests: str) -> None:
    assert [test.status for test in run(CODE, tests=tests).tests] == ["passed"]


def test_tests_that_only_call_the_code_say_that_nothing_was_compared(run: Run) -> None:
    for tests in (
        Assertions("def test_it():\n    f(1)\n"),
        PytestFile("from solution import f\ndef test_it():\n    f(1)\n"),
    ):
        result = run(CODE, tests=tests, seconds=60)
        assert [test.status for test in result.tests] == ["passed"]
        assert result.findings == ("nothing was compared: the tests only call the code",)
    assert run(CODE, tests="assert f(1) == 2").findings == ()


@pytest.mark.parametrize(
    "tests",
    [
        "assert f(2) == 4",
        "s = Stack()\ns.push(1)\nassert len(s) == 1\nassert s.pop() == 1",
        "assert adder(2)(3) == 5",
        "assert list(count(3)) == [0, 1, 2]",
        "assert Point(3).x == 3\nassert make().x == 3",
        "assert isinstance(make(), Point)",
        "assert sorted([f(2), f(1)]) == [2, 4]",
        "import _ctypes, ctypes\nctypes.CDLL(_ctypes.__file__)\nassert f(1) == 2",
    ],
)
def test_plain_values_and_objects_of_named_classes_weaken_nothing(run: Run, tests: str) -> None:
    result = run(CODE, tests=tests)
    assert {test.status for test in result.tests} == {"passed"}
    assert reasons(result) == set()


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        ("assert Point(3) == Point(3)", "'Point' decided with __eq__"),
        ("exec('x = 1')\nassert f(1) == 2", "exec or eval"),
        (
            "import ctypes\ntry: ctypes.CDLL('./a.so')\nexcept OSError: assert f(1) == 2",
            "the library './a.so'",
        ),
        ("import pickle\nassert pickle.loads(pickle.dumps(Point(3))).x == 3", "pickle"),
        (
            "def t(): assert False\ntry: run_it(t)\nexcept Exception: pass\nassert f(1) == 2",
            "an assertion failed in a call from the code to the tests",
        ),
    ],
)
def test_what_the_candidate_may_decide_is_weaker_evidence(
    run: Run, tests: str, reason: str
) -> None:
    result = run(CODE + "def run_it(call): call()\n", tests=tests)
    assert {test.status for test in result.tests} == {"passed"}
    assert any(reason in found for found in reasons(result)), result.weakened_by


@pytest.mark.parametrize(
    ("made", "weak"),
    [("kind = make_class()\none = kind()", 0), ("one = make()\nkind = type(one)", 1)],
)
def test_a_function_of_a_class_is_the_tests_choice_if_they_have_called_the_class(
    run: Run, made: str, weak: int
) -> None:
    code = "def make_class():\n    class K:\n        def f(self, n): return 2 * n\n    return K\n"
    code += "def make(): return make_class()()\n"
    result = run(code, tests=f"{made}\nassert vars(kind)['f'](one, 2) == 4")
    assert {test.status for test in result.tests} == {"passed"}
    method = "a method of an object that the code gave took part in a test"
    assert reasons(result) == ({method} if weak else set())


def test_names_of_python_are_pythons_unless_they_are_tested(run: Run) -> None:
    code = "def sum(a, b): return a + b\ndef f(n): return n\n"
    assert run(code, tests="import math\nassert sum(1, 2) == 3").status is Status.SUCCESS
    assert run(code, tests="assert sum([f(1), f(2)]) == 3").status is Status.SUCCESS
    chosen = run(code, tests="assert sum(f(1), 2) == 3", entry_point="sum")
    assert chosen.status is Status.SUCCESS


def test_the_candidate_sees_neither_expected_texts_nor_names_of_the_tests(run: Run) -> None:
    code = """
import gc, sys
def f(n):
    seen = repr([o for o in gc.get_objects() if type(o) in (tuple, list, dict, set)])
    frame = sys._getframe()
    while frame:
        seen += repr(frame.f_locals)
        frame = frame.f_back
    return "txetdetcepxe"[::-1] in seen or "emanterces"[::-1] in seen
"""
    tests = "secretname = 'expectedtext'\nassert f(1) != 'expectedtext'\nassert f(2) is False"
    assert run(code, tests=tests).status is Status.SUCCESS


@pytest.mark.parametrize(
    "value", ["{13, 14, 15, 16, 17}", "set('abcdefgh')", "set(range(40)) - set(range(30))"]
)
def test_a_set_argument_iterates_as_in_one_process(run: Run, value: str) -> None:
    tests = f"s = {value}\nassert f(s) == tuple(s)\nz = frozenset(s)\nassert f(z) == tuple(z)"
    result = run("def f(s): return tuple(s)", tests=tests)
    assert result.status is Status.SUCCESS


def test_arguments_keep_their_identity(run: Run) -> None:
    tests = """
t, s, n, m = (1, [2]), "ab" * 3, float("nan"), [1]
assert f(t, t) and f(s, s) and f(n, n) and f(m, m)
assert not f((1, [2]), t) and not f([1], m)
"""
    assert run("def f(a, b): return a is b", tests=tests).status is Status.SUCCESS


SKIPPING = """
def f(n):
    if n == 3:
        import unittest
        raise unittest.SkipTest("not now")
    return 2 * n
"""


@pytest.mark.parametrize(
    ("mark", "status"),
    [
        ("@unittest.skip('later')", "skipped"),
        ("@unittest.skipIf(sys.platform == 'linux', 'not here')", "skipped"),
        ("@unittest.skipIf(sys.platform == 'vms', 'not here')", "not_run"),
        ("@unittest.skipIf(f(1) == 2, 'the candidate decides')", "not_run"),
        ("@unittest.expectedFailure", "not_run"),
        ("", "not_run"),
    ],
)
def test_a_skip_is_the_authors_only_if_the_mark_made_it(run: Run, mark: str, status: str) -> None:
    tests = f"""
import sys, unittest
class T(unittest.TestCase):
    {mark}
    def test_a(self): self.assertEqual(f(3), 6)
    def test_b(self): self.assertEqual(f(2), 4)
"""
    result = run(SKIPPING, tests=tests)
    assert [test.status for test in result.tests] == [status, "passed"]
    pytests = tests.replace("import sys, unittest", "import sys, unittest\nfrom solution import f")
    result = run(SKIPPING, tests=PytestFile(pytests), seconds=60)
    assert [test.status for test in result.tests] == [status, "passed"]


@pytest.mark.parametrize(
    ("end", "marks", "statuses"),
    [
        ("pytest.skip('x')", "pytest.mark.xfail", ["skipped", "not_run", "passed"]),
        ("pytest.xfail('x')", "pytest.mark.skip", ["skipped", "not_run", "passed"]),
        (
            "pytest.skip('x')",
            "pytest.mark.skipif(f(1) == 2, reason='r')",
            ["not_run", "not_run", "passed"],
        ),
        (
            "pytest.skip('x')",
            "pytest.mark.xfail(f(1) == 2, reason='r')",
            ["not_run", "not_run", "passed"],
        ),
    ],
)
def test_a_mark_of_one_parameter_is_none_of_another(
    run: Run, end: str, marks: str, statuses: list[str]
) -> None:
    code = f"import pytest\ndef f(n):\n    if n == 3:\n        {end}\n    return 2 * n\n"
    tests = f"""
import pytest
from solution import f
@pytest.mark.parametrize("n, m", [pytest.param(2, 5, marks={marks}), (3, 6), (2, 4)])
def test_a(n, m): assert f(n) == m
"""
    result = run(code, tests=PytestFile(tests), seconds=60)
    assert [test.status for test in result.tests] == statuses
