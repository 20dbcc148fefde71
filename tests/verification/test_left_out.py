"""Tests of pytest files that do not run: a verdict says so, unless their author has decided it."""

from collections.abc import Callable

import pytest

from planish.data.execution import Execution
from planish.data.tests import PytestFile

Run = Callable[..., Execution]

RIGHT = "def square(n):\n    return n * n\n"
WRONG = "def square(n):\n    return 0\n"
ZERO = "from solution import square\ndef test_zero(): assert square(0) == 0\n"
TWO = "def test_two(): assert square(2) == 4\n"
SKIP = "pytest.skip('no', allow_module_level=True)\n"
HEAD = "import os, pytest, sys, unittest\nfrom solution import square\n"

FILE = "open('here', 'w').close()\nLIMIT = 1\n"
BY_THE_CODE = {
    "a call": f"if square(2) != 4: {SKIP}",
    "unittest": "if square(2) != 4: raise unittest.SkipTest('no')\n",
    "a value": f"found = square(2)\nif found != 4: {SKIP}",
    "a list": f"found = []\nfound.append(square(2))\nif 4 not in found: {SKIP}",
    "a function": f"def need():\n    if square(2) != 4: {SKIP}need()\n",
    "a class": f"class TestOne:\n    if square(2) != 4: {SKIP}",
    "a module that is there": f"if sys.modules['solution'].square(2) != 4: {SKIP}",
    "globals": f"if globals()['square'](2) != 4: {SKIP}",
    "a file of the code's": f"if os.path.exists('here'): {SKIP}",
    "a module of the code": "pytest.importorskip('solution.more')\n",
    "an import": f"try: import solution.more\nexcept ImportError: {SKIP}",
    "a helper": f"import helper\nif not helper.fine: {SKIP}",
    "a name of a helper": f"from helper import fine\nif not fine: {SKIP}",
    "a helper of a helper": f"from other import fine\nif not fine: {SKIP}",
}
HELPERS = {
    "helper.py": "from solution import square\nfine = square(2) == 4\n",
    "other.py": "from helper import fine\n",
}


@pytest.mark.parametrize("reason", BY_THE_CODE)
@pytest.mark.parametrize("made", [TWO, f"if unittest:\n    {TWO}"])
def test_a_file_that_skips_itself_because_of_the_code_has_not_passed(
    run: Run, reason: str, made: str
) -> None:
    more = HEAD + BY_THE_CODE[reason] + made
    result = run(WRONG + FILE, tests=PytestFile(ZERO, files={**HELPERS, "test_more.py": more}))
    statuses = [test.status for test in result.tests]
    assert statuses == ["passed", "error"]
    assert result.failure is not None
    assert result.failure.name in ("Skipped", "SkipTest")


@pytest.mark.parametrize(
    "reason",
    [
        f"if sys.platform: {SKIP}",
        f"if os.path.exists('/usr'): {SKIP}",
        f"if os.name: raise unittest.SkipTest('no')\n{TWO}",
        "pytest.importorskip('nowhere')\n",
        f"try: import nowhere\nexcept ImportError: {SKIP}",
        f"import pure\npure.need('nowhere')\n{TWO}",
        f"names = ['nowhere']\nprint(square(0), names)\nlisted = []\nif not listed: {SKIP}",
    ],
)
def test_a_file_that_skips_itself_for_a_reason_of_its_own_is_left_out(
    run: Run, reason: str
) -> None:
    files = {"pure.py": "import pytest\ndef need(name): pytest.importorskip(name)\n"}
    files["test_more.py"] = HEAD + reason + TWO
    result = run(RIGHT, tests=PytestFile(ZERO, files=files))
    assert [(test.name, test.status) for test in result.tests] == [("test_zero", "passed")]
    assert result.failure is None


def test_a_single_file_that_skips_itself_has_not_passed(run: Run) -> None:
    result = run(WRONG, tests=PytestFile(HEAD + BY_THE_CODE["a call"] + TWO))
    assert [(test.status, test.message) for test in result.tests] == [("error", "Skipped: no")]
    result = run(WRONG, tests=PytestFile(f"{HEAD}if sys.platform: {SKIP}{TWO}"))
    assert [test.status for test in result.tests] == ["not_run"]


DESELECT = """
def pytest_collection_modifyitems(items):
    import solution
    if solution.square(2) != 4:
        items[:] = [item for item in items if "two" not in item.name]
"""


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"test_more.py": f"{HEAD}{TWO}test_two = None\n"}, "test_two"),
        ({"a/more_test.py": HEAD + TWO, "conftest.py": DESELECT}, "test_two"),
        (
            {"test_more.py": f"{HEAD}class TestA:\n    def __init__(self): pass\n    {TWO}"},
            "TestA::test_two",
        ),
    ],
)
def test_a_test_of_any_file_that_is_not_collected_has_not_run(
    run: Run, more: dict[str, str], name: str
) -> None:
    result = run(WRONG, tests=PytestFile(ZERO, files=more))
    found = [(test.name, test.status) for test in result.tests]
    assert found == [("test_zero", "passed"), (f"{next(iter(more))}::{name}", "not_run")]


UNTESTED = """
class TestBase:
    __test__ = False
    def test_two(self): assert square(self.two) == 4
class TestUnused(TestBase):
    pass
class TestTwo(TestBase):
    __test__ = True
    two = 2
def test_all(): 1 / 0
test_all.__test__ = False
"""


def test_what_is_no_test_by_its_attribute_is_not_expected(run: Run) -> None:
    tests = PytestFile(ZERO + UNTESTED, files={"test_more.py": HEAD + UNTESTED})
    names = ["test_zero", "TestTwo::test_two", "test_more.py::TestTwo::test_two"]
    for code, status in ((RIGHT, "passed"), (WRONG, "failed")):
        result = run(code, tests=tests)
        found = [(test.name, test.status) for test in result.tests]
        assert found == [(names[0], "passed"), *((name, status) for name in names[1:])]


EXITS = "import pytest\ndef square(n):\n    if n: pytest.exit('no', returncode=0)\n    return 0\n"
HOOKS = [
    "def pytest_sessionfinish(): assert solution.square(2) == 4\n",
    "def pytest_unconfigure(): assert solution.square(2) == 4\n",
    "def pytest_runtest_logfinish(): assert solution.square(2) == 4\n",
    """
import pytest
@pytest.hookimpl(wrapper=True)
def pytest_runtestloop():
    yield
    assert solution.square(2) == 4
    return True
""",
]


@pytest.mark.parametrize("hook", HOOKS)
def test_an_exit_without_fault_in_a_hook_is_an_error(run: Run, hook: str) -> None:
    tests = PytestFile(ZERO, files={"conftest.py": f"import solution\n{hook}"})
    for code, name in ((EXITS, "Exit"), (WRONG, "AssertionError")):
        result = run(code, tests=tests)
        assert [test.status for test in result.tests] == ["passed", "error"]
        assert result.tests[1].message.startswith(f"{name}: ")
    assert [test.status for test in run(RIGHT, tests=tests).tests] == ["passed"]


@pytest.mark.parametrize(
    ("code", "source"),
    [
        ("test_two = 5\n", f"{TWO}from solution import *\n"),
        ("test_two = 5\n", f"import sys\nif sys:\n    {TWO}from solution import *\n"),
        ("test_two = 5\n", "from helper import test_two\nfrom solution import *\n"),
        ("class TestTwo: pass\n", "from helper import TestTwo\nfrom solution import *\n"),
    ],
)
@pytest.mark.parametrize("file", ["test_more.py", ""])
def test_a_test_that_the_code_has_replaced_is_weaker_evidence(
    run: Run, code: str, source: str, file: str
) -> None:
    helper = f"from solution import square\n{TWO}class TestTwo:\n    test_two = test_two\n"
    files = {"helper.py": helper, **({file: source} if file else {})}
    tests = PytestFile(ZERO if file else source + ZERO, files=files)
    result = run(WRONG + code, tests=tests)
    replaced = code.split()[0 if code[0] == "t" else 1].strip(":")
    assert f"the tests use {replaced!r}, which the code has replaced" in result.weakened_by
    honest = run(RIGHT, tests=tests)
    assert not any("replaced" in why for why in honest.weakened_by)


MARKS = [
    "skipif(os.path.exists('here'), reason='no')",
    "skipif('here' in os.listdir(), reason='no')",
    "skipif(sys.modules['solution'].square(2) != 4, reason='no')",
    "skipif('sys' in sys.__dict__['modules'], reason='no')",
    "skipif('square(2) != 4', reason='no')",
    "xfail('square(2) != 4')",
    "xfail(condition=square(2) != 4, reason='no')",
]
BODY = "def test_two(): assert square(2) == 4\n"
RUNNING = "def test_two():\n    if LIMIT < 2: pytest.{0}('no')\n    assert square(2) == 4\n"
DECIDED = [
    *(f"@pytest.mark.{mark}\n{BODY}" for mark in MARKS),
    f"sys = type('S', (), {{'name': LIMIT}})\n@pytest.mark.skipif(sys.name < 2, reason='')\n{BODY}",
    f"from solution import platform\n@pytest.mark.skipif(platform < 2, reason='')\n{BODY}",
    f"import solution as os\n@pytest.mark.skipif(os.LIMIT < 2, reason='')\n{BODY}",
    f"@pytest.mark.skip\n{BODY}if LIMIT:\n    @pytest.mark.skipif(LIMIT, reason='')\n    {BODY}",
    "@pytest.mark.skipif(os.name == '', reason='')\n" + RUNNING.format("skip"),
    "@pytest.mark.xfail(os.name == '', reason='no')\n" + RUNNING.format("xfail"),
]


@pytest.mark.parametrize("decided", DECIDED)
def test_a_test_that_the_code_decides_to_skip_has_not_run(run: Run, decided: str) -> None:
    source = f"{HEAD}from solution import LIMIT\n{decided}{ZERO}"
    code = f"{WRONG}{FILE}platform = 1\n"
    statuses = {test.name: test.status for test in run(code, tests=PytestFile(source)).tests}
    assert statuses.pop("test_zero") == "passed"
    assert {*statuses.values()} == {"not_run"}


@pytest.mark.parametrize(
    "mark",
    [
        "skip",
        "skipif(condition=os.path.exists('/usr'), reason='here')",
        "skipif('sys.platform != \"\"', reason='here')",
        "skipif(True, reason='here')",
        "xfail",
        "xfail(condition=bool(sys.platform), reason='here')",
    ],
)
def test_a_test_that_its_author_skips_is_left_out(run: Run, mark: str) -> None:
    source = f"{HEAD}@pytest.mark.{mark}\n{BODY}{ZERO}"
    result = run(WRONG, tests=PytestFile(source))
    assert [test.status for test in result.tests] == ["skipped", "passed"]


def test_a_method_that_skips_itself_under_a_mark_has_not_run(run: Run) -> None:
    tests = """
import sys, unittest
class Two(unittest.TestCase):
    @unittest.skipIf(sys.platform == "none", "no")
    def test_two(self):
        if LIMIT < 2: self.skipTest("no")
        self.assertEqual(square(2), 4)
assert square(0) == 0
"""
    result = run(WRONG + FILE, tests=tests)
    assert [test.status for test in result.tests] == ["passed", "not_run"]
    marked = tests.replace('== "none"', '!= "none"')
    assert [test.status for test in run(WRONG + FILE, tests=marked).tests] == ["passed", "skipped"]
