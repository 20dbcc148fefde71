"""Files that begin with a byte order mark are read as Python reads them."""

from typing import Any

import pytest
from tests.verification.conftest import Run

from planish import CodeExecution
from planish.data import Candidate, PytestFile, Stdio, StdioPairs, Task
from planish.data.status import Status
from planish_integrations.unsafe import UnsafeLocalSandbox

BOM = "\ufeff"
CODE = f"{BOM}def f(n):\r\n    return n + ONE\r\n"
HELPER = f"{BOM}TWO = 2\r\n"
TESTS: list[dict[str, Any]] = [
    {"tests": f"{BOM}assert f(1) == 2\r\n"},
    {"tests": f"{BOM}def test_f():\r\n    assert f(1) == 2\r\n"},
    {"tests": [(1, 2)], "entry_point": "f"},
    {
        "tests": PytestFile(
            f"{BOM}from helper import TWO\r\nfrom solution import f\r\n"
            "def test_f():\r\n    assert f(1) == TWO\r\n",
            files={"helper.py": HELPER},
        )
    },
]


@pytest.mark.parametrize("task", TESTS)
def test_tests_and_preamble_may_begin_with_a_byte_order_mark(
    run: Run, task: dict[str, Any]
) -> None:
    result = run(CODE, preamble=f"{BOM}ONE = 1\r\n", seconds=60, **task)
    assert (result.status, result.separation) == (Status.SUCCESS, "isolated"), result.failure
    wrong = run(CODE, preamble=f"{BOM}ONE = 3\r\n", seconds=60, **task)
    assert wrong.status is Status.WRONG_ANSWER


@pytest.mark.anyio
async def test_a_checker_may_begin_with_a_byte_order_mark() -> None:
    checker = f"{BOM}def check(stdin, expected, actual):\r\n    return actual == 'yes\\n'\r\n"
    tests = StdioPairs((Stdio("", ""),), checker=checker)
    candidate = Candidate(task=Task("Say yes.", tests=tests), code=f"{BOM}print('yes')\n")
    execution = await CodeExecution(UnsafeLocalSandbox()).run(candidate)
    assert execution.status is Status.SUCCESS, execution.failure
