"""Tests as code: assertions and files for pytest."""

import warnings
from typing import Any

import pytest

from planish.data.task import Task
from planish.data.tests import Assertions, PytestFile
from planish.errors import TaskError

TEST = "def test_f(): assert f()"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("assert f(1 == 2", r"does not parse: '\(' was never closed in line 1"),
        ("assert f(1)\nreturn 2", "does not parse: 'return' outside function in line 2"),
        ("assert f('\ud800')", "does not parse: .*surrogates not allowed"),
        ("assert f(1)\0", "does not parse: .*null bytes"),
        ("assert f(" + "-" * 20_000 + "1)", "does not parse: it is nested too deeply"),
        ("x = 1", "check nothing: give assert statements"),
        ("", "check nothing"),
    ],
)
def test_assertions_that_could_never_judge_are_refused(code: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        Assertions(code)


LOADED = "def load_tests(loader, tests, pattern): return tests\n"
BASE = """
import unittest
class Base(unittest.TestCase):
    __test__ = False
    def test_one(self): self.assertEqual(f(self.n), 1)
class One(Base):
    __test__ = True
    n = 1
"""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (f"{BASE}del Base\n{LOADED}", r"line 10 .* nothing calls 'load_tests'"),
        (f"{BASE}del Base\n{LOADED}unittest.main()\n", r"nothing calls 'load_tests'"),
        (BASE, r"line 3 .* `__test__ = False` of 'Base' .* \(`del`\)"),
        (BASE.replace("True", "False") + "del Base", "`__test__ = False` of 'One'"),
        ("def test_one(): assert f(1)\ntest_one.__test__ = False\n", "of 'test_one'"),
    ],
)
def test_a_choice_of_tests_that_would_not_hold_is_refused(code: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        Assertions(code)


@pytest.mark.parametrize(
    "code",
    [
        f"{BASE}del Base",
        "class TestData:\n    __test__ = False\n    one = 1\nassert f(TestData.one)\n",
        "def load_tests(): return [1]\nfor n in load_tests(): assert f(n)\n",
        f"{BASE}{LOADED}assert unittest.TextTestRunner().run(load_tests(0, One('test_one'), 0))\n",
    ],
)
def test_a_choice_of_tests_that_holds_is_accepted(code: str) -> None:
    assert Assertions(code).checks()


@pytest.mark.parametrize(
    "code",
    [
        "def test_one():\n    yield\n    assert f(1)\n",
        "async def test_one():\n    if f(1): yield 1\n",
        "import unittest\nclass One(unittest.TestCase):\n    def test_one(self): yield from f(1)\n",
    ],
)
def test_a_test_that_is_a_generator_is_refused(code: str) -> None:
    with pytest.raises(TaskError, match="'test_one' is a generator"):
        Assertions(code)
    for fine in (
        "def test_one():\n    def more(): yield f(1)\n    assert list(more())\n",
        "def test_one():\n    assert f(1)\n    yield\nassert list(test_one())\n",
        (
            "import unittest\nclass One(unittest.TestCase):\n    def more(self): yield 1\n"
            "    def test_one(self): self.assertTrue(f(1))\n"
        ),
    ):
        assert Assertions(fine).checks()


def test_test_code_warns_of_nothing() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        Assertions("assert f('\\d') is 'x'\nassert (1, 2)")
    assert seen == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def test(:", "does not parse"),
        ("x = 1", "has no test function$"),
        ("tests/test_f.py", r"no test function: give its text, Path\(...\)\.read_text\(\)"),
        ("import testing\nfrom solution import *\nassert f(1)", "has no test function"),
    ],
)
def test_a_pytest_file_has_tests(source: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        PytestFile(source)


@pytest.mark.parametrize(
    "source",
    [
        "async def test_a(): ...",
        "class Checks(IsolatedAsyncioTestCase):\n    async def test_a(self): ...",
        "from helpers import test_a",
        "test_a = make(1)",
    ],
)
def test_a_test_of_a_pytest_file_may_be_any_name_that_pytest_finds(source: str) -> None:
    assert PytestFile(source).source == source


def test_a_pytest_file_has_further_files() -> None:
    files = {
        "conftest.py": "X = 1",
        "data/in.txt": "(",
        "helpers/__init__.py": "",
        "solution.txt": "",
    }
    tests = PytestFile(TEST, files=files)
    files.clear()
    assert tests.files["conftest.py"] == "X = 1"
    assert PytestFile.from_json(tests.to_json()) == tests
    assert hash(tests) == hash(PytestFile.from_json(tests.to_json()))
    with pytest.raises(TypeError):
        tests.files["new.py"] = ""  # type: ignore[index]  # pyright: ignore[reportIndexIssue]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/etc/x.py", "is absolute"),
        ("../x.py", "leads out of"),
        ("a/../../x.py", "leads out of"),
        ("a//b.py", "not a plain path"),
        ("", "not a plain path"),
        ("x\0.py", "NUL"),
        ("test_solution.py", "another test file"),
        ("solution.py", "the candidate's module"),
        ("solution/__init__.py", "the candidate's module"),
        ("pytest.ini", "configuration"),
        ("test_solution.py/a.txt", "is a file"),
        ("solution.py/a.txt", "is a file"),
        ("test_more.py", "the test file test_more.py does not parse"),
    ],
)
def test_a_further_file_has_a_place_of_its_own(path: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        PytestFile(TEST, files={path: "def f(:"})


def test_no_further_file_hides_the_package_of_the_candidate() -> None:
    with pytest.raises(TaskError, match="the candidate's module"):
        PytestFile(TEST, module="pkg.mod", files={"pkg.py": ""})
    with pytest.raises(TaskError, match="is a file"):
        PytestFile(TEST, module="pkg.mod", files={"pkg": ""})
    assert PytestFile(TEST, module="pkg.mod", files={"pkg/__init__.py": ""}).files


@pytest.mark.parametrize("wrong", [{"filename": "../test_x.py"}, {"module": "not a name"}])
def test_a_pytest_file_has_a_plain_name_and_module(wrong: dict[str, Any]) -> None:
    with pytest.raises(TaskError, match=r"leads out of|not the name of a module"):
        PytestFile(TEST, **wrong)


NEVER = [
    PytestFile("def test_a():\n    assert add(1, 2) == 3\n"),
    PytestFile("import math, pytest\n@pytest.mark.skip\ndef test_a(tmp_path): assert add(1)\n"),
    PytestFile("import helper\ndef test_a(): helper.x\n", files={"helper.py": "x = 1\n"}),
    PytestFile("def test_a(): solution.add()\n", module="pkg.adder"),
    PytestFile("# Tests of solution.py\ndef test_a(): assert add(1, 2) == 3\n"),
    PytestFile('"""Tests of the solution."""\ndef test_a():\n    "solution"\n    add(1)\n'),
    PytestFile("def test_a(): add(1)\n", files={"helper.py": "x = 1  # solution\n"}),
    PytestFile("def test_a(): solution.add(1)\n"),  # it is not imported
]


@pytest.mark.parametrize("tests", NEVER)
def test_a_pytest_file_that_never_uses_the_code_is_refused(tests: PytestFile) -> None:
    message = f"the test file test_solution.py never uses the code.* `from {tests.module} import"
    with pytest.raises(TaskError, match=message):
        Task("Add.", tests=tests)
    with pytest.raises(TaskError, match=message):
        Task("Add.", accept=tests)


USES = [
    PytestFile("import importlib\ndef test_a(): importlib.import_module('sol' + 'ution')\n"),
    PytestFile("def test_a(): open('sol' + 'ution.py').read()\n"),
    PytestFile("from pathlib import Path\ndef test_a(): [*Path().glob('*.py')]\n"),
    PytestFile("import subprocess\ndef test_a(): subprocess.run(['make'])\n"),
    PytestFile("from adder import add\ndef test_a(): add(1, 2)\n"),  # a file of the code's
    PytestFile("def test_a(request): request.getfixturevalue('add')\n"),
    PytestFile("def test_a(): ().__class__\n"),
    PytestFile("def test_a(): pass\n", plugins=("pytest_of_mine",)),
    PytestFile("def test_a(add): add(1, 2)\n", files={"conftest.py": "import solution\n"}),
    PytestFile("import helper\ndef test_a(): pass\n", files={"helper.py": "from os import path\n"}),
    PytestFile("def test_a(): pass\n", files={"data.txt": "solution.py\n"}),
    PytestFile("import pkg\ndef test_a(): pkg\n", module="pkg.adder"),
    PytestFile("import json\ndef test_a(): json.dumps(1)\n", module="json"),
    PytestFile("def test_a(mocker): mocker.patch('solution.add')\n"),
    PytestFile("def test_a(mocker): mocker.patch(f'solution.{1}')\n"),
    PytestFile("from .solution import add\ndef test_a(): add(1)\n"),
    PytestFile("from . import solution\ndef test_a(): solution.add(1)\n"),
    PytestFile("import a\ndef test_a(): a.f()\n", files={"a.py": "from . import solution\n"}),
]


@pytest.mark.parametrize("tests", USES)
def test_a_pytest_file_that_may_use_the_code_in_any_way_is_accepted(tests: PytestFile) -> None:
    assert Task("Add.", tests=tests).tests is tests


def test_files_of_the_task_may_lead_to_the_code() -> None:
    assert Task("Add.", tests=NEVER[0], files={"helper.py": "import solution"}).files
    with pytest.raises(TaskError, match="never uses the code"):
        Task("Add.", tests=NEVER[0], files={"rows.csv": "1,2"})


NO_MARKS = [
    ("parametrize('a, b', [(1, 2), (3,)])", "has 2 names, and not as many values in each set"),
    ("parametrize(['a', 'b'], [pytest.param(1, id='x')])", "has 2 names"),
    ("parametrize('a', 5)", "has no list of values"),
    ("parametrize('a')", "has no values"),
    ("parametrize('a', [])", "has an empty list of values"),
    ("parametrise('a', [1])", "is misspelt: write pytest.mark.parametrize"),
]
MARKS = [
    "parametrize('a, b', [(1, 2), pytest.param(3, 4, id='x'), PAIR, (*PAIR,)])",
    "parametrize('a,', [(1, 2)])",
    "parametrize(argnames='a', argvalues='xyz')",
    "parametrize('a', VALUES)",
    "parametrize(*BOTH)",
    "parametrize('a', **OPTIONS)",
    "parametrize(NAMES, [(1,)])",
    "own('a', [])",
    "skip",
]


def marked(mark: str, *, name: str = "test_a", imports: str = "import pytest") -> str:
    lines = [
        "",
        "from solution import f",
        "",
        f"@pytest.mark.{mark}",
        f"def {name}(a): assert f(a)",
    ]
    methods = ["class TestB:", f"    @pytest.mark.{mark}", f"    def {name}(self, a): assert f(a)"]
    return "\n".join([imports, *lines, "def test_b(): assert f(1)", *methods])


@pytest.mark.parametrize(("mark", "says"), NO_MARKS)
def test_a_mark_that_no_test_can_have_is_refused(mark: str, says: str) -> None:
    in_class = marked(mark, name="helper").replace("def helper(self", "def test_c(self")
    for source, line in ((marked(mark), 5), (in_class, 9)):
        with pytest.raises(TaskError) as caught:
            PytestFile(source)
        message = str(caught.value)
        assert message.startswith(f"line {line} of the test file test_solution.py: pytest.mark.par")
        assert says in message


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_that_may_be_right_is_taken(mark: str) -> None:
    assert PytestFile(marked(mark))


@pytest.mark.parametrize("mark", [mark for mark, _ in NO_MARKS])
def test_a_mark_that_pytest_does_not_read_is_taken(mark: str) -> None:
    assert PytestFile(marked(mark, name="helper"))
    assert PytestFile(marked(mark, imports="from tools import pytest"))
