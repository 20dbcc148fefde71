"""What the code sets on objects of libraries that the tests have made, and what it may not set."""

import pytest
from tests.verification.conftest import Run
from tests.verification.test_evidence import reasons

ROWS = """
import sqlite3
connection = sqlite3.connect(":memory:")
connection.execute("create table t(n int)")
fill(connection)
assert connection.execute("select n from t").fetchall() == [(3,)]
"""


def test_an_object_of_the_code_in_an_object_of_a_library_is_on_record(run: Run) -> None:
    right = "def fill(c): c.row_factory = None; c.execute('insert into t values (3)')\n"
    found = run(right, tests=ROWS)
    assert [test.status for test in found.tests] == ["passed"]
    assert reasons(found) == set()
    wrong = (
        "def fill(c):\n    c.execute('insert into t values (0)')\n"
        "    c.row_factory = lambda cursor, row: (3,)\n"
    )
    forged = run(wrong, tests=ROWS)
    assert [test.status for test in forged.tests] == ["passed"]
    assert reasons(forged) == {
        "the code put an object of its own into 'row_factory' of an object of the tests"
    }


FIXED = {
    "the calls of a double": (
        (
            "from unittest.mock import Mock\nmail = Mock()\nsetup(mail)\nassert run(3)\n"
            "mail.send.assert_called_once()\nassert mail.send.called and run"
        ),
        "def setup(mail): mail.send.called = True; mail.send.call_count = 1",
    ),
    "the calls of a double of a class of the tests": (
        (
            "from unittest.mock import Mock\nclass Mail(Mock): pass\nmail = Mail()\nsetup(mail)\n"
            "assert run(3) and mail.called"
        ),
        "def setup(mail): mail.called = True",
    ),
    "the exception of a test case": (
        (
            "import unittest\nclass TestRun(unittest.TestCase):\n    def test_run(self):\n"
            "        setup(self)\n        try:\n            self.assertEqual(run(3), 9)\n"
            "        except ValueError: pass"
        ),
        "def setup(case): case.failureException = ValueError",
    ),
    "the fields of a dataclass": (
        (
            "from dataclasses import asdict, dataclass\n@dataclass\nclass Point:\n    x: int\n"
            "setup(Point)\nassert asdict(run(Point)) == asdict(Point(3))"
        ),
        (
            "def setup(kind): kind.__dataclass_fields__['x'].name = '__class__'\n"
            "def run(kind): return kind(0)"
        ),
    ),
}


@pytest.mark.parametrize("name", FIXED)
def test_what_describes_and_tests_programs_is_not_set_by_the_code(run: Run, name: str) -> None:
    tests, setup = FIXED[name]
    found = run(f"def run(n): return 1\n{setup}\n", tests=tests)
    assert {test.status for test in found.tests} <= {"failed", "error", "not_run"}


def test_classes_of_the_code_do_not_derive_from_a_plain_object_of_the_tests(run: Run) -> None:
    code = (
        "class Box:\n    def __init__(self, held): self.held = held\ndef wrap(n): return Box(n)\n"
    )
    tests = "missing = object()\nassert wrap(missing).held is missing\nassert wrap(3).held == 3"
    found = run(code, tests=tests)
    assert [test.status for test in found.tests] == ["passed", "passed"], found.failure
    assert reasons(found) == set()
