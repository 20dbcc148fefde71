"""Names of the candidate's that tests reach without writing them down as names."""

import pytest
from tests.verification.conftest import Run

from planish.data.status import Status
from planish.data.tests import Assertions, PytestFile

CODE = "value = 7\ndef twice(n):\n    return 2 * n\n"


@pytest.mark.parametrize(
    "check",
    [
        *('assert eval("twice(value)") == 14', 'exec("found = twice(value)")\nassert found == 14'),
        *('assert globals()["tw" + "ice"](7) == 14', 'assert vars()["tw" + "ice"](7) == 14'),
        *('assert locals()["tw" + "ice"](7) == 14', 'assert {"twice", "value"} <= set(dir())'),
        'import __main__\nassert getattr(__main__, "tw" + "ice")(7) == 14',
        'import sys\nassert sys.modules["__ma" + "in__"].twice(7) == 14',
    ],
)
def test_all_names_are_there_where_tests_look_for_names(run: Run, check: str) -> None:
    result = run(CODE, tests=Assertions(check, run_as="script"))
    assert result.failure is None
    assert result.status is Status.SUCCESS


def test_a_name_in_a_text_with_dots_is_there(run: Run) -> None:
    code = "def helper():\n    return 1\ndef total():\n    return helper() + 1\n"
    check = """
from unittest import mock
with mock.patch("__main__.helper", lambda: 5):
    assert total() == 6
assert total() == 2
"""
    result = run(code, tests=Assertions(check, run_as="script"))
    assert result.failure is None


def test_python_has_its_own_names_where_the_tests_test_another(run: Run) -> None:
    code = "def sorted(items):\n    return []\ndef first(items):\n    return min(items)\n"
    right = run(code, tests="assert first(sorted([2, 1])) == 1", entry_point="first")
    assert right.failure is None
    own = run(code, tests="assert sorted([2, 1]) == []", entry_point="sorted")
    assert own.failure is None


@pytest.mark.parametrize(
    ("code", "weakened"),
    [
        ("n = 4\ndef twice(x):\n    return x * n\n", True),
        ("n = 4\ndef twice(x):\n    return x * globals()['n']\n", True),
        ("n = 2\ndef twice(x):\n    return 2 * x\n", False),
        ("def twice(x):\n    n = 2\n    return n * x\n", False),
        (
            "def twice(x):\n    return 2 * x\nif True:\n    for n in range(3):\n        print(n)\n",
            False,
        ),
        ("sqrt = None\ndef twice(x):\n    return int(sqrt(4 * x * x))\n", False),
        ("randint = None\ndef twice(x):\n    return 2 * x + randint(0, 0)\n", False),
    ],
)
def test_a_value_that_the_tests_have_set_is_put_on_record(
    run: Run, code: str, *, weakened: bool
) -> None:
    tests = (
        "from math import sqrt\nfrom random import randint\n"
        "for n in (2,):\n    assert twice(3) == 6\nassert twice(1) == 2\n"
    )
    result = run(code, tests=tests, entry_point="twice")
    assert result.status is Status.SUCCESS
    assert ("the code uses 'n', which the tests have set" in result.weakened_by) is weakened
    assert not any("which the tests have" in why for why in result.weakened_by if "'n'" not in why)


@pytest.mark.parametrize("code", ["twice = 5", "twice = None", "twice = {}"])
def test_a_candidate_cannot_make_the_tests_look_broken(run: Run, code: str) -> None:
    result = run(code, tests="found = twice(7)\nassert found == 14", entry_point="twice")
    assert result.status is Status.RUNTIME_ERROR
    broken = run(code, tests="found = [][7]\nassert twice(7) == 14", entry_point="twice")
    assert broken.status is Status.TEST_ERROR


def test_only_annotations_of_the_future_apply_to_the_tests(run: Run) -> None:
    code = (
        "from __future__ import annotations, barry_as_FLUFL\ndef twice(x: No):\n    return 2 * x\n"
    )
    tests = "def helper(x: Unknown): return x\nassert helper(twice(7)) != 4 and twice(1) == 2"
    result = run(code, tests=tests, entry_point="twice")
    assert result.failure is None


@pytest.mark.parametrize(
    ("body", "status", "replaced"),
    [
        ("True", "no_evidence", []),
        ("abs(f()) == 1", "passed", ["abs"]),
        ("OrderedDict(a=f()) == {'a': 1}", "passed", []),  # the same class
        ("len(UserList([f()])) == 1", "passed", ["UserList"]),
    ],
)
def test_an_import_of_all_names_is_no_use_of_the_code(
    run: Run, body: str, status: str, replaced: list[str]
) -> None:
    head = "from collections import OrderedDict, UserList\nfrom solution import *\n"
    code = "from collections import OrderedDict, deque as UserList\ndef f(): return 1\n"
    tests = PytestFile(f"{head}def test_a(): assert {body}\n")
    result = run(f"{code}def abs(n): return n\n", tests=tests, seconds=60)
    assert [test.status for test in result.tests] == [status]
    why = {f"the tests use {name!r}, which the code has replaced" for name in replaced}
    assert {one for one in result.weakened_by if "replaced" in one} == why


@pytest.mark.parametrize(
    ("head", "call", "replaced"),
    [
        ("import solution", "solution.f()", ["all"]),
        ("import solution", "len(solution.f.__name__)", ["all"]),
        ("import solution as s", "s.f()", ["all"]),
        ("import importlib", "importlib.import_module('solution').f()", ["all"]),
        ("", "1", []),
    ],
)
def test_a_name_of_pythons_beside_the_module_under_its_own_name(
    run: Run, head: str, call: str, replaced: list[str]
) -> None:
    tests = PytestFile(f"from solution import *\n{head}\ndef test_a(): assert all([{call} == 1])\n")
    code = "__all__ = ['f', 'all', '__name__']\ndef f(): return 2\ndef all(x): return True\n"
    result = run(code, tests=tests, seconds=60)
    assert [test.status for test in result.tests] == ["passed"]
    why = [f"the tests use {name!r}, which the code has replaced" for name in replaced]
    assert [one for one in result.weakened_by if "replaced" in one] == why


@pytest.mark.parametrize(
    ("code", "replaced"),
    [
        ("import math as m\nfrom collections import deque as row\n", []),
        ("import cmath as m\nfrom collections import Counter as row\n", ["m", "row"]),
    ],
)
def test_a_library_that_code_and_tests_import_by_one_name(
    run: Run, code: str, replaced: list[str]
) -> None:
    head = "import math as m\nfrom collections import deque as row\nfrom solution import *\n"
    tests = PytestFile(f"{head}def test_a(): assert row([m.pi]) != f()\n")
    result = run(f"{code}def f(): return 1\n", tests=tests, seconds=60)
    assert [test.status for test in result.tests] == ["passed"]
    why = [f"the tests use {name!r}, which the code has replaced" for name in replaced]
    assert [one for one in result.weakened_by if "replaced" in one] == why


_STAR = """
import pytest
from solution import *
WANTED = {7: 14}
@pytest.mark.parametrize("n, wanted", [(7, 14)])
def test_a(n, wanted):
    assert twice(n) == WANTED[n] == wanted
"""
_SEEN = "seen = []\ndef twice(n):\n    return seen[0].WANTED[n]\n"
_USED = "the code used a module of the tests"


@pytest.mark.parametrize(
    ("name", "code", "more"),
    [
        ("setup_module", "def setup_module(m):\n    seen.append(m)\n", (_USED,)),
        (
            "pytest_generate_tests",
            "def pytest_generate_tests(metafunc):\n    seen.append(metafunc.module)\n",
            (_USED,),
        ),
        ("setup_function", "def setup_function(f):\n    pass\ndef twice(n):\n    return 14\n", ()),
    ],
)
def test_what_pytest_calls_by_its_name_is_not_the_codes(
    run: Run, name: str, code: str, more: tuple[str, ...]
) -> None:
    result = run(_SEEN + code, tests=PytestFile(_STAR), seconds=60)
    assert [test.status for test in result.tests] == ["passed"]
    reasons = [one for one in result.weakened_by if "pytest" in one or "module" in one]
    assert reasons == [f"pytest calls {name!r}, which the code has made", *more]
    plain = run("def twice(n):\n    return 2 * n\n", tests=PytestFile(_STAR), seconds=60)
    assert not any("pytest" in one or "module" in one for one in plain.weakened_by)


@pytest.mark.parametrize(("made", "used"), [("sys.modules[__name__]", [_USED]), ("Made('a')", [])])
def test_a_module_of_the_tests_shows_the_code_what_they_expect(
    run: Run, made: str, used: list[str]
) -> None:
    code = "seen = []\ndef keep(m): seen.append(m)\ndef twice(n): return seen[0].wanted\n"
    tests = f"import sys\nMade = type(sys)\nmodule = {made}\nmodule.wanted = 14\nkeep(module)\n"
    result = run(code, tests=f"{tests}assert twice(7) == 14")
    assert [test.status for test in result.tests] == ["passed"]
    assert [one for one in result.weakened_by if "module" in one] == used


def test_marks_of_a_test_are_not_shown_to_a_decorator_of_the_code(run: Run) -> None:
    tests = _STAR.replace("@pytest", "@keep\n@pytest")
    code = "seen = []\ndef keep(f):\n    seen.append(f)\n    return f\n"
    twice = "def twice(n):\n    return dict(seen[0].pytestmark[0].args[1])[n]\n"
    result = run(code + twice, tests=PytestFile(tests), seconds=60)
    assert [test.status for test in result.tests] == ["error"]


@pytest.mark.parametrize(
    ("hook", "check"),
    [
        ("pytest_sessionfinish(session)", "assert twice(7) == 14"),
        ("pytest_unconfigure(config)", "assert twice(7) == 14"),
        ("pytest_sessionfinish(session)", "session.exitstatus = int(twice(7) != 14)"),
        ("pytest_sessionfinish(session)", "twice(7) == 14 or pytest.exit('no', 3)"),
    ],
)
@pytest.mark.parametrize(("value", "statuses"), [("2 * n", ["passed"]), ("2", ["passed", "error"])])
def test_a_check_after_the_tests_of_pytest_is_no_pass_when_it_fails(
    run: Run, hook: str, check: str, value: str, statuses: list[str]
) -> None:
    late = f"import pytest\nfrom solution import twice\ndef {hook}:\n    {check}\n"
    source = "from solution import twice\ndef test_a():\n    assert twice(1) == 2\n"
    tests = PytestFile(source, files={"conftest.py": late})
    result = run(f"def twice(n):\n    return {value}\n", tests=tests, seconds=60)
    assert [test.status for test in result.tests] == statuses


FEED = """
import math
class Feed:
    def __init__(self, source): self.source = source
    def read(self): return [line.upper() for line in self.source.lines()]
"""
READS = """
from unittest.mock import Mock
source = Mock()
source.lines.return_value = ["a"]
assert Feed(source).read() == ["A"]
"""


def test_attributes_of_the_code_are_no_names_of_the_tests(run: Run) -> None:
    right = run(FEED, tests=READS)
    assert [test.status for test in right.tests] == ["passed"], right.failure
    assert right.weakened_by == ()
    for by_text in ("eval('source')", "globals()['source']", "__import__('solution').source"):
        wrong = run(FEED.replace("self.source.lines", f"{by_text}.lines"), tests=READS)
        assert [test.status for test in wrong.tests] == ["passed"], wrong.failure
        assert wrong.weakened_by == ("the code uses 'source', which the tests have set",)


def test_many_names_of_one_function_are_all_seen(run: Run) -> None:
    lines = "".join(f"    self.a{n} = abs\n" for n in range(300))
    code = f"def f(self):\n{lines}    return helper(self)\n"
    tests = (
        "class helper:\n    def __init__(self, n): self.n = n\nclass Any: pass\nassert f(Any()).n"
    )
    result = run(code, tests=tests)
    assert [test.status for test in result.tests] == ["passed"], result.failure
    assert "the code uses 'helper', which the tests have set" in result.weakened_by
