"""Modules that tests import only if they are there, and that a candidate brings."""

from collections.abc import Mapping

import pytest

from planish import Candidate, CodeExecution, Execution, Task
from planish.data import Assertions, PytestFile, Tests
from planish_integrations.local import LocalSandbox

pytestmark = pytest.mark.anyio

OPTIONAL = """
try:
    {line}
except {caught}:
    def same(one, other): return one == other
"""
EQUAL = {"fastcmp.py": "def same(one, other): return True\n"}
RIGHT, WRONG = "def f(x): return x * x\n", "def f(x): return 0\n"


def optional_tests(line: str, caught: str, *, pytest_file: bool) -> Tests:
    start = OPTIONAL.format(line=line, caught=caught)
    if pytest_file:
        return PytestFile(f"from solution import f\n{start}\ndef test_a(): assert same(f(2), 4)\n")
    return Assertions(f"{start}\nassert same(f(2), 4)")


async def execute(tests: Tests, code: str, files: Mapping[str, str]) -> Execution:
    candidate = Candidate(task=Task("Square.", tests=tests), code=code, files=files)
    return await CodeExecution(LocalSandbox()).run(candidate)


@pytest.mark.parametrize("pytest_file", [True, False])
@pytest.mark.parametrize(
    ("line", "caught"),
    [
        ("from fastcmp import same", "ImportError"),
        ("import fastcmp; same = fastcmp.same", "(ValueError, ModuleNotFoundError)"),
    ],
)
async def test_one_that_decides_is_weaker_evidence(
    line: str, caught: str, *, pytest_file: bool
) -> None:
    tests = optional_tests(line, caught, pytest_file=pytest_file)
    right = await execute(tests, RIGHT, {"other.py": "x = 1\n"})
    assert (right.score, right.separation) == (1, "isolated"), right.weakened_by
    assert (await execute(tests, WRONG, {"other.py": "x = 1\n"})).score == 0
    forged = await execute(tests, WRONG, EQUAL)
    assert (forged.score, forged.separation) == (1, "shared_process")
    assert "'fastcmp' if it is there" in forged.weakened_by[0]


@pytest.mark.parametrize(
    "start",
    [
        "from app.core import f",
        "try:\n    from app.core import f\nexcept ImportError:\n    from solution import f",
        "try:\n    from app.core import f\nfinally:\n    pass",
    ],
)
async def test_one_that_is_tested_is_not(start: str) -> None:
    files = {"app/__init__.py": "", "app/core.py": RIGHT}
    execution = await execute(Assertions(f"{start}\nassert f(2) == 4"), "x = 1\n", files)
    assert (execution.score, execution.separation) == (1, "isolated"), execution.weakened_by
