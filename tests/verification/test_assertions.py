"""`Assertions`: each check runs separately, each assert is a test."""

from collections.abc import Callable
from typing import Literal

import pytest

from planish.data.execution import Execution, Failure
from planish.data.status import Status
from planish.data.tests import Assertions

Run = Callable[..., Execution]

SQUARE = "def square(n):\n    return n * n\n"
CHECK = """
def check(candidate):
    assert candidate(1) == 1
    assert candidate(2) == 4, "two squared"
    assert 9 == candidate(3)
    assert candidate(4) == 16

check(square)
"""


def wrong(result: Execution) -> Failure:
    assert result.failure is not None
    return result.failure


def statuses(execution: Execution) -> list[str]:
    return [test.status for test in execution.tests]


@pytest.mark.parametrize("run_as", ["module", "script"])
def test_each_assert_of_a_check_is_a_test(run: Run, run_as: Literal["module", "script"]) -> None:
    result = run(SQUARE, tests=Assertions(CHECK, run_as=run_as))
    assert result.status is Status.SUCCESS
    assert result.score == 1.0
    assert [test.name for test in result.tests] == [
        "assert candidate(1) == 1",
        "assert candidate(2) == 4, 'two squared'",
        "assert 9 == candidate(3)",
        "assert candidate(4) == 16",
    ]
    assert [test.line for test in result.tests] == [3, 4, 5, 6]
    assert result.failure is None
    assert (result.exit_code, result.runs) == (0, 1)


def test_a_check_that_fails_counts_the_asserts_before(run: Run) -> None:
    result = run("def square(n):\n    return 7 if n == 3 else n * n\n", tests=CHECK)
    assert result.status is Status.PARTIAL_SUCCESS
    assert statuses(result) == ["passed", "passed", "failed", "not_run"]
    assert result.score == 0.5
    assert (result.tests[2].expected, result.tests[2].actual) == ("9", "7")
    assert wrong(result).name == "AssertionError"
    assert wrong(result).message == "assert 9 == candidate(3): got 7, expected 9"
    assert result.exit_code == 1


def test_an_exception_on_the_way_is_an_error(run: Run) -> None:
    code = "def square(n):\n    print('now', n)\n    return n * n if n < 3 else [][n]\n"
    result = run(code, tests=CHECK)
    assert statuses(result) == ["passed", "passed", "error", "not_run"]
    assert result.tests[2].message == "IndexError: list index out of range"
    failure = wrong(result)
    assert (failure.name, failure.message) == ("IndexError", "list index out of range")
    assert (failure.line, failure.text) == (3, "    return n * n if n < 3 else [][n]")
    assert 'File "solution.py", line 3, in square\n    return n * n' in failure.traceback
    assert 'File "tests.py", line 5, in check\n    assert 9 == candidate(3)' in failure.traceback
    assert "planish" not in failure.traceback
    assert result.stdout == "now 1\nnow 2\nnow 3\n"


def test_a_failed_check_does_not_keep_the_next_from_running(run: Run) -> None:
    tests = "assert f(1) == 1\nassert f(2) == 3\nassert f(3) == 3\nassert f('a') == 1"
    result = run("def f(n):\n    return n + 0\n", tests=tests)
    assert statuses(result) == ["passed", "failed", "passed", "error"]
    assert result.status is Status.PARTIAL_SUCCESS
    assert wrong(result).message == "assert f(2) == 3: got 2, expected 3"


def test_the_message_of_an_assert_is_kept(run: Run) -> None:
    result = run("def f(n):\n    return n\n", tests="assert f(1) == 2, 'one' + ' plus one'")
    assert result.tests[0].message == "one plus one"
    assert wrong(result).message == "one plus one"


def test_setup_that_raises_ends_the_run(run: Run) -> None:
    result = run(SQUARE, tests="assert square(1) == 1\nx = 1 / 0\nassert square(2) == 4")
    assert statuses(result) == ["passed", "not_run"]
    assert wrong(result).name == "ZeroDivisionError"
    assert result.status is Status.PARTIAL_SUCCESS


def test_test_code_that_raises_at_the_end_is_not_a_pass(run: Run) -> None:
    tests = "assert square(1) == 1\nprint(square(2),\n square('2'))"
    result = run(SQUARE, tests=tests)
    assert [(t.name, t.status, t.line) for t in result.tests] == [
        ("assert square(1) == 1", "passed", 1),
        ("print(square(2), square('2'))", "error", 3),
    ]
    assert result.status is Status.PARTIAL_SUCCESS
    assert wrong(result).name == "TypeError"
    exits = run(SQUARE, tests="assert square(1) == 1\nx = square(exit(0))")
    assert [(t.name, t.status) for t in exits.tests] == [
        ("assert square(1) == 1", "passed"),
        ("line 2 of the tests", "error"),
    ]


def test_a_candidate_that_raises_runs_no_test(run: Run) -> None:
    result = run("import nowhere\n" + SQUARE, tests=CHECK)
    assert statuses(result) == ["not_run"] * 4
    assert result.status is Status.RUNTIME_ERROR
    assert wrong(result).name == "ModuleNotFoundError"
    assert (wrong(result).line, wrong(result).text) == (1, "import nowhere")


def test_a_loop_of_asserts_is_one_test(run: Run) -> None:
    tests = "def check(f):\n    for n in range(100):\n        assert f(n) == n * n\ncheck(square)"
    assert statuses(run(SQUARE, tests=tests)) == ["passed"]
    result = run("def square(n):\n    return n * n if n < 50 else -1\n", tests=tests)
    assert statuses(result) == ["failed"]
    assert (result.tests[0].expected, result.tests[0].actual) == ("2500", "-1")


def test_an_assert_that_held_in_a_loop_has_passed_when_another_fails(run: Run) -> None:
    tests = """
def check(f):
    for n in range(5):
        assert f(n) >= 0
    assert f(9) == 80
check(square)
"""
    assert statuses(run(SQUARE, tests=tests)) == ["passed", "failed"]


def test_two_checks_through_one_function_are_kept_apart(run: Run) -> None:
    tests = """
def check(f, n):
    assert f(n) >= 0
    assert f(n) == n * n
check(square, 1)
check(square, 2)
"""
    result = run("def square(n):\n    return 1\n", tests=tests)
    assert statuses(result) == ["passed", "passed", "passed", "failed"]


def test_raising_between_two_asserts_is_the_fault_of_the_next(run: Run) -> None:
    tests = """
def check(f):
    assert f(1) == 1
    value = f(2)
    assert value == 4
    assert f(3) == 9
check(square)
"""
    code = "def square(n):\n    if n == 2: raise KeyError(n)\n    return n * n\n"
    assert statuses(run(code, tests=tests)) == ["passed", "error", "not_run"]


def test_raising_after_the_last_assert_is_not_a_pass(run: Run) -> None:
    tests = """
def check(f):
    assert f(1) == 1
    assert f(2) == 4
    raise ValueError("after all")
check(square)
"""
    result = run(SQUARE, tests=tests)
    assert statuses(result) == ["passed", "passed", "error"]
    assert result.status is Status.PARTIAL_SUCCESS


def test_asserts_not_reached_by_a_check_that_passed_are_left_out(run: Run) -> None:
    tests = """
def check(f):
    assert f(1) == 1
    if f(1) == 1:
        return
    assert f(2) == 4
def quiet(f):
    if f(1) == 1:
        return
    assert f(2) == 4
    assert f(3) == 9
check(square)
quiet(square)
"""
    result = run(SQUARE, tests=tests)
    assert [(t.name, t.status) for t in result.tests] == [
        ("assert f(1) == 1", "passed"),
        ("quiet(square)", "passed"),
    ]


def test_an_assert_of_the_candidate_is_an_error_of_the_test(run: Run) -> None:
    result = run("def f(n):\n    assert n > 5, 'too small'\n", tests="assert f(1) == 1")
    assert statuses(result) == ["error"]
    assert result.tests[0].message == "AssertionError: too small"
    assert wrong(result).line == 2


def test_an_assertion_helper_of_the_tests_is_a_failure(run: Run) -> None:
    tests = """
def verify(got, want):
    if got != want:
        raise AssertionError(f"{got} is not {want}")
verify(square(2), 5)
"""
    result = run(SQUARE, tests=tests)
    assert statuses(result) == ["failed"]
    assert result.tests[0].message == "4 is not 5"


def test_async_checks_are_awaited(run: Run) -> None:
    code = "async def f(n):\n    return n\n"
    tests = """
import asyncio
async def check(f):
    assert await f(1) == 1
    assert await f(2) == 3
asyncio.run(check(f))
check(f)
"""
    assert statuses(run(code, tests=tests)) == ["passed", "failed"] * 2


def test_exec_of_test_code_that_does_not_compile_in_the_sandbox(run: Run) -> None:
    result = run(SQUARE, tests="assert square(2) == 4\nassert eval('1 +') == 1")
    assert statuses(result) == ["passed", "error"]
    assert result.status is Status.PARTIAL_SUCCESS
