"""Asserts of the tests decide, also where Python drops asserts (`python -O`)."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.verification.conftest import COMMANDS, completed

from planish.data.execution import Execution
from planish.data.program import Program
from planish.data.status import Status
from planish.data.tests import PytestFile
from planish.verification._bundle import checker
from planish.verification._pair_results import CHECKER_RECORDS

Run = Callable[..., Execution]

ROOT = Path(__file__).parents[2]
WRONG = "def double(n):\n    return n + 3\n"
TESTS = {
    "statement": "assert double(2) == 4",
    "function": "def test_double():\n    assert double(2) == 4\n",
    "check": "def check(f):\n    assert f(2) == 4\ncheck(double)",
    "unittest": "import unittest\nclass Double(unittest.TestCase):\n"
    "    def test_double(self):\n        assert double(2) == 4\n",
}
OPTIMIZED_HOST = """
import sys
from planish.data.candidate import Candidate
from planish.data.program import ResourceLimits
from planish.data.task import Task
from planish.verification import prepare, read_execution
from tests.verification.conftest import completed

candidate = Candidate(task=Task("Double.", tests=sys.argv[2]), code=sys.argv[1])
prepared = prepare(candidate, ResourceLimits(seconds=20, memory_mb=2048))
execution = read_execution(prepared, [completed(one) for one in prepared.programs])
print(__debug__, execution.status, execution.failure and execution.failure.name)
"""


@pytest.mark.parametrize("kind", TESTS)
@pytest.mark.parametrize("level", ["1", "2"])
def test_an_optimized_host_compiles_the_asserts_of_tests(kind: str, level: str) -> None:
    child = subprocess.run(
        [sys.executable, "-c", OPTIMIZED_HOST, WRONG, TESTS[kind]],
        cwd=ROOT,
        env={**os.environ, "PYTHONOPTIMIZE": level},
        capture_output=True,
        check=True,
        text=True,
    )
    assert child.stdout == f"False {Status.WRONG_ANSWER} AssertionError\n"


def test_an_optimized_sandbox_runs_the_asserts_of_tests(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COMMANDS, "python", [*COMMANDS["python"], "-O"])
    future = "from __future__ import annotations\n"  # the verifier itself compiles these tests
    for tests in TESTS.values():
        assert run(future + WRONG, tests=tests).status is Status.WRONG_ANSWER
    helper = PytestFile(
        "from helper import check\nfrom solution import double\n"
        "def test_double():\n    check(double(2))\n",
        files={"helper.py": "def check(n):\n    assert n == 4\n"},
    )
    execution = run(WRONG, tests=helper)
    assert [test.status for test in execution.tests] == ["failed"]


def test_an_optimized_sandbox_runs_the_asserts_of_a_checker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(COMMANDS, "python", [*COMMANDS["python"], "-O"])
    checks = "def check(stdin, expected, actual):\n    assert actual == expected\n    return True\n"
    program = Program(
        main="main.py",
        files={
            "main.py": checker(),
            "checker.py": checks.encode(),
            "pairs.json": json.dumps([[0, "", "4", "5"]]).encode(),
        },
        collect=(CHECKER_RECORDS,),
    )
    *_, last = completed(program).files[CHECKER_RECORDS].splitlines()
    assert json.loads(last)["state"] == "wrong"
