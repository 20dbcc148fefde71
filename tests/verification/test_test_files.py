"""Files of a `PytestFile` import and patch as in plain pytest, and stay isolated."""

import pytest
from tests.verification.conftest import RIGHT, WRONG, Run
from tests.verification.test_evidence import reasons

from planish.data.tests import PytestFile

HELPER = "def same(a, b):\n    assert a == b\n"
FOLDER = {"tests/__init__.py": "", "tests/helper.py": HELPER}
FILES = {
    "a helper beside it": ("from .helper import same\n", FOLDER),
    "the package itself": ("from . import helper\nsame = helper.same\n", FOLDER),
    "a package within": (
        "from .inner.deep import same\n",
        FOLDER
        | {
            "tests/inner/__init__.py": "from ..helper import same\n",
            "tests/inner/deep.py": "from . import same\n",
        },
    ),
}
RUNNING = "import solution\ndef test_two():\n    same(solution.square(2), 4)\n"


@pytest.mark.parametrize("name", FILES)
def test_relative_imports_of_test_files(run: Run, name: str) -> None:
    head, files = FILES[name]
    tests = PytestFile(head + RUNNING, filename="tests/test_square.py", files=files)
    right = run(RIGHT, tests=tests, seconds=60)
    assert [test.status for test in right.tests] == ["passed"]
    assert reasons(right) == set()
    assert [test.status for test in run(WRONG, tests=tests, seconds=60).tests] == ["failed"]


def test_a_builtin_that_tests_patch_is_patched_in_their_own_code(run: Run) -> None:
    tests = PytestFile(
        "import solution\n"
        "def ask(): return int(input('n? '))\n"
        "def test_two(monkeypatch):\n"
        "    monkeypatch.setattr('builtins.input', lambda _: '2')\n"
        "    assert solution.square(ask()) == 4\n"
    )
    right = run(RIGHT, tests=tests, seconds=60)
    assert [test.status for test in right.tests] == ["passed"]
    assert reasons(right) == set()


HYPOTHESIS = """
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
import solution

FEW = settings(max_examples=5, stateful_step_count=3, database=None, deadline=None)

@FEW
@given(st.integers())
def test_squares(n):
    assert solution.square(n) == n * n

class Squares(RuleBasedStateMachine):
    @rule(n=st.integers(1, 5))
    def one(self, n):
        assert solution.square(n) == n * n

TestSquares = Squares.TestCase
TestSquares.settings = FEW
"""


def test_tests_with_hypothesis_stay_isolated(run: Run) -> None:
    right = run(RIGHT, tests=PytestFile(HYPOTHESIS), seconds=60)
    assert [test.status for test in right.tests] == ["passed", "passed"]
    assert reasons(right) == set()
    wrong = run(WRONG, tests=PytestFile(HYPOTHESIS), seconds=60)
    assert {test.status for test in wrong.tests} == {"failed"}


MADE = """
from abc import ABC
from dataclasses import dataclass
import solution

class Base(ABC):
    pass

@dataclass
class Row(Base):
    n: int

def test_two():
    assert Row(solution.square(2)) == Row(4)
"""


def test_a_dataclass_of_the_tests_that_derives_from_an_abstract_class(run: Run) -> None:
    right = run(RIGHT, tests=PytestFile(MADE), seconds=60)
    assert [test.status for test in right.tests] == ["passed"]
    assert reasons(right) == set()
    derived = MADE.replace("class Base(ABC):", "class Base(solution.Base):")
    code = f"{RIGHT}class Base: pass\n"
    weaker = run(code, tests=PytestFile(derived), seconds=60)
    assert any("exec" in why for why in weaker.weakened_by)


ANNOTATED = """
from typing import get_type_hints
import solution

class Row(solution.Base):
    Number = int
    n: Number = 3

    def area(self):
        return super().area() + self.n

def test_area():
    assert Row().area() == 4
    assert get_type_hints(Row) == {"n": int}
"""


def test_a_class_with_annotations_that_derives_from_the_codes(run: Run) -> None:
    code = "class Base:\n    def area(self):\n        return {}\n"
    right = run(code.format(1), tests=PytestFile(ANNOTATED), seconds=60)
    assert [test.status for test in right.tests] == ["passed"], right.tests
    wrong = run(code.format(2), tests=PytestFile(ANNOTATED), seconds=60)
    assert [test.status for test in wrong.tests] == ["failed"]


DERIVED = """
import json
from solution import Own
def test_own():
    assert issubclass(Own, json.JSONEncoder) and Own().n == 4
"""


@pytest.mark.parametrize(
    "code",
    [
        "import json\nclass Own(json.JSONEncoder): n = 4\n",
        "Base = type('JSONEncoder', (), {'__module__': 'json.encoder'})\nclass Own(Base): n = 4\n",
    ],
)
def test_a_class_that_says_that_it_derives_from_a_librarys_is_no_proof(run: Run, code: str) -> None:
    found = run(code, tests=PytestFile(DERIVED), seconds=60)
    assert [test.status for test in found.tests] == ["passed"], found.tests
    assert any("json.encoder.JSONEncoder" in why for why in found.weakened_by)


CACHED = """
from functools import lru_cache, partial
from operator import add
from threading import Lock
from typing import TypeVar
T = TypeVar("T")
lock = Lock()
one_more = partial(add, 1)
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
"""


@pytest.mark.parametrize("names", ["fib", "*"])
def test_functions_that_a_library_made_from_the_codes_stay_isolated(run: Run, names: str) -> None:
    source = f"from solution import {names}\ndef test_fib():\n    assert fib(9) == 34\n"
    right = run(CACHED, tests=PytestFile(source), seconds=60)
    assert [test.status for test in right.tests] == ["passed"]
    assert reasons(right) == set()
    asking = source + "    from functools import _lru_cache_wrapper as kind\n"
    asked = run(CACHED, tests=PytestFile(f"{asking}    assert isinstance(fib, kind)\n"), seconds=60)
    assert any("looked at the class" in why for why in reasons(asked))


def test_what_tests_import_is_not_imported_for_the_code(run: Run) -> None:
    code = "import sys\ndef f():\n    return sorted(n for n in sys.modules if 'mime' in n)\n"
    right = run(code, tests="import sys\nimport email.mime.audio\nassert f() == []")
    assert [test.status for test in right.tests] == ["passed"], right.tests


SUBMODULE = """
import os, types
from solution import place
def test_place(monkeypatch):
    made = types.ModuleType("made")
    made.join = lambda a, b: a + "!" + b
    with monkeypatch.context() as patch:
        patch.setattr(os, "path", made)
        found = place()
    assert (found, place()) == ("a!b", "a/b")
"""


def test_a_module_in_a_package_that_tests_replace_by_one_of_theirs(run: Run) -> None:
    code = "import os\ndef place():\n    return os.path.join('a', 'b')\n"
    right = run(code, tests=PytestFile(SUBMODULE), seconds=60)
    assert [test.status for test in right.tests] == ["passed"], right.tests
    wrong = run(code.replace("'a'", "'c'"), tests=PytestFile(SUBMODULE), seconds=60)
    assert [test.status for test in wrong.tests] == ["failed"]
