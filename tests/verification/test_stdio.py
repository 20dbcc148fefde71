"""`StdioPairs` and programs without tests: results by output and exit code."""

from collections.abc import Callable

import anyio
import pytest

from planish import Candidate, CodeExecution, Task
from planish.data.execution import Execution
from planish.data.status import Status
from planish.data.tests import Stdio, StdioPairs
from planish_integrations.local import LocalSandbox

Run = Callable[..., Execution]
ECHO = "import sys\nfor line in sys.stdin:\n    print(line.rstrip()[::-1])\n"


def pairs(*rows: tuple[str, str]) -> StdioPairs:
    return StdioPairs(tuple(Stdio(*row) for row in rows))


@pytest.mark.parametrize(
    ("stdout", "right"),
    [
        ("cba\nfed\n", True),
        ("cba\nfed", True),
        ("cba  \t\r\nfed\n\n \n", True),
        ("cba\n\nfed\n", False),
        (" cba\nfed", False),
        ("cba", False),
        ("", False),
    ],
)
def test_white_space_at_the_end_does_not_count(run: Run, stdout: str, right: bool) -> None:  # noqa: FBT001
    result = run(ECHO, tests=pairs(("abc\ndef\n", stdout)))
    assert result.status is (Status.SUCCESS if right else Status.WRONG_ANSWER)


def test_each_pair_is_a_run_of_its_own(run: Run) -> None:
    code = f"{ECHO}    if line == 'boom': raise ValueError('b' + line[1:])\n"
    result = run(code, tests=pairs(("ab", "ba"), ("ab\ncd", "ba\ndx"), ("boom", "moob")))
    assert [(t.name, t.status) for t in result.tests] == [
        ("pair 1", "passed"),
        ("pair 2", "failed"),
        ("pair 3", "error"),
    ]
    assert result.runs == 3
    assert (result.tests[1].expected, result.tests[1].actual) == ("ba\ndx", "ba\ndc\n")
    assert result.tests[1].message == "line 2 of the output is 'dc', expected 'dx'"
    assert result.tests[2].message == "ValueError: boom"
    assert result.failure is not None
    assert result.failure.message == "pair 2: line 2 of the output is 'dc', expected 'dx'"
    assert (result.stdout, result.exit_code) == ("ba\ndc\n", 0)
    assert result.duration > 0


def test_a_program_that_raises_tells_where(run: Run) -> None:
    code = "print('begun')\nimport preamble_is_not_here\n"
    for tests in (None, pairs(("", "begun"))):
        result = run(code, tests=tests, preamble="import sys\n")
        assert result.status is Status.RUNTIME_ERROR
        assert result.failure is not None
        assert (result.failure.name, result.failure.line) == ("ModuleNotFoundError", 2)
        assert result.stdout == "begun\n"
        assert result.stderr == result.failure.traceback
        assert result.exit_code == 1


@pytest.mark.parametrize(
    ("code", "exit_code", "message"),
    [
        ("import sys; sys.exit(3)", 3, "the program ended with exit code 3"),
        ("raise SystemExit('out of luck')", 1, "the program ended with exit code 1: out of luck"),
        ("import os; os._exit(4)", 4, "the program ended with exit code 4"),
    ],
)
def test_an_exit_code_is_a_failure(run: Run, code: str, exit_code: int, message: str) -> None:
    result = run(code)
    assert (result.status, result.exit_code) == (Status.RUNTIME_ERROR, exit_code)
    assert result.failure is not None
    assert (result.failure.name, result.failure.message) == ("ExitCode", message)


@pytest.mark.parametrize("code", ["import sys; sys.exit()", "import os; os._exit(0)", ""])
def test_a_program_without_tests_succeeds_with_exit_code_0(run: Run, code: str) -> None:
    result = run(code)
    assert (result.status, result.tests, result.failure) == (Status.SUCCESS, (), None)
    assert result.score is None


def test_a_program_runs_as_if_started_by_itself(run: Run) -> None:
    code = """
import atexit, sys, threading, time
if __name__ == "__main__":
    atexit.register(print, "at exit")
    threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
    print(sys.argv, sys.modules["__main__"].__dict__ is globals())
"""
    assert run(code).stdout == "['solution.py'] True\nthread\nat exit\n"


def test_a_time_out_is_one_and_the_pairs_before_have_passed(run: Run) -> None:
    code = "if input() == 'b':\n    print('waiting')\n    while True: pass\n"
    result = run(code, tests=pairs(("a", ""), ("b", "")), seconds=0.5)
    assert result.status is Status.TIMEOUT
    assert [test.status for test in result.tests] == ["passed", "error"]
    assert result.failure is not None
    assert result.failure.name == "Timeout"
    assert result.failure.message == "the program was stopped at its time limit of 0.5 s"
    assert (result.stdout, result.limit) == ("waiting\n", "seconds")


def test_other_languages_are_judged_the_same_way(run: Run) -> None:
    code = 'read line\necho "$greeting $line"\n[ "$line" != no ]\n'
    tests = pairs(("you", "hello you"), ("me", "hello you"), ("no", "hello no"))
    result = run(code, tests=tests, language="bash", preamble="greeting=hello")
    assert [test.status for test in result.tests] == ["passed", "failed", "error"]
    failed = run("echo lost >&2; exit 3", language="bash")
    assert failed.failure is not None
    assert failed.failure.message == "the program ended with exit code 3: lost"
    assert run("exit 0", language="bash").status is Status.SUCCESS


EQUALS_ALL = "print(\"type('Any', (), {'__eq__': lambda self, other: True})()\")"


@pytest.mark.parametrize(
    ("checker", "code", "passed", "separation"),
    [
        ("return eval(actual) == eval(expected)", EQUALS_ALL, True, "shared_process"),
        ("return literal_eval(actual) == literal_eval(expected)", EQUALS_ALL, False, "isolated"),
        ("return literal_eval(actual) == literal_eval(expected)", "print(2)", True, "isolated"),
    ],
)
def test_a_checker_that_may_run_the_output_is_weaker_evidence(
    checker: str,
    code: str,
    passed: bool,  # noqa: FBT001
    separation: str,
) -> None:
    source = f"from ast import literal_eval\ndef check(stdin, expected, actual):\n    {checker}\n"
    task = Task("Two.", tests=StdioPairs([("", "2\n")], checker=source))
    execution = anyio.run(CodeExecution(LocalSandbox()).run, Candidate(task=task, code=code))
    assert (execution.status is Status.SUCCESS) is passed
    assert execution.separation == separation
    assert bool(execution.weakened_by) is (separation != "isolated")
