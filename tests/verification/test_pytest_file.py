"""`PytestFile`: pytest runs it, with a result for each test."""

import sys
from collections.abc import Callable

import pytest

from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.program import Completed, ResourceLimits
from planish.data.status import Status
from planish.data.task import Task
from planish.data.tests import PytestFile
from planish.errors import UnsupportedError
from planish.guest.verifier.channel import Seals
from planish.verification import prepare, read_execution

Run = Callable[..., Execution]

SOURCE = """
import pytest
from solution import add

@pytest.fixture
def one(): return 1

@pytest.fixture
def broken(): raise OSError("no disk")

def test_right(one): assert add(one, 2) == 3

@pytest.mark.parametrize("n", [1, 2])
def test_each(n): assert add(n, n) == 2

def test_turned(): assert 4 == add(1, 2)

def test_raises(): add(1, "2")

class TestMore:
    def test_in_class(self): assert add(1, 1) == 2

@pytest.mark.skip(reason="later")
def test_skipped(): pass

@pytest.mark.xfail(reason="known")
def test_known(): assert add(1, 1) == 3

@pytest.mark.xfail(strict=True)
def test_surprise(): assert add(1, 1) == 2

def test_setup(broken): pass

def test_fails(): pytest.fail("by hand")
"""


def test_every_test_is_reported(run: Run) -> None:
    code = "def add(a, b):\n    return a + b\n"
    result = run(code, tests=PytestFile(SOURCE), seconds=60)
    assert {test.name: test.status for test in result.tests} == {
        "test_right": "passed",
        "test_each[1]": "passed",
        "test_each[2]": "failed",
        "test_turned": "failed",
        "test_raises": "error",
        "TestMore::test_in_class": "passed",
        "test_skipped": "skipped",
        "test_known": "skipped",
        "test_surprise": "failed",
        "test_setup": "error",
        "test_fails": "failed",
    }
    tests = {test.name: test for test in result.tests}
    each = tests["test_each[2]"]
    assert (each.expected, each.actual) == ("2", "4")
    assert (tests["test_turned"].expected, tests["test_turned"].actual) == ("4", "3")
    assert tests["test_skipped"].message == "Skipped: later"
    assert tests["test_known"].message == "known"
    assert tests["test_setup"].message == "OSError: no disk"
    assert tests["test_fails"].message == "by hand"
    assert tests["test_right"].duration is not None
    assert result.status is Status.PARTIAL_SUCCESS
    assert result.failure is not None
    assert result.failure.name == "AssertionError"
    assert 'File "test_solution.py", line 14, in test_each' in result.failure.traceback
    assert "_pytest" not in result.failure.traceback


def test_lines_are_the_candidates_own_behind_a_preamble(run: Run) -> None:
    preamble = '"""Help."""\nfrom __future__ import annotations\nimport math\n'
    code = (
        "from __future__ import (\n    annotations,\n    generator_stop,\n)\n"
        "def add(a: Nowhere, b):\n    return math.floor(a) + b\n"
    )
    result = run(code, preamble=preamble, tests=PytestFile(SOURCE), seconds=60)
    failure = result.failure
    assert failure is not None
    raises = run(
        code,
        preamble=preamble,
        tests=PytestFile("from solution import add\ndef test_a(): add('a', 1)"),
        seconds=60,
    ).failure
    assert raises is not None
    assert (raises.line, raises.text) == (6, "    return math.floor(a) + b")
    assert 'File "solution.py", line 6, in add\n    return math.floor(a) + b' in raises.traceback
    chained = code.replace("    return", "    try: 1 / 0\n    except ArithmeticError: return")
    source = PytestFile("from solution import add\ndef test_a(): add('a', 1)")
    failure = run(chained, preamble=preamble, tests=source, seconds=60).failure
    assert failure is not None
    assert failure.line == 7
    assert 'File "solution.py", line 6, in add\n    try: 1 / 0' in failure.traceback
    assert 'File "solution.py", line 7, in add\n    except' in failure.traceback


@pytest.mark.parametrize(
    ("code", "name", "line", "status"),
    [
        ("x = 1\nimport nowhere\n", "ModuleNotFoundError", 2, Status.RUNTIME_ERROR),
        ("x = 1\nx = [][1]\n", "IndexError", 2, Status.RUNTIME_ERROR),
        ("x = 1\ndef add(:\n", "SyntaxError", 2, Status.SYNTAX_ERROR),
        ("def sub(a, b): pass\n", "ImportError", None, Status.RUNTIME_ERROR),
    ],
)
def test_what_keeps_the_file_from_being_collected_is_the_failure(
    run: Run, code: str, name: str, line: int | None, status: Status
) -> None:
    result = run(code, preamble="import sys", tests=PytestFile(SOURCE), seconds=60)
    assert {test.status for test in result.tests} == {"error"}
    assert len(result.tests) == 10
    assert result.tests[0].message.startswith(f"{name}: ")
    assert result.status is status
    assert result.failure is not None
    assert (result.failure.name, result.failure.line) == (name, line)


def test_an_exit_is_no_pass(run: Run) -> None:
    source = (
        "def test_a(): pass\n"
        "def test_b():\n    from solution import leave\n    leave()\n"
        "def test_c(): pass\n"
    )
    hard = run("import os\ndef leave(): os._exit(0)\n", tests=PytestFile(source), seconds=60)
    assert [test.status for test in hard.tests] == ["no_evidence", "not_run", "not_run"]
    soft = run("import sys\ndef leave(): sys.exit(0)\n", tests=PytestFile(source), seconds=60)
    assert [test.status for test in soft.tests] == ["no_evidence", "not_run", "no_evidence"]
    top = run("import sys\nsys.exit(0)\n", tests=PytestFile(SOURCE), seconds=60)
    assert {test.status for test in top.tests} == {"not_run"}
    for result in (hard, soft, top):
        assert result.failure is not None
        assert result.failure.name == "EarlyExit"


def test_a_module_of_another_name_and_unittest_classes(run: Run) -> None:
    source = """
import unittest
from pkg.calc import add
class Sums(unittest.TestCase):
    def test_a(self): self.assertEqual(add(1, 1), 2)
"""
    tests = PytestFile(source, filename="test_calc.py", module="pkg.calc")
    result = run("def add(a, b):\n    return a + b\n", tests=tests, seconds=60)
    assert [(t.name, t.status) for t in result.tests] == [("Sums::test_a", "passed")]
    assert result.status is Status.SUCCESS


def test_a_file_of_which_nothing_is_collected_has_not_passed(run: Run) -> None:
    source = "import solution\nclass TestNothing:\n    def check(self): pass\n"
    result = run("x = 1\n", tests=PytestFile(source), seconds=60)
    assert [(t.name, t.status) for t in result.tests] == [("test_solution.py", "not_run")]
    assert result.status is Status.RUNTIME_ERROR


def test_a_sandbox_without_pytest_is_unsupported(run: Run) -> None:
    candidate = Candidate(task=Task("Add.", tests=PytestFile(SOURCE)), code="def add(): pass\n")
    prepared = prepare(candidate, ResourceLimits())
    record = b'{"kind": "unsupported", "message": "no", "python": "3.12"}'
    sealed = Seals(prepared.secret.encode()).next(record) + b" " + record + b"\n"
    completed = Completed(exit_code=0, results=sealed)
    with pytest.raises(UnsupportedError, match=r"pytest is not installed .* 3\.12 .* Assertions"):
        read_execution(prepared, [completed])
    assert sys.version_info >= (3, 11)


def test_no_plugin_is_loaded_that_was_not_asked_for(run: Run) -> None:
    source = """
def test_plugins(pytestconfig):
    from solution import one
    names = {name for name, _ in pytestconfig.pluginmanager.list_name_plugin()}
    assert one == 1
    assert ("anyio" in names) == ASKED
    assert "xdist" not in names
"""
    for plugins in ((), ("anyio.pytest_plugin",)):
        text = source.replace("ASKED", str(bool(plugins)))
        text = text.replace('"anyio" in names', '"anyio.pytest_plugin" in names')
        result = run("one = 1\n", tests=PytestFile(text, plugins=plugins), seconds=60)
        assert [test.status for test in result.tests] == ["passed"]


def test_several_test_files_with_helpers_are_served_as_they_were_given(run: Run) -> None:
    tests = PytestFile(
        "from helper import twice\nfrom solution import f\ndef test_a(): assert f(2) == twice(2)\n",
        files={
            "helper.py": "def twice(n): return 2 * n\n",
            "conftest.py": "import pytest\n@pytest.fixture\ndef three(): return 3\n",
            "more/test_more.py": "from near import six\nfrom solution import f\n"
            "def test_b(three): assert f(three) == six()\n",
            "more/near.py": "def six(): return 6\n",
        },
    )
    code = "def f(n): return 2 * n\n"
    names = ["test_a", "more/test_more.py::test_b"]
    right = run(code, tests=tests, seconds=60)
    assert [(test.name, test.status) for test in right.tests] == [(n, "passed") for n in names]
    change = r"""
import os
for folder, _, files in os.walk("."):
    for name in files:
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "w") as file:
                file.write("def twice(n): return n\ndef six(): return 3\n")
def f(n): return n
"""
    wrong = run(change, tests=tests, seconds=60)
    assert [(test.name, test.status) for test in wrong.tests] == [(n, "failed") for n in names]


@pytest.mark.parametrize(
    "source",
    [
        "import nowhere\nfrom solution import f\ndef test_a(): f()\n",
        "from solution import f\nimport nowhere\ndef test_a(): f()\n",
        "raise OSError('no disk')\nimport solution\ndef test_a(): pass\n",
        "from solution import f\ndef test_a(no_such_fixture): f()\n",
    ],
)
def test_broken_tests_are_not_the_candidates_fault(run: Run, source: str) -> None:
    result = run("def f(): pass\n", tests=PytestFile(source), seconds=60)
    assert result.status is Status.TEST_ERROR
    assert not any(test.status == "passed" for test in result.tests)
    missing = run("def g(): pass\n", tests=PytestFile(GOOD), seconds=60)
    assert missing.status is Status.RUNTIME_ERROR


def test_code_cannot_say_that_a_fixture_is_missing(run: Run) -> None:
    code = "class FixtureLookupError(Exception): pass\ndef f(): raise FixtureLookupError('x')\n"
    assert run(code, tests=PytestFile(GOOD), seconds=60).status is Status.RUNTIME_ERROR


def test_data_files_beside_the_tests_are_weaker_evidence(run: Run) -> None:
    source = "from solution import f\ndef test_a(): assert f() == open('data/a.txt').read()\n"
    tests = PytestFile(source, files={"data/a.txt": "here"})
    result = run("def f(): return 'here'\n", tests=tests, seconds=60)
    assert [test.status for test in result.tests] == ["passed"]
    assert "the tests come with data files, which the code can write" in result.weakened_by


GOOD = "from solution import f\ndef test_a(): f()\n"


def test_an_exception_that_says_it_is_of_python_is_one_failure(run: Run) -> None:
    code = "class Odd(Exception): pass\nOdd.__module__ = 'builtins'\ndef f(): raise Odd('why')\n"
    tests = "def test_f():\n    from solution import f\n    assert f() == 1\n"
    for given in (PytestFile(tests), "assert f() == 1"):
        result = run(code, tests=given, seconds=60)
        assert [(test.status, test.message) for test in result.tests] == [("error", "Odd: why")]


def test_outcomes_of_pytest_mean_the_same_when_the_code_raises_them(run: Run) -> None:
    code = (
        "import pytest\n"
        "def fail(why): pytest.fail(why)\n"
        "def skip(why): pytest.skip(why)\n"
        "def no(why): raise ValueError(why)\n"
    )
    tests = """
import pytest
from solution import fail, no, skip

def test_failure():
    with pytest.raises(pytest.fail.Exception, match="too bad"):
        fail("too bad")

def test_skip():
    skip("not now")

def test_error():
    with pytest.raises(ValueError):
        no("so")
"""
    result = run(code, tests=PytestFile(tests), seconds=60)
    assert [(test.name, test.status) for test in result.tests] == [
        ("test_failure", "passed"),
        ("test_skip", "not_run"),
        ("test_error", "passed"),
    ]
