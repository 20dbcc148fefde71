"""Pairs of stdin and stdout through a real sandbox, one program after the other."""

from typing import Any

import pytest

from planish import Candidate, CodeExecution, Execution, Task
from planish.data import ResourceLimits, Status, StdioPairs
from planish_integrations.local import LocalSandbox

DOUBLE = "n = int(input())\nif n == 3: n = 0\nprint(2 * n)\n"
ROWS = [(f"{n}\n", f"{2 * n}\n") for n in (1, 3, 5, 7)]


async def run(code: str, tests: StdioPairs, **limits: Any) -> Execution:
    sandbox = LocalSandbox()
    task = Task("Do it.", tests=tests)
    return await CodeExecution(sandbox, limits=ResourceLimits(**limits)).run(
        Candidate(task=task, code=code)
    )


def statuses(execution: Execution) -> list[str]:
    return [test.status for test in execution.tests]


@pytest.mark.anyio
async def test_all_pairs_run_unless_the_first_failure_is_to_stop_them() -> None:
    everything = await run(DOUBLE, StdioPairs(ROWS))
    assert statuses(everything) == ["passed", "failed", "passed", "passed"]
    stopped = await run(DOUBLE, StdioPairs(ROWS, stop_at_first=True))
    assert statuses(stopped) == ["passed", "failed", "not_run", "not_run"]
    assert stopped.runs == 2
    wrong = await run("print(0)", StdioPairs(ROWS, stop_at_first=True))
    assert (wrong.status, statuses(wrong)[1]) == (Status.WRONG_ANSWER, "not_run")
    assert stopped.tests[2].message == "a pair before it did not pass"
    assert stopped.failure is not None
    assert "line 1 of the output is '0'" in stopped.failure.message


@pytest.mark.anyio
async def test_pairs_that_hang_share_one_limit() -> None:
    tests = StdioPairs([("", "1")] * 20, seconds=1.0)
    hanging = await run("while True: pass\n", tests, seconds=0.4)
    assert 1 <= hanging.runs <= 3  # each is stopped after 0.4 s at the earliest
    assert statuses(hanging) == ["error"] * hanging.runs + ["not_run"] * (20 - hanging.runs)
    assert hanging.tests[-1].message == "the 1 s for all pairs were used up"
    assert hanging.status is Status.TIMEOUT


@pytest.mark.anyio
async def test_time_that_is_used_up_is_the_failure_though_all_before_passed() -> None:
    slow = "import time\nt = time.process_time() + 0.3\nwhile time.process_time() < t: pass\n"
    execution = await run(slow, StdioPairs([("", "")] * 5, seconds=0.2), seconds=20)
    assert "passed" not in statuses(execution)[1:]
    assert execution.status is Status.TIMEOUT
    assert execution.failure is not None
    assert execution.failure.name == "Timeout"


@pytest.mark.anyio
async def test_each_pair_may_have_a_limit_of_its_own() -> None:
    execution = await run("while True: pass\n", StdioPairs([("", "")], seconds_each=0.3))
    assert execution.status is Status.TIMEOUT
    assert execution.duration < 30  # the limit of CodeExecution


@pytest.mark.anyio
async def test_an_expected_output_may_be_longer_than_the_limit() -> None:
    long = "x" * 99 + "\n"
    tests = StdioPairs([("", long * 30_000)])
    execution = await run("print(('x' * 99 + '\\n') * 30_000)", tests)
    assert execution.status is Status.SUCCESS
    more = await run("while True: print('x' * 99)", tests)
    assert more.status is Status.RESOURCE_LIMIT


CHECKER = """
import math

def check(stdin, expected, actual):
    n = int(stdin)
    factors = [int(word) for word in actual.split()]
    if math.prod(factors) != n:
        return f"the factors give {math.prod(factors)}"
    return len(factors) > 1
"""
FACTORS = [("12\n", "3 4\n"), ("15\n", "3 5\n"), ("35\n", "5 7\n"), ("77\n", "7 11\n")]
ANSWERS = "n = int(input())\nprint({12: '2 6', 15: '4 4', 35: '35', 77: 'seven'}[n])\n"


@pytest.mark.anyio
async def test_a_checker_judges_the_outputs_in_a_program_of_its_own() -> None:
    execution = await run(ANSWERS, StdioPairs(FACTORS, checker=CHECKER))
    assert statuses(execution) == ["passed", "failed", "failed", "failed"]
    assert [test.message for test in execution.tests] == [
        "",
        "the factors give 16",
        "the checker says no",
        "the checker raised ValueError: invalid literal for int() with base 10: 'seven'",
    ]
    assert execution.runs == 5
    right = await run(
        "n = int(input())\nd = next(d for d in range(2, n) if n % d == 0)\nprint(n // d, d)",
        StdioPairs(FACTORS, checker=CHECKER, stop_at_first=True),
    )
    assert (right.status, right.runs) == (Status.SUCCESS, 8)
    stopped = await run(ANSWERS, StdioPairs(FACTORS, checker=CHECKER, stop_at_first=True))
    assert statuses(stopped) == ["passed", "failed", "not_run", "not_run"]
    assert stopped.runs == 4


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("checker", "message"),
    [
        (
            "def check(a, b, c): return undefined",
            "the checker does not accept the expected output itself: the checker raised NameError",
        ),
        ("def check(a, b, c):\n    while True: pass", "the checker was stopped at its limit of"),
        ("import os\ndef check(a, b, c): os._exit(0)", "the checker was stopped at its own end"),
        ("import os\nos._exit(0)\ndef check(a, b, c): 1", "the checker was stopped at its own end"),
    ],
)
async def test_a_checker_that_is_broken_passes_nothing(checker: str, message: str) -> None:
    execution = await run("print(1)", StdioPairs([("", "1")], checker=checker), seconds=1.0)
    assert statuses(execution) == ["error"]
    assert execution.tests[0].message.startswith(message)
    broken = "does not accept" in message
    assert execution.status is (Status.TEST_ERROR if broken else Status.RUNTIME_ERROR)
    assert execution.failure is not None
    assert execution.failure.name == "CheckerError"
    assert execution.failure.message == execution.tests[0].message


@pytest.mark.anyio
async def test_a_program_that_fails_by_itself_is_not_checked() -> None:
    checker = "def check(a, b, c): return True"
    execution = await run(
        "print(1)\nif input() == 'x': raise SystemExit(3)",
        StdioPairs([("x", "1"), ("y", "1")], checker=checker),
    )
    assert statuses(execution) == ["error", "passed"]
