"""Tests that inspect process state run in the candidate's process, and the evidence says so."""

import pytest
from tests.verification.conftest import Run

from planish.data.status import Status
from planish.data.tests import Assertions, PytestFile, Tests

LOGGING = """
import logging, warnings
def f():
    logging.getLogger("a").info("hi")
    warnings.warn("old")
    return 1
"""
LOGS = """
import unittest
class T(unittest.TestCase):
    def test_logs(self):
        with self.assertLogs("a", "INFO") as seen: f()
        self.assertEqual(seen.records[0].getMessage(), "hi")
"""
WARNS = """
import pytest
from solution import f
def test_warns():
    with pytest.warns(UserWarning, match="old"): assert f() == 1
def test_logs(caplog):
    caplog.set_level("INFO")
    with pytest.warns(UserWarning): f()
    assert "hi" in caplog.text
"""


@pytest.mark.parametrize("tests", [Assertions(LOGS), PytestFile(WARNS)])
def test_right_code_passes_with_the_weaker_word(run: Run, tests: Tests) -> None:
    result = run(LOGGING, tests=tests, seconds=60)
    assert {test.status for test in result.tests} == {"passed"}
    assert result.status is Status.SUCCESS
    assert result.separation == "shared_process"
    assert "they ran there" in result.weakened_by[0]


@pytest.mark.parametrize("tests", [Assertions(LOGS), PytestFile(WARNS)])
@pytest.mark.parametrize(
    "code",
    [
        "def f(): return 2\n",
        "def g(): pass\n",
        "import os\nos._exit(0)\n",
        "def f():\n    import os\n    os._exit(0)\n",
        "import sys\nsys.exit(0)\n",
        "def f(): raise ValueError\n",
    ],
)
def test_wrong_code_does_not_pass(run: Run, tests: Tests, code: str) -> None:
    result = run(code, tests=tests, seconds=60)
    assert result.status is not Status.SUCCESS
    assert "passed" not in {test.status for test in result.tests}


def test_a_candidate_that_removes_the_record_has_a_verdict(run: Run) -> None:
    code = """
import os, sys
for name in os.listdir("."):
    if os.path.isfile(name): os.remove(name)
sys.stderr.write('File "_planish.py"')
os._exit(1)
"""
    result = run(code, tests=Assertions(LOGS))
    assert result.failure is not None
    assert result.failure.name == "Tampering"


@pytest.mark.parametrize(
    ("setup", "code", "status"),
    [
        ("import nowhere\n", "def f(): return 1\n", Status.TEST_ERROR),
        ("from nowhere.deep import f\n", "def f(): return 1\n", Status.TEST_ERROR),
        ("1 / 0\n", "def f(): return 1\n", Status.RUNTIME_ERROR),
        ("import solution\nsolution.g()\n", "def f(): return 1\n", Status.RUNTIME_ERROR),
        ("", "import nowhere\ndef f(): return 1\n", Status.RUNTIME_ERROR),
    ],
)
def test_only_tests_that_import_what_is_not_there_are_broken(
    run: Run, setup: str, code: str, status: Status
) -> None:
    result = run(code, tests=Assertions(setup + LOGS))
    assert result.status is status
    assert not any(test.status == "passed" for test in result.tests)


def test_only_the_tests_decide_that_they_run_together(run: Run) -> None:
    code = "import warnings\ndef f():\n    with warnings.catch_warnings(): return 1\n"
    result = run(code, tests="assert f() == 1")
    assert not any("they ran there" in why for why in result.weakened_by)


CODE = """
import operator
LIMIT = 3
double = operator.methodcaller("__mul__", 2)
class Box:
    def __init__(self): self.held = []
def f(): return 1
"""
TOGETHER = "import weakref\n"  # such tests run in the candidate's process


@pytest.mark.parametrize(
    "tests",
    [
        Assertions(f"{TOGETHER}assert True"),
        Assertions(f"{TOGETHER}f()\nassert True"),
        Assertions(f"{TOGETHER}def helper(): return 1\ndef test_a(): assert helper() == 1"),
        PytestFile(f"{TOGETHER}from solution import f\ndef test_a(): pass"),
        PytestFile(f"{TOGETHER}from solution import *\ndef test_a(): assert True"),
        PytestFile(
            f"{TOGETHER}import pytest\nfrom solution import f\n"
            "@pytest.fixture\ndef five(): return 5\ndef test_a(five): assert five == 5"
        ),
        PytestFile(
            f"{TOGETHER}import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n"
            "    def setUp(self): self.five = 5\n"
            "    def test_a(self): self.assertEqual(self.five, 5)"
        ),
    ],
)
def test_a_test_that_uses_nothing_of_the_code_is_no_evidence(run: Run, tests: Tests) -> None:
    result = run(CODE, tests=tests, seconds=60)
    assert result.separation == "shared_process"
    assert {test.status for test in result.tests} == {"no_evidence"}
    assert result.score is None


@pytest.mark.parametrize(
    "tests",
    [
        Assertions(f"{TOGETHER}assert LIMIT == 3"),
        Assertions(f"{TOGETHER}got = f()\nassert got == 1"),
        Assertions(
            f"{TOGETHER}import threading\ngot = []\n"
            "one = threading.Thread(target=lambda: got.append(f()))\n"
            "one.start()\none.join()\nassert got == [1]"
        ),
        Assertions(f"{TOGETHER}import solution\nassert solution.f() == 1"),
        Assertions(f"{TOGETHER}def helper(): return f()\ndef test_a(): assert helper() == 1"),
        Assertions(
            f"{TOGETHER}import unittest\nclass T(unittest.TestCase):\n"
            "    @classmethod\n    def setUpClass(cls): cls.box = Box()\n"
            "    def test_a(self): self.assertEqual(self.box.held, [])"
        ),
        PytestFile(f"{TOGETHER}import solution\ndef test_a(): assert solution.double(4) == 8"),
        PytestFile(f"{TOGETHER}from solution import *\ndef test_a(): assert LIMIT == 3"),
        PytestFile(f"{TOGETHER}from solution import f\nONE = f()\ndef test_a(): assert ONE == 1"),
        PytestFile(
            f"{TOGETHER}import pytest\nfrom solution import LIMIT, f\n"
            "@pytest.mark.parametrize('n', [LIMIT])\ndef test_a(n): assert n == 3"
        ),
        PytestFile(
            f"{TOGETHER}import pytest\nfrom solution import LIMIT, Box\n"
            "@pytest.fixture(scope='module')\ndef box(): return Box()\n"
            "@pytest.fixture(scope='module')\ndef limit(): return LIMIT\n"
            "def test_a(box): assert box.held == []\n"
            "def test_b(box): assert not box.held\n"
            "def test_c(limit): assert limit == 3\n"
        ),
        PytestFile(
            f"{TOGETHER}import unittest\nfrom solution import Box\nclass T(unittest.TestCase):\n"
            "    def setUp(self): self.box = Box()\n"
            "    def test_a(self): self.assertEqual(self.box.held, [])"
        ),
        PytestFile(
            f"{TOGETHER}import subprocess, sys\ndef test_a():\n"
            "    assert subprocess.run([sys.executable, 'solution.py']).returncode == 0"
        ),
    ],
)
def test_what_a_test_uses_is_noticed_in_any_form(run: Run, tests: Tests) -> None:
    result = run(CODE, tests=tests, seconds=60)
    assert result.separation == "shared_process"
    assert {test.status for test in result.tests} == {"passed"}, result.failure
    assert result.status is Status.SUCCESS


MADE = "a test is a function or class that the code has made"


@pytest.mark.parametrize("named", ["def test_a", "class TestAll"])
@pytest.mark.parametrize("kind", [Assertions, PytestFile])
def test_a_test_that_the_code_has_made_is_weaker_evidence(
    run: Run, named: str, kind: type[Assertions] | type[PytestFile]
) -> None:
    code = """
import unittest
def f(n): return 0
def timed(test):
    class Other(unittest.TestCase):
        def test_a(self): f(1)
    return Other if isinstance(test, type) else lambda: f(1)
"""
    body = "def test_a(): assert f(2) == 4\n"
    if named == "class TestAll":
        body = (
            "class TestAll(unittest.TestCase):\n    def test_a(self): self.assertEqual(f(2), 4)\n"
        )
    text = f"import unittest\nfrom solution import f, timed\n@timed\n{body}"
    tests = kind(text)
    result = run(code, tests=tests, seconds=60)
    assert result.status is not Status.SUCCESS or MADE in result.weakened_by
    right = run("def f(n): return 2 * n\ndef timed(test): return test\n", tests=tests, seconds=60)
    assert [test.status for test in right.tests] == ["passed"]
    assert MADE not in right.weakened_by


@pytest.mark.parametrize(
    ("line", "separation"),
    [
        ("del sys.modules['solution']", "shared_process"),
        ("sys.modules.pop(f.__module__, None)", "shared_process"),
        ("sys.modules.pop('json', None)", "isolated"),
        ("sys.modules.get('solution')", "isolated"),
    ],
)
def test_code_that_is_imported_anew_is_loaded_again(run: Run, line: str, separation: str) -> None:
    tests = f"import sys\n{line}\nimport solution\nassert solution.f() == 1"
    result = run("seen = []\ndef f():\n    seen.append(1)\n    return len(seen)\n", tests=tests)
    assert result.status is Status.SUCCESS, result.failure
    assert ("they ran there" in str(result.weakened_by)) is (separation == "shared_process")


def test_a_module_that_the_tests_have_made_is_weaker_evidence(run: Run) -> None:
    tests = """
import sys, types
wanted = types.ModuleType("wanted")
wanted.double = lambda n: 2 * n
sys.modules["wanted"] = wanted
assert f(3) == wanted.double(3)
"""
    honest = run("def f(n): return n + n\n", tests=tests)
    assert honest.status is Status.SUCCESS, honest.failure
    reason = "the code used a module of the tests"
    assert reason not in honest.weakened_by
    copied = run("def f(n):\n    import wanted\n    return wanted.double(n)\n", tests=tests)
    assert copied.status is Status.SUCCESS, copied.failure
    assert reason in copied.weakened_by


NEW = """
class Plain: pass
class Count(int): pass
class Single:
    def __new__(cls): return super().__new__(cls)
"""


@pytest.mark.parametrize(
    "tests",
    [
        "assert Plain.__new__ is object.__new__ and Count.__new__ is int.__new__",
        "make = Single.__new__\nassert make is not object.__new__",
        PytestFile(
            "import solution\ndef test_new(): assert solution.Single.__new__ != object.__new__"
        ),
    ],
)
def test_how_objects_are_made_shows_in_one_process_only(run: Run, tests: Tests | str) -> None:
    right = run(NEW, tests=tests, seconds=60)
    assert "passed" in {test.status for test in right.tests} <= {"passed", "no_evidence"}
    assert any("how objects of the code are made" in why for why in right.weakened_by)
    wrong = NEW.replace("Plain: pass", "Plain: __new__ = len").replace(
        "__new__(cls): ret", "n(cls): ret"
    )
    assert "failed" in {test.status for test in run(wrong, tests=tests, seconds=60).tests}


def test_tests_that_make_objects_run_apart(run: Run) -> None:
    result = run(NEW, tests="assert isinstance(Plain.__new__(Plain), Plain)")
    assert [test.status for test in result.tests] == ["passed"]
    assert not any("ran there" in why for why in result.weakened_by)
