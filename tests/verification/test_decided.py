"""Skips and results of tests in test code: who decides them, and what a test returns."""

import pytest
from tests.verification.conftest import LISTED, RIGHT, WRONG, Run

from planish.data.status import Status

VERSION = ("VERSION = 1\n", "VERSION = 2\n")
SKIPPED = {
    "a function, by a value": """
if unittest:
    def test_two():
        if VERSION < 2: raise unittest.SkipTest("no")
        assert square(2) == 4
""",
    "a method, by a value": """
if unittest:
    class Other(unittest.TestCase):
        def test_two(self):
            if VERSION < 2: self.skipTest("no")
            self.assertEqual(square(2), 4)
""",
    "a class, by a value": """
class Other(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if VERSION < 2: raise unittest.SkipTest("no")
    def runTest(self): self.assertEqual(square(2), 4)
""",
    "a mark, by a value": """
if unittest:
    class Other(unittest.TestCase):
        @unittest.skipIf(VERSION < 2, "no")
        def test_two(self): self.assertEqual(square(2), 4)
""",
    "a mark, by a call": """
if unittest:
    class Other(unittest.TestCase):
        @unittest.skipUnless(condition=square(2) == 4, reason="no")
        def test_two(self): self.assertEqual(square(2), 4)
""",
    "a mark that is no decorator": """
class Other(unittest.TestCase):
    def runTest(self): self.assertEqual(square(2), 4)
if VERSION < 2: Other.runTest = unittest.skip("no")(Other.runTest)
""",
    "a mark, by what is imported": """
import sys
if unittest:
    class Other(unittest.TestCase):
        @unittest.skipIf("fractions" in sys.modules, "no")
        def test_two(self): self.assertEqual(square(2), 4)
""",
    "a mark by another name": """
from unittest import skipIf as leave_out
if unittest:
    class Other(unittest.TestCase):
        @leave_out(VERSION < 2, "no")
        def test_two(self): self.assertEqual(square(2), 4)
""",
    "an expected failure": """
class Other(unittest.TestCase):
    def runTest(self): self.assertEqual(square(2), 4)
if square(2) != 4: Other.runTest = unittest.expectedFailure(Other.runTest)
""",
    "a subtest": """
class Other(unittest.TestCase):
    def runTest(self):
        for n in range(3):
            with self.subTest():
                if square(n) != n * n: self.skipTest("no")
""",
}


@pytest.mark.parametrize("made", SKIPPED)
def test_a_skip_that_the_code_decides_is_an_error(run: Run, made: str) -> None:
    made_by = SKIPPED[made]
    tests = f"{LISTED}_ = VERSION\n{made_by}"
    right = run(RIGHT + VERSION[1], tests=tests)
    assert {test.status for test in right.tests} <= {"passed", "no_evidence"}, right.tests
    version = "from fractions import Fraction\nVERSION = Fraction(1)\n"
    wrong = run(WRONG + (version if "fractions" in made_by else VERSION[0]), tests=tests)
    assert wrong.tests[-1].status == "error"


def test_a_skip_of_a_subtest_has_not_passed(run: Run) -> None:
    more = SKIPPED["a subtest"].replace("runTest", "test_two")
    result = run(WRONG, tests=LISTED + more)
    assert [test.status for test in result.tests] == ["passed", "not_run"]
    assert [test.status for test in run(RIGHT, tests=LISTED + more).tests] == ["passed"] * 2


MARKED = """
import sys
if sys:
    class Other(unittest.TestCase):
        @unittest.skipIf(sys.platform != "none", "no")
        def test_one(self): self.assertEqual(square(1), 2)
        @unittest.expectedFailure
        def test_two(self): self.assertEqual(square(2), 5)
    @unittest.skip("no")
    class More(unittest.TestCase):
        def test_one(self): self.assertEqual(square(1), 2)
"""


def test_a_mark_that_looks_at_no_code_is_of_the_author(run: Run) -> None:
    result = run(RIGHT, tests=LISTED + MARKED)
    assert {test.status for test in result.tests} <= {"passed", "no_evidence"}, result.tests


@pytest.mark.parametrize(
    "made",
    [
        "def test_two(): return square(2) == 4",
        "test_two = lambda: square(2) == 4",
        "class Other(unittest.TestCase):\n    def test_two(self): return square(2) == 4",
        (
            "class Other(unittest.TestCase):\n"
            "    async def test_two(self): self.assertEqual(square(2), 4)"
        ),
        (
            "class Other(unittest.IsolatedAsyncioTestCase):\n"
            "    async def test_two(self): self.assertEqual(square(2), 4)"
        ),
        (
            "class Other(unittest.FunctionTestCase):\n"
            "    def __init__(self, _=''): super().__init__(look)\n"
            "def look(): assert square(2) == 4"
        ),
    ],
)
def test_what_a_test_returns_is_awaited_and_is_not_false(run: Run, made: str) -> None:
    right = run(RIGHT, tests=LISTED + made)
    assert {test.status for test in right.tests} == {"passed"}
    wrong = run(WRONG, tests=LISTED + made)
    assert [test.status for test in wrong.tests[:-1]] == ["passed"]
    assert wrong.tests[-1].status in ("failed", "error")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("def add(a, b): return 0\n", Status.WRONG_ANSWER),
        ("def add(a, b): return 0 if a else exit()\n", Status.WRONG_ANSWER),
        ("def add(a, b): return 5 if a else exit()\n", Status.PARTIAL_SUCCESS),
        ("def add(a, b): return nothing\n", Status.RUNTIME_ERROR),
        ("import os\ndef add(a, b): os._exit(0)\n", Status.RUNTIME_ERROR),
    ],
)
def test_asserts_after_a_wrong_value_leave_it_a_wrong_value(
    run: Run, code: str, status: Status
) -> None:
    check = "def check(f):\n    assert f(2, 3) == 5\n    assert f(0, 1) == 1\ncheck(add)\n"
    assert run(code, tests=check).status is status
