"""Tests of test code that its text does not show as such: they run, and fail where they should."""

import pytest
from tests.verification.conftest import LISTED, RIGHT, WRONG, Run

from planish.data.status import Status

MADE = {
    "a class in another": """
class Outer:
    class Base(unittest.TestCase):
        def test_two(self): self.assertEqual(square(2), 4)
class Inner(Outer.Base):
    pass
""",
    "a class under a condition": """
if unittest:
    class Other(unittest.TestCase):
        def test_two(self): self.assertEqual(square(2), 4)
""",
    "a class by another name of its base": """
Case = unittest.TestCase
class Other(Case):
    def test_two(self): self.assertEqual(square(2), 4)
""",
    "a class that is called": """
def look(self): self.assertEqual(square(2), 4)
Other = type("Other", (unittest.TestCase,), {"test_two": look})
""",
    "runTest": """
class Other(unittest.TestCase):
    def runTest(self): self.assertEqual(square(2), 4)
""",
    "methods that are set": """
for n in range(3):
    def look(self, n=n): self.assertEqual(square(n), n * n)
    setattr(Listed, f"test_{n}", look)
""",
    "a method that is assigned": """
class Other(unittest.TestCase):
    def look(self): self.assertEqual(square(2), 4)
    test_two = look
""",
    "subtests": """
class Other(unittest.TestCase):
    def runTest(self):
        with self.subTest(): self.assertEqual(square(2), 4)
""",
    "a failure that is expected of wrong code": """
class Other(unittest.TestCase):
    @unittest.expectedFailure
    def runTest(self): self.assertEqual(square(2), 0)
""",
    "a skip by the code": """
class Other(unittest.TestCase):
    def runTest(self):
        if square(2) != 4: self.skipTest("no")
""",
    "a skip by the code, of a class": """
class Other(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if square(2) != 4: raise unittest.SkipTest("no")
    def runTest(self): pass
""",
    "a function that is assigned": """
def looking(n):
    def look(more=0): assert square(n) == n * n
    return look
test_two = looking(2)
""",
    "a function under a condition": """
if unittest:
    async def test_two(): assert square(2) == 4
""",
    "a function that skips": """
if unittest:
    def test_two():
        if square(2) != 4: raise unittest.SkipTest("no")
""",
}


@pytest.mark.parametrize("made", MADE)
def test_a_test_that_the_text_does_not_show_is_run(run: Run, made: str) -> None:
    result = run(RIGHT, tests=LISTED + MADE[made])
    assert {test.status for test in result.tests} <= {"passed", "no_evidence"}, result.tests
    result = run(WRONG, tests=LISTED + MADE[made])
    statuses = {test.name: test.status for test in result.tests}
    assert statuses["Listed.test_zero"] == "passed"
    assert list(statuses.values())[-1] == "error"


_RUN = "class Other(unittest.TestCase):\n    def runTest(self): 1 / 0\n"


@pytest.mark.parametrize(
    "more",
    [
        "from unittest import TestCase, FunctionTestCase, IsolatedAsyncioTestCase",
        "@unittest.skip('later')\n" + _RUN,
        "Other = Listed",
        "def test_needs(n): assert square(n) == 4",
        "def test_needs(*, n): assert square(n) == 4",
        "def look(): assert False\nif square(0): look()",
        "from other import test_two, Other",
        _RUN + "assert Other() and square(0) == 0",
        "if unittest:\n    def test_two(): raise unittest.SkipTest('no network')",
    ],
)
def test_what_is_no_test_of_the_test_code_is_not_run(run: Run, more: str) -> None:
    files = {"other.py": "import unittest\nclass Other(unittest.TestCase):\n"}
    files["other.py"] += "    def test_a(self): 1 / 0\ndef test_two(): 1 / 0\n"
    result = run(RIGHT, tests=LISTED + more, files=files)
    assert {test.status for test in result.tests} <= {"passed", "no_evidence"}, result.tests


CHECKED = "def test_two(): assert square(2) == 4\n"
CASE = """
class Other(unittest.TestCase):
    two = 2
    test_two = lambda self: look(self.two)
def look(n): assert square(n) == n * n
"""
MENTIONS = [
    "assert {0} is not None",
    "assert {0} and square(0) == 0",
    "if not {0}: assert False",
    "assert callable({0})",
    "assert {0}.__name__",
    "assert isinstance({0}, object) and hasattr({0}, '__doc__')",
    "other = {0}",
    "all_tests: list = [{0}]\nassert len(all_tests) == 1",
    "by_name = {{'one': {0}}}\nmore = by_name\nprint(more)",
]


@pytest.mark.parametrize("mention", MENTIONS)
@pytest.mark.parametrize(("made", "name"), [(CHECKED, "test_two"), (CASE, "Other")])
def test_a_test_that_statements_only_mention_is_run(
    run: Run, mention: str, made: str, name: str
) -> None:
    tests = f"import unittest\n{made}{mention.format(name)}\nassert square(0) == 0\n"
    assert {test.status for test in run(RIGHT, tests=tests).tests} <= {"passed", "no_evidence"}
    *before, last = run(WRONG, tests=tests).tests
    assert {test.status for test in before} <= {"passed", "no_evidence"}
    assert last.status in ("failed", "error")


@pytest.mark.parametrize(
    "use",
    [
        "for one in [{0}]: count.append(one)",
        "each = [{0}]\nfor one in each: count.append(one)",
        "more = each = [{0}]\ncount.append(each)",
        "by_name = {{'one': {0}}}\nmore = by_name\ncount.extend(more.values())",
        "count.append({0})",
    ],
)
def test_a_test_that_statements_use_is_left_to_them(run: Run, use: str) -> None:
    for made, name in ((CHECKED, "test_two"), (CASE, "Other")):
        tests = f"import unittest\ncount = []\n{made}{use.format(name)}\nassert square(0) == 0\n"
        result = run(WRONG, tests=tests)
        assert {test.status for test in result.tests} <= {"passed", "no_evidence"}
        assert name not in {test.name for test in result.tests}


def test_a_class_in_which_something_is_set_is_run(run: Run) -> None:
    tests = f"{LISTED}Listed.maxDiff = None\nassert square(0) == 0\n"
    tests = tests.replace("square(0), 0", "square(2), 4")
    result = run(WRONG, tests=tests)
    assert [test.status for test in result.tests] == ["passed", "failed"]


MARKED = "def test_two():\n    assert square(2) == 5\n    assert square(3) == 5\n"


@pytest.mark.parametrize(
    "mark",
    [
        "@pytest.mark.skip\n",
        "@pytest.mark.skip(reason='later')\n",
        "@pytest.mark.skipif(sys.version_info > (3, 0), reason='new')\n",
        "@pytest.mark.skipif('sys.version_info > (3, 0)', reason='new')\n",
        "pytestmark = pytest.mark.skip(reason='later')\n",
    ],
)
def test_a_function_with_a_mark_that_skips_it_is_skipped(run: Run, mark: str) -> None:
    tests = f"import pytest, sys\nassert square(0) == 0\n{mark}{MARKED}"
    result = run(RIGHT, tests=tests)
    assert [test.status for test in result.tests] == ["passed", "skipped"]
    assert result.status is Status.SUCCESS


@pytest.mark.parametrize(
    ("code", "mark"),
    [
        ("SLOW = True\n", "@pytest.mark.skipif(SLOW, reason='slow')\n"),
        ("SLOW = True\n", "@pytest.mark.skipif('SLOW', reason='slow')\n"),
        ("import pytest\nmarked = pytest.mark.skip\n", "@marked\n"),
        ("import pytest\npytestmark = [pytest.mark.skip]\n", "pytestmark\n"),
    ],
)
def test_a_function_that_the_code_has_skipped_has_not_passed(
    run: Run, code: str, mark: str
) -> None:
    tests = f"import pytest\nassert square(0) == 0\n{mark}{MARKED}"
    result = run(RIGHT + code, tests=tests)
    assert {test.status for test in result.tests[1:]} <= {"not_run", "failed"}
    assert result.status is not Status.SUCCESS


@pytest.mark.parametrize("mark", ["sys.version_info < (3, 0)", "'sys.version_info < (3, 0)'"])
def test_a_function_whose_mark_does_not_hold_is_run(run: Run, mark: str) -> None:
    tests = f"import pytest, sys\n@pytest.mark.skipif({mark}, reason='old')\n{MARKED}"
    assert run(RIGHT, tests=tests).tests[0].status == "failed"
