"""Checks that test code only defines: test functions and unittest classes."""

from collections.abc import Callable
from typing import Literal

import pytest

from planish.data.execution import Execution
from planish.data.status import Status
from planish.data.tests import Assertions

Run = Callable[..., Execution]

RUN_AS: tuple[Literal["module", "script"], ...] = ("module", "script")
CODE = "def add(a, b):\n    return a + b\n"
CLASS = """
import unittest

class TestAdd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ready = True

    def setUp(self):
        self.one = 1

    def test_right(self):
        self.assertTrue(self.ready)
        self.assertEqual(add(self.one, 2), 3)

    def test_wrong(self):
        self.assertEqual(add(1, 2), 4)

    def test_turned(self):
        self.assertEqual(4, add(1, 2), "sum")

    def test_raises(self):
        add(1, "2")

    @unittest.skip("later")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(add(1, 1), 3)

    @unittest.expectedFailure
    def test_unexpected(self):
        self.assertEqual(add(1, 1), 2)

    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertEqual(add(n, n), n)
"""


def statuses(execution: Execution) -> dict[str, str]:
    return {test.name: test.status for test in execution.tests}


def test_methods_of_a_unittest_class_are_tests(run: Run) -> None:
    result = run(CODE, tests=CLASS)
    assert statuses(result) == {
        "TestAdd.test_right": "passed",
        "TestAdd.test_wrong": "failed",
        "TestAdd.test_turned": "failed",
        "TestAdd.test_raises": "error",
        "TestAdd.test_skipped": "skipped",
        "TestAdd.test_expected": "skipped",
        "TestAdd.test_unexpected": "failed",
        "TestAdd.test_parts": "failed",
    }
    tests = {test.name: test for test in result.tests}
    wrong = tests["TestAdd.test_wrong"]
    assert (wrong.expected, wrong.actual, wrong.message) == ("4", "3", "3 != 4")
    turned = tests["TestAdd.test_turned"]
    assert (turned.expected, turned.actual) == ("4", "3")
    assert tests["TestAdd.test_parts"].actual == "2"
    assert tests["TestAdd.test_raises"].message.startswith("TypeError: unsupported operand")
    assert tests["TestAdd.test_skipped"].message == "later"
    assert result.failure is not None
    assert result.failure.message == "3 != 4"
    assert "unittest/" not in result.failure.traceback
    assert (
        'File "tests.py", line 17, in test_wrong\n    self.assertEqual' in result.failure.traceback
    )


def test_a_call_of_unittest_main_does_not_end_the_run(run: Run) -> None:
    for end in ("unittest.main()", "if __name__ == '__main__':\n    unittest.main()\n"):
        for run_as in RUN_AS:
            tests = Assertions(f"{CLASS}\n{end}", run_as=run_as)
            assert statuses(run(CODE, tests=tests))["TestAdd.test_right"] == "passed"


def test_a_published_suffix_runs_its_own_class(run: Run) -> None:
    suffix = f"""{CLASS}
_r = unittest.main(module=__name__, exit=False, argv=['x'], defaultTest='{{}}').result
assert _r.wasSuccessful() and _r.testsRun > 0, 'unittest failed'
"""
    passed = suffix.format("TestAdd.test_right")
    result = run(CODE, tests=Assertions(passed, run_as="script"))
    assert result.status is Status.SUCCESS
    assert len(result.tests) == 1
    failed = suffix.format("TestAdd.test_wrong")
    result = run(CODE, tests=Assertions(failed, run_as="script"))
    assert result.status is Status.WRONG_ANSWER
    assert result.failure is not None
    assert result.failure.message == "unittest failed"
    assert "self.assertEqual(add(1, 2), 4)" in result.stderr


def test_setup_of_a_class_that_raises_runs_none_of_its_tests(run: Run) -> None:
    tests = """
import unittest
class First(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no disk")
    def test_a(self): pass
class Second(unittest.TestCase):
    def test_b(self): add(1, 2)
"""
    result = run(CODE, tests=tests)
    assert statuses(result) == {"First.test_a": "not_run", "Second.test_b": "passed"}
    assert result.failure is not None
    assert (result.failure.name, result.failure.message) == ("OSError", "no disk")


def test_teardown_of_a_class_that_raises_is_not_a_pass(run: Run) -> None:
    tests = """
import unittest
class First(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise OSError("no disk")
    def test_a(self): add(1, 2)
"""
    result = run(CODE, tests=tests)
    assert statuses(result) == {"First.test_a": "passed", "line 5 of the tests": "error"}
    assert result.status is Status.PARTIAL_SUCCESS


@pytest.mark.parametrize(
    ("skip", "name"),
    [
        ("import unittest\nskip = unittest.SkipTest", "the setup or teardown of the tests"),
        ("class skip(Exception): pass\nskip.__name__ = 'SkipTest'", "assert add(1, 1) == 2"),
    ],
)
@pytest.mark.parametrize("place", ["class", "cleanup", "module"])
def test_a_skip_by_the_code_leaves_out_no_teardown(
    run: Run, place: str, skip: str, name: str
) -> None:
    tests = {
        "class": """
    @classmethod
    def tearDownClass(cls): check()
""",
        "cleanup": """
    @classmethod
    def setUpClass(cls): cls.addClassCleanup(check)
""",
        "module": "\ndef tearDownModule(): check()\n",
    }[place]
    tests = f"""
import unittest
def check():
    assert add(1, 1) == 2
class First(unittest.TestCase):
    def test_a(self): self.assertEqual(two(), 2)
{tests}"""
    code = f"{skip}\ndef two(): return 2\ndef add(a, b): raise skip('no')\n"
    result = run(code, tests=tests)
    assert statuses(result) == {"First.test_a": "passed", name: "error"}
    right = run("def two(): return 2\n" + CODE, tests=tests)
    assert statuses(right) == {"First.test_a": "passed"}


@pytest.mark.parametrize("end", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
@pytest.mark.parametrize(
    "place", ["@classmethod\n    def tearDownClass(cls)", "def tearDownModule()"]
)
def test_what_ends_the_runner_in_a_teardown_is_no_pass(run: Run, end: str, place: str) -> None:
    tests = f"""
import unittest
class First(unittest.TestCase):
    def test_a(self): self.assertEqual(two(), 2)
    {place}: assert add(1, 1) == 2
"""
    tests = tests.replace("    def tearDownModule", "def tearDownModule")
    result = run(f"def two(): return 2\ndef add(a, b): raise {end}\n", tests=tests)
    assert statuses(result)["First.test_a"] == "passed"
    assert list(statuses(result).values()) == ["passed", "error"]
    assert result.status is Status.PARTIAL_SUCCESS
    right = run("def two(): return 2\n" + CODE, tests=tests)
    assert statuses(right) == {"First.test_a": "passed"}


def test_the_authors_skip_after_the_tests_of_a_class_is_no_failure(run: Run) -> None:
    tests = """
import unittest
class First(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise unittest.SkipTest("nothing to remove")
    def test_a(self): add(1, 2)
"""
    assert statuses(run(CODE, tests=tests)) == {"First.test_a": "passed"}


def test_a_runner_of_the_tests_own_that_took_a_failure_for_a_skip_is_weaker_evidence(
    run: Run,
) -> None:
    tests = """
import unittest
class First(unittest.TestCase):
    def test_a(self): self.assertEqual(add(1, 2), 3)
suite = unittest.TestLoader().loadTestsFromTestCase(First)
assert unittest.TextTestRunner().run(suite).wasSuccessful()
"""
    code = "import unittest\ndef add(a, b): raise unittest.SkipTest('no')\n"
    assert "'SkipTest'" in " ".join(run(code, tests=tests).weakened_by)
    assert "'SkipTest'" not in " ".join(run(CODE, tests=tests).weakened_by)


def test_classes_that_inherit_and_async_ones_are_run(run: Run) -> None:
    tests = """
import unittest
from unittest import TestCase, IsolatedAsyncioTestCase
class Base(TestCase):
    def test_a(self): self.assertEqual(add(1, 1), 2)
class Mixin:
    one = 1
    @unittest.skip("later")
    def test_s(self): pass
    def test_m(self): self.assertEqual(add(self.one, 1), 2)
class Child(Mixin, Base):
    one = 2
    def test_b(self): self.assertEqual(add(1, 1), 3)
class Later(IsolatedAsyncioTestCase):
    async def test_c(self): self.assertEqual(add(1, 1), 4)
"""
    assert statuses(run(CODE, tests=tests)) == {
        "Base.test_a": "passed",
        "Child.test_a": "passed",
        "Child.test_s": "skipped",
        "Child.test_m": "failed",
        "Child.test_b": "failed",
        "Later.test_c": "failed",
    }


def test_test_functions_are_called(run: Run) -> None:
    tests = """
import unittest
def test_right(): assert add(1, 2) == 3
def test_wrong():
    assert add(1, 2) == 3
    assert add(1, 2) == 4
async def test_later(): assert add(1, 2) == 5
def test_skipped(): raise unittest.SkipTest("no network")
def helper(): assert False
"""
    result = run(CODE, tests=tests)
    assert statuses(result) == {
        "test_right": "passed",
        "test_wrong": "failed",
        "test_later": "failed",
        "test_skipped": "not_run",
    }
    assert (result.tests[1].expected, result.tests[1].actual) == ("4", "3")


def test_functions_nobody_calls_are_tests_beside_checks(run: Run) -> None:
    tests = """
def test_called(): assert add(1, 1) == 2
def test_left(): assert add(1, 1) == 3
test_called()
"""
    assert statuses(run(CODE, tests=tests)) == {"test_called()": "passed", "test_left": "failed"}


def test_a_test_that_exits_does_not_end_the_others(run: Run) -> None:
    tests = """
import unittest, sys
class T(unittest.TestCase):
    def test_a(self): sys.exit(0)
    def test_b(self): add(1, 2)
def test_c(): sys.exit(0)
def test_d(): add(1, 2)
"""
    result = run(CODE, tests=tests)
    assert statuses(result) == {
        "T.test_a": "not_run",
        "T.test_b": "passed",
        "test_c": "not_run",
        "test_d": "passed",
    }
    assert result.failure is not None
    assert result.failure.name == "EarlyExit"
