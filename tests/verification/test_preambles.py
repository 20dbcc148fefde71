"""Broken preambles and fixtures: what raises with any code is no fault of the code."""

from dataclasses import replace
from typing import Any

import pytest
from tests.verification.conftest import Run, completed
from tests.verification.test_tracebacks import wrong

from planish.data.candidate import Candidate
from planish.data.message import Request
from planish.data.program import ResourceLimits
from planish.data.status import Status
from planish.data.task import Task
from planish.data.tests import Assertions, PytestFile, Stdio, StdioPairs
from planish.feedback import execution_findings
from planish.verification import prepare, read_execution

RAISES = "from __future__ import annotations\n\ndef ratio(n):\n    return 1 / n\nHALF = ratio(0)\n"
FILE = "from solution import f\ndef test_f():\n    assert f(1) == 1\n"
WITH_PREAMBLE: list[dict[str, Any]] = [
    {"tests": "assert f(1) == 1"},
    {"tests": Assertions("assert f(1) == 1", run_as="script")},
    {"tests": [(1, 1)], "entry_point": "f"},
    {"tests": PytestFile(FILE)},
    {"tests": PytestFile("def test_f():\n    import m\n    assert m.f(1) == 1\n", module="m")},
    {"tests": StdioPairs((Stdio("1", "1"), Stdio("2", "2")))},
    {"tests": None},
]


@pytest.mark.parametrize("task", WITH_PREAMBLE)
def test_a_preamble_that_raises_is_no_fault_of_the_code(run: Run, task: dict[str, Any]) -> None:
    code = "from __future__ import annotations\ndef f(n):\n    return n\n"
    result = run(code, preamble=RAISES, **task)
    failure = wrong(result)
    assert (result.status, failure.name) == (Status.TEST_ERROR, "PreambleError")
    assert failure.message == (
        "ZeroDivisionError: division by zero (line 4 of the task's preamble: return 1 / n): no "
        "code can pass"
    )
    assert {test.status for test in result.tests} <= {"not_run"}
    (finding,) = (one for one in execution_findings(result) if one.severity == "error")
    assert (finding.kind, finding.place) == ("test_error", "harness")
    # The code's own call of what the preamble defines is the code's error.
    called = run("x = ratio(0)\ndef f(n):\n    return n\n", preamble=RAISES[:-16], **task)
    assert called.status is Status.RUNTIME_ERROR
    assert "PreambleError" not in str(called.failure)


VALIDATE = "def validate(n):\n    if n != 4:\n        raise ValueError(n)\n"


@pytest.mark.parametrize(
    "tests",
    [
        "assert validate(f(2)) is None",
        "def test_two():\n    validate(f(2))\n",
        PytestFile("import solution\ndef test_two():\n    solution.validate(solution.f(2))\n"),
        PytestFile(
            "from solution import *\nvalidate(f(2))\ndef test_two():\n    assert f(2) == 4\n"
        ),
    ],
)
def test_what_the_tests_call_of_a_preamble_may_raise(run: Run, tests: Any) -> None:
    result = run("def f(n):\n    return 0\n", tests=tests, preamble=VALIDATE)
    assert result.failure is not None
    assert (result.status, result.failure.name) == (Status.RUNTIME_ERROR, "ValueError")
    right = run("def f(n):\n    return n * n\n", tests=tests, preamble=VALIDATE)
    assert right.status is Status.SUCCESS, right.failure


def test_a_module_that_a_reply_may_bring_is_no_fault_of_the_preamble(run: Run) -> None:
    lacks: dict[str, Any] = {"tests": "assert f(1) == 1", "preamble": "import no_such_module\n"}
    task = Task("Do it.", **lacks)
    assert run("def f(n): return n", **lacks).status is Status.TEST_ERROR
    for candidate in (
        Candidate(task=replace(task, requirement="Write no_such_module.py too."), code="f = int"),
        Candidate(task=task, code="f = int", packages=("no_such_package",)),
        Candidate(task=task, code="f = int", files={"other.py": "x = 1\n"}),
        Candidate(task=task, code="f = int", request=Request(messages=(), schema={})),
    ):
        prepared = prepare(candidate, ResourceLimits())
        result = read_execution(prepared, [completed(one) for one in prepared.programs])
        assert result.status is Status.RUNTIME_ERROR
        assert wrong(result).name == "ModuleNotFoundError"


@pytest.mark.parametrize("task", WITH_PREAMBLE)
@pytest.mark.parametrize("code", [0, 3])
def test_a_preamble_that_exits_is_no_fault_of_the_code(
    run: Run, task: dict[str, Any], code: int
) -> None:
    exits = f"import sys\ndef leave(n):\n    sys.exit(n)\nleave({code})\n"
    result = run("def f(n):\n    return n\n", preamble=exits, **task)
    failure = wrong(result)
    assert (result.status, failure.name) == (Status.TEST_ERROR, "PreambleError")
    assert failure.message == (
        f"SystemExit: the program called exit({code}) (line 3 of the task's preamble: "
        "sys.exit(n)): no code can pass"
    )
    # The code's own call of it is the code's end.
    called = run("leave(3)\ndef f(n):\n    return n\n", preamble=exits[:-9], **task)
    assert called.status is Status.RUNTIME_ERROR
    assert "PreambleError" not in str(called.failure)


def test_a_file_of_the_code_that_the_preamble_imports_is_code(run: Run) -> None:
    task = Task("Do it.", tests="assert f(1) == 1", preamble="import other\n")
    candidate = Candidate(task=task, code="f = int", files={"other.py": "1 / 0\n"})
    prepared = prepare(candidate, ResourceLimits())
    result = read_execution(prepared, [completed(one) for one in prepared.programs])
    assert result.status is Status.RUNTIME_ERROR


FIXTURES = """
import pytest
from solution import f
@pytest.fixture
def x(y): return 1
@pytest.fixture
def y(x): return 1
def test_lacks(db): f(1)
def test_circle(x): f(1)
def test_asks(request): request.getfixturevalue('db')
"""


def test_a_missing_fixture_reads_as_pytest_says_it(run: Run) -> None:
    other = {"more/test_more.py": "import solution\n\ndef test_b(dc): pass\n"}
    result = run("def f(n): pass\n", tests=PytestFile(FIXTURES, files=other), seconds=60)
    assert result.status is Status.TEST_ERROR
    assert [test.message for test in result.tests] == [
        "fixture 'db' not found (test_solution.py, line 8)",
        "recursive dependency involving fixture 'x' detected (test_solution.py, line 9)",
        "fixture 'db' not found (test_solution.py, line 10)",
        "fixture 'dc' not found (more/test_more.py, line 3)",
    ]
    assert wrong(result).message == "fixture 'db' not found"
    assert "Request" not in wrong(result).traceback
    assert {one.kind for one in execution_findings(result)} == {"test_error"}
    own = "class FixtureLookupError(Exception): pass\ndef f(n): raise FixtureLookupError('x', n)\n"
    raised = run(own, tests=PytestFile(FILE), seconds=60)
    assert (raised.status, wrong(raised).message) == (Status.RUNTIME_ERROR, "('x', 1)")


USED = "import pytest\nfrom solution import f\n@pytest.fixture\ndef x(): return 1\n"
REFUSED = {
    "@pytest.fixture(scope='module')\ndef y(x): return x\ndef test_a(y): assert f(1) == 1\n": (
        "ScopeMismatch: You tried to access the function scoped fixture x"
    ),
    "async def test_a(): assert f(1) == 1\n": "async def functions are not natively supported.",
    "def test_a(): assert f(x()) == 1\n": 'Fixture "x" called directly.',
    "@pytest.mark.skipif(True)\ndef test_a(): assert f(1) == 1\n": "Error evaluating 'skipif'",
    "@pytest.mark.parametrize('y', [1])\ndef test_a(): f(1)\n": "In test_solution.py::test_a: ",
}


@pytest.mark.parametrize("tests", REFUSED)
def test_what_pytest_cannot_run_is_the_fault_of_the_tests(run: Run, tests: str) -> None:
    result = run("def f(n): return n\n", tests=PytestFile(USED + tests), seconds=60)
    assert result.status is Status.TEST_ERROR
    assert [test.status for test in result.tests] == ["error"]
    assert wrong(result).message.startswith(REFUSED[tests])
    assert {one.kind for one in execution_findings(result)} == {"test_error"}


@pytest.mark.parametrize(
    "tests",
    [
        "def test_a():\n    with pytest.raises(ValueError): f(1)\n",
        "def test_a():\n    with pytest.warns(UserWarning): f(1)\n",
        "@pytest.fixture\ndef y():\n    if f(1): pytest.fail('no')\ndef test_a(y): f(1)\n",
        "def test_a(): f(1) and pytest.fail('no')\n",
    ],
)
def test_what_tests_fail_by_pytest_is_a_wrong_answer(run: Run, tests: str) -> None:
    result = run("def f(n): return n\n", tests=PytestFile(USED + tests), seconds=60)
    assert result.status is Status.WRONG_ANSWER, result.failure
    assert {one.kind for one in execution_findings(result)} == {"logic"}
