"""Programs that are stopped by limits or signals."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.verification.conftest import completed as ran

from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.program import Completed, LimitName, ResourceLimits
from planish.data.status import Status
from planish.data.task import Task
from planish.data.tests import PytestFile, Stdio, StdioPairs
from planish.errors import SandboxError
from planish.verification import prepare, read_execution

Run = Callable[..., Execution]

CHECK = """
def check(f):
    assert f(1) == 1
    assert f(2) == 2
    assert f(3) == 3
check(f)
assert f(4) == 4
"""


def statuses(execution: Execution) -> list[str]:
    return [test.status for test in execution.tests]


def test_what_passed_before_a_time_out_has_passed(run: Run) -> None:
    code = "def f(n):\n    print('at', n)\n    while n == 2: pass\n    return n\n"
    result = run(code, tests=CHECK, seconds=0.7)
    assert result.status is Status.TIMEOUT
    assert statuses(result) == ["passed", "error", "not_run", "not_run"]
    assert result.tests[1].message == "the program was stopped at its time limit of 0.7 s"
    assert result.failure is not None
    assert (result.failure.name, result.limit) == ("Timeout", "seconds")
    assert result.stdout == "at 1\nat 2\n"


def test_the_first_failure_stays_the_failure_when_time_runs_out(run: Run) -> None:
    code = "def f(n):\n    while n == 4: pass\n    return 7\n"
    result = run(code, tests=CHECK, seconds=0.7)
    assert result.status is Status.TIMEOUT
    assert statuses(result) == ["failed", "not_run", "not_run", "error"]
    assert result.failure is not None
    assert result.failure.name == "AssertionError"


def test_a_loop_that_is_stopped_has_not_passed(run: Run) -> None:
    tests = "def check(f):\n    for n in range(9):\n        assert f(n) == n\ncheck(f)"
    code = "def f(n):\n    while n == 5: pass\n    return n\n"
    assert statuses(run(code, tests=tests, seconds=0.7)) == ["error"]
    two = tests.replace("\ncheck(f)", "\n    assert f(9) == 9\ncheck(f)")
    assert statuses(run(code, tests=two, seconds=0.7)) == ["error", "not_run"]
    last = "def check(f):\n    assert f(1) == 1\n    assert f(2) == 2\n    f(5)\ncheck(f)"
    assert statuses(run(code, tests=last, seconds=0.7)) == ["passed", "passed", "error"]


def test_a_candidate_that_hangs_at_once_runs_no_test(run: Run) -> None:
    result = run("while True: pass", tests=CHECK, seconds=0.5)
    assert statuses(result) == ["not_run"] * 4
    assert result.status is Status.TIMEOUT


@pytest.mark.parametrize("memory", ["x = bytearray(10**13)", "x = [0] * 10**13"])
def test_want_of_memory_is_a_resource_limit(run: Run, memory: str) -> None:
    code = f"def f(n):\n    if n == 2:\n        {memory}\n    return n\n"
    result = run(code, tests=CHECK, memory_mb=256)
    assert result.status is Status.RESOURCE_LIMIT
    assert statuses(result) == ["passed", "error", "not_run", "passed"]
    assert result.failure is not None
    assert (result.failure.name, result.failure.line) == ("MemoryError", 3)


@pytest.mark.parametrize(
    ("death", "name"),
    [
        ("import os; os.abort()", "SIGABRT"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    ],
)
def test_a_signal_is_named(run: Run, death: str, name: str) -> None:
    code = f"def f(n):\n    if n == 2:\n        {death}\n    return n\n"
    result = run(code, tests=CHECK)
    assert result.status is Status.RUNTIME_ERROR
    assert statuses(result) == ["passed", "error", "not_run", "not_run"]
    assert result.failure is not None
    assert (result.failure.name, result.failure.message) == (
        "Killed",
        f"the program was killed by {name}",
    )
    assert result.signal is not None
    alone = run(death)
    assert alone.status is Status.RUNTIME_ERROR
    assert alone.failure == result.failure


def candidate() -> Candidate:
    return Candidate(task=Task("Do it.", tests=CHECK), code="def f(n): return n\n")


def read_alone(completed: Completed) -> Execution:
    return read_execution(prepare(candidate(), ResourceLimits()), [completed])


@pytest.mark.parametrize("limit", ["memory_mb", "output_bytes", "processes"])
def test_other_limits_are_resource_limits(limit: LimitName) -> None:
    completed = Completed(exit_code=None, signal=9, limit=limit, duration=0.1)
    result = read_alone(completed)
    assert result.status is Status.RESOURCE_LIMIT
    assert result.failure is not None
    assert (result.failure.name, result.failure.message) == (
        "ResourceLimit",
        f"the program was stopped at its limit of {limit}",
    )
    assert statuses(result) == ["not_run"] * 4


def test_an_unknown_signal_is_given_by_its_number() -> None:
    result = read_alone(Completed(exit_code=None, signal=63))
    assert result.failure is not None
    assert result.failure.message == "the program was killed by signal 63"


def test_a_verifier_that_does_not_start_is_an_error_of_the_sandbox() -> None:
    error = b'  File "_planish.py", line 3\nImportError: marshal'
    with pytest.raises(SandboxError, match="ImportError: marshal"):
        read_alone(Completed(exit_code=1, stderr=error, results=b""))


def test_a_record_that_a_program_can_remove_is_a_verdict_when_it_is_gone() -> None:
    error = b'  File "_planish.py", line 3\nImportError: marshal'
    result = read_alone(Completed(exit_code=1, stderr=error))
    assert result.failure is not None
    assert result.failure.name == "Tampering"
    assert "or the sandbox collects no '_planish.jsonl'" in result.failure.message
    assert result.status is Status.RUNTIME_ERROR
    assert {*statuses(result)} == {"error"}


def test_results_of_another_run_are_not_taken() -> None:
    one, other = (prepare(candidate(), ResourceLimits()) for _ in range(2))
    results = ran(one.programs[0]).results
    assert read_execution(one, [Completed(exit_code=0, results=results)]).status is Status.SUCCESS
    result = read_execution(other, [Completed(exit_code=0, results=results)])
    assert result.failure is not None
    assert result.failure.name == "Tampering"
    again = prepare(
        candidate(), ResourceLimits(), secret=one.secret
    )  # a recording can be read again
    assert read_execution(again, [Completed(exit_code=0, results=results)]).status is Status.SUCCESS


def without_one(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], *lines[3:]]


def with_one_twice(lines: list[bytes]) -> list[bytes]:
    return [*lines, lines[-1]]


def in_another_order(lines: list[bytes]) -> list[bytes]:
    return [lines[1], lines[0], *lines[2:]]


def with_a_forged_one(lines: list[bytes]) -> list[bytes]:
    return [*lines, b"0" * 32 + b' {"kind": "passed", "test": 0}']


def with_an_empty_one(lines: list[bytes]) -> list[bytes]:
    return [*lines, b""]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_one, "line 3"),
        (with_one_twice, "not genuine"),
        (in_another_order, "line 1"),
        (with_a_forged_one, "not genuine"),
        (with_an_empty_one, "not genuine"),
    ],
)
def test_a_record_that_does_not_fit_is_tampering(change: Any, message: str) -> None:
    prepared = prepare(candidate(), ResourceLimits())
    lines = (ran(prepared.programs[0]).results or b"").split(b"\n")[:-1]
    completed = Completed(exit_code=0, results=b"\n".join([*change(lines), b""]))
    result = read_execution(prepared, [completed])
    assert result.failure is not None
    assert (result.failure.name, result.status) == ("Tampering", Status.RUNTIME_ERROR)
    assert message in result.failure.message
    assert "passed" not in statuses(result)


def test_nothing_run_is_no_evidence() -> None:
    with pytest.raises(ValueError, match="nothing was run"):
        read_execution(prepare(candidate(), ResourceLimits()), [])


def test_pairs_that_were_not_run_have_not_passed() -> None:
    tests = StdioPairs((Stdio("", "a"), Stdio("", "b")))
    one = Candidate(task=Task("Do it.", tests=tests), code="print('a')")
    result = read_execution(prepare(one, ResourceLimits()), [Completed(exit_code=0, stdout=b"a\n")])
    assert statuses(result) == ["passed", "not_run"]


_RPC = """
import gc
endpoint = next(o for o in gc.get_objects() if type(o).__name__ == "RpcEndpoint")
send = endpoint._send
"""
_INTERRUPT = """
import os, signal, time
def f(n):
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(2)
"""
_NEWS = f"""{_RPC}
def twice(kind, value):
    send(kind, value)
    endpoint.collect_updates = lambda: None
    send(kind, value)
def f(n):
    endpoint.collect_updates = lambda: ((), None, None, ([],))
    endpoint._send = twice
"""
_ALARM = """
import signal
def late(*_):
    raise TimeoutError("late")
signal.signal(signal.SIGALRM, late)
signal.alarm(1)
"""


@pytest.mark.parametrize(
    ("code", "before", "name"),
    [
        (_INTERRUPT, "", "KeyboardInterrupt"),
        (_NEWS, "", "TypeError"),
        ("def f(n):\n    while True: pass\n", _ALARM, "TimeoutError"),
    ],
)
def test_what_ends_a_call_of_the_code_is_no_fault_of_the_tests(
    run: Run, code: str, before: str, name: str
) -> None:
    result = run(code, tests=f"{before}found = f(1)\nassert found == 1\n")
    assert result.status is Status.RUNTIME_ERROR
    assert result.failure is not None
    assert result.failure.name == name
    broken = run("def f(n):\n    return 1\n", tests="1 / 0\nfound = f(1)\nassert found == 1\n")
    assert broken.status is Status.TEST_ERROR


@pytest.mark.parametrize("place", ["1.5, 1", "'1', 1", "None, '1'", "1, 1.5"])
@pytest.mark.parametrize("message", ["'no'", "None", "7"])
def test_a_syntax_error_of_any_parts_is_read(run: Run, place: str, message: str) -> None:
    error = f"SyntaxError({message}, ('solution.py', {place}, 'x'))"
    forged = "endpoint._send = lambda *_: send('A', (error, 0, (), (), (), ()))\n"
    result = run(f"{_RPC}error = {error}\n{forged}", tests="assert f(1) == 1")
    assert statuses(result) == ["not_run"]
    assert result.status is Status.SYNTAX_ERROR
    assert result.failure is not None
    assert "SyntaxError" in str(result.failure)


def test_parameters_that_the_code_leaves_out_are_no_skip_of_the_author(run: Run) -> None:
    tests = """
import pytest
from solution import f, inputs
@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.skip(reason="later"))])
def test_one(n): assert f(n) == n
@pytest.mark.parametrize("n", inputs())
def test_all(n): assert f(n) == n
"""
    code = "def f(n):\n    return 1\ndef inputs():\n    return []\n"
    result = run(code, tests=PytestFile(tests), seconds=60)
    assert statuses(result) == ["passed", "skipped", "not_run"]
    assert result.status is Status.PARTIAL_SUCCESS
