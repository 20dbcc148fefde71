"""Findings of real executions: place, kind, exception, signature."""

from typing import Any

import pytest

from planish import Candidate, CodeExecution, Execution, Report, Task
from planish.data import Attempt, Failure, Feedback, PytestFile, Status, StdioPairs, TestResult
from planish.feedback import execution_findings
from planish.feedback._texts import shorten, signature_of, text_difference
from planish.judges import tests_pass
from planish_integrations.local import LocalSandbox

SANDBOX = LocalSandbox()
LACKS = "ModuleNotFoundError"
TESTS = "assert f(2) == 4\nassert f(3) == 9"
FILE = "from solution import f\n\ndef test_two():\n    assert f(2) == 4\n"
# A statement that uses the candidate lacks something of the tests.
LACKING = FILE.replace("f(2)", "f(__import__('nowhere').two)")


async def run(code: str, tests: Any = TESTS, **task: Any) -> Execution:
    candidate = Candidate(task=Task("Square a number.", tests=tests, **task), code=code)
    return await CodeExecution(SANDBOX).run(candidate)


PLACED = [
    # code, tests, place, kind, exception, line
    ("def f(x):\n    return {}[x]", TESTS, "solution", "logic", "KeyError", 2),
    ("def f(x):\n    raise type('Own', (KeyError,), {})", TESTS, "solution", "logic", "Own", 2),
    ("def g(x):\n    return x", TESTS, "tests", "logic", "NameError", None),
    ("def f():\n    return 1", TESTS, "tests", "logic", "TypeError", None),
    ("def f(x):\n    return x", TESTS, "tests", "logic", "AssertionError", None),
    ("import nowhere\ndef f(x): return 1", TESTS, "solution", "environment", LACKS, 1),
    ("def f(x):\n    import nowhere", TESTS, "solution", "environment", LACKS, 2),
    ("from math import nowhere", TESTS, "solution", "logic", "ImportError", 1),
    ("def f(x):\n    return f(x)", TESTS, "solution", "resource", "RecursionError", 2),
    ("def f(x) return", TESTS, "solution", "logic", "SyntaxError", 1),
    ("import nowhere\ndef f(x): return 4", FILE, "solution", "environment", LACKS, 1),
    ("def f(x) return", FILE, "solution", "logic", "SyntaxError", 1),
    ("def g(x):\n    return 4", FILE, "tests", "logic", "ImportError", None),
    ("def f(x):\n    return 4", f"import nowhere\n{FILE}", "tests", "test_error", LACKS, None),
    ("def f(x):\n    return 4", LACKING, "tests", "test_error", LACKS, None),
    ("def f(x):\n    return 4", f"1 / 0\n{FILE}", "tests", "test_error", "ZeroDivisionError", None),
]  # fmt: skip


@pytest.mark.anyio
@pytest.mark.parametrize(("code", "tests", "place", "kind", "exception", "line"), PLACED)
async def test_a_finding_has_its_place_and_kind(
    code: str, tests: str, place: str, kind: str, exception: str, line: int | None
) -> None:
    given = PytestFile(tests) if "solution" in tests else tests
    first = execution_findings(await run(code, given))[0]
    assert (first.place, first.kind, first.exception, first.line) == (place, kind, exception, line)


@pytest.mark.anyio
async def test_an_exception_has_its_bases() -> None:
    code = "class Own(KeyError): pass\nclass More(Own): pass\ndef f(x):\n    raise More('no')"
    first = execution_findings(await run(code))[0]
    assert (first.exception, first.bases[:3]) == ("More", ("Own", "KeyError", "LookupError"))
    assert first.fix == "check that the key is there, or use .get()"


@pytest.mark.anyio
async def test_names_of_classes_are_bounded() -> None:
    code = (
        "kind = Exception\nfor n in range(30):\n"
        "    kind = type('K' * (n * 9) or 'a b', (kind,), {})\n"
        "def f(x):\n    raise kind('no')"
    )
    first = execution_findings(await run(code))[0]
    assert len(first.bases) <= 8
    assert all(len(name) <= 80 and name.isidentifier() for name in first.bases)


@pytest.mark.anyio
async def test_one_error_in_many_tests_is_one_finding() -> None:
    tests = "\n".join(f"assert f({n}) == {n}" for n in range(20))
    found = execution_findings(await run("def f(x):\n    raise ValueError(f'no {x}')", tests))
    assert len(found) == 20  # each says something else
    found = execution_findings(await run("def f(x):\n    raise ValueError('no')", tests))
    assert len(found) == 1
    assert "the same in 19 other tests: assert f(1) == 1, assert f(2) == 2" in found[0].message


@pytest.mark.anyio
async def test_a_missing_helper_of_the_tests_is_their_error_if_the_entry_point_is_known() -> None:
    tests = "assert f(2) == 4\nassert helper(f(2))"
    found = execution_findings(await run("def f(x):\n    return 4", tests, entry_point="f"))
    assert (found[0].kind, found[0].fix) == ("test_error", "")
    assert "which neither they nor your code define" in found[0].message
    found = execution_findings(await run("def f(x):\n    return 4", tests))
    assert (found[0].kind, found[0].fix) == ("logic", "define `helper`")


@pytest.mark.anyio
async def test_a_name_that_only_a_test_file_can_have_is_not_missing_in_the_code() -> None:
    source = "from solution import f\nSIZE = rows_of(3)\ndef test_f():\n    assert f(SIZE) == 9\n"
    found = execution_findings(await run("def f(x):\n    return 9", PytestFile(source)))
    assert found[0].kind == "test_error"
    assert found[0].message == "the tests use `rows_of`, which neither they nor your code define"
    code = "def g(x):\n    return 9"
    found = execution_findings(await run(code, PytestFile(source.replace("import f", "import *"))))
    assert found[0].message == "your code defines `g`; the tests call `rows_of`"


@pytest.mark.anyio
async def test_what_the_candidate_prints_is_shown_by_its_ends() -> None:
    code = "for n in range(300):\n    print('line', n)\ndef f(x):\n    return 0"
    execution = await run(code)
    printed = feedback_of(execution).stdout
    assert "line 9\n... 271 lines left out ...\nline 281" in printed
    assert "line 0\n" in printed
    assert "line 299" in printed


@pytest.mark.anyio
async def test_of_a_pytest_file_only_what_the_candidate_printed_is_shown() -> None:
    code = "def f(x):\n    print('seen', x)\n    return 0"
    feedback = feedback_of(await run(code, PytestFile(FILE)))
    assert feedback.stdout == "seen 2\n"
    quiet = feedback_of(await run("def f(x):\n    return 0", PytestFile(FILE)))
    assert quiet.stdout == ""


@pytest.mark.anyio
async def test_a_traceback_has_no_frame_of_the_verifier() -> None:
    execution = await run("import nowhere", PytestFile(FILE))
    assert execution.failure is not None
    assert "planish" not in execution.failure.traceback
    assert 'File "solution.py", line 1' in execution.failure.traceback


def feedback_of(execution: Execution) -> Feedback:
    verdict = tests_pass(execution)
    task = execution.candidate.task
    return Report(task=task, history=(Attempt(index=1, verdict=verdict),)).feedback


@pytest.mark.anyio
async def test_a_pair_is_a_line_that_can_be_pasted() -> None:
    pairs = StdioPairs([("it's 5 %\n\\n\n", "x")])
    first = execution_findings(await run("print(input())", pairs))[0]
    assert first.call == "printf 'it'\"'\"'s 5 %%\\n\\\\n\\n' | python solution.py"


@pytest.mark.anyio
async def test_a_long_case_has_no_line_to_paste() -> None:
    found = execution_findings(
        await run("def f(x):\n    return 0", [("x" * 900, 1), ("x" * 200, 1)], entry_point="f")
    )
    assert found[0].call == ""
    assert found[1].call == f"f({'x' * 200!r})"


STOPS = [
    ("Timeout", "", Status.TIMEOUT, "timeout"),
    ("ResourceLimit", "", Status.RESOURCE_LIMIT, "resource"),
    ("MemoryError", "", Status.RESOURCE_LIMIT, "resource"),
    ("RecursionError", "", Status.RESOURCE_LIMIT, "resource"),
    ("Killed", "the program was killed by SIGKILL", Status.RUNTIME_ERROR, "resource"),
    ("Killed", "the program was killed by SIGSEGV", Status.RUNTIME_ERROR, "logic"),
    ("CheckerError", "", Status.RUNTIME_ERROR, "test_error"),
    ("NotRun", "", Status.INFRA_ERROR, "infra"),
    ("ModuleNotFoundError", "", Status.RUNTIME_ERROR, "environment"),
    ("PermissionError", "", Status.RUNTIME_ERROR, "environment"),
    ("ConnectionError", "", Status.RUNTIME_ERROR, "environment"),
    ("gaierror", "", Status.RUNTIME_ERROR, "environment"),
    ("EarlyExit", "", Status.RUNTIME_ERROR, "logic"),
    ("Tampering", "", Status.RUNTIME_ERROR, "logic"),
    ("KeyError", "", Status.RUNTIME_ERROR, "logic"),
    ("KeyError", "", Status.TEST_ERROR, "test_error"),
    ("ModuleNotFoundError", "", Status.TEST_ERROR, "test_error"),
    ("KeyError", "", Status.INFRA_ERROR, "infra"),
]


@pytest.mark.parametrize(("name", "message", "status", "kind"), STOPS)
def test_the_kind_of_a_stop(name: str, message: str, status: Status, kind: str) -> None:
    failure = Failure(name=name, message=message)
    candidate = Candidate(task=Task("Do it."), code="x")
    execution = Execution(candidate=candidate, status=status, failure=failure)
    assert [finding.kind for finding in execution_findings(execution)] == [kind]


def test_findings_are_sorted_by_use() -> None:
    tests = (
        TestResult(name="slow", status="error", message="stopped"),
        TestResult(name="wrong", status="failed", expected="1", actual="2"),
        TestResult(name="lacks", status="error", exception="ModuleNotFoundError", message="no"),
    )
    candidate = Candidate(task=Task("Do it."), code="x")
    failure = Failure(name="Timeout", message="stopped")
    execution = Execution(candidate=candidate, status=Status.TIMEOUT, tests=tests, failure=failure)
    assert [one.test for one in execution_findings(execution)] == ["lacks", "wrong", "slow"]


@pytest.mark.parametrize(
    ("expected", "actual", "difference"),
    [
        (r"'a\nb\nc'", r"'a\nx\nc'", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c"),
        ("'a'", "'b'", ""),
        ("3", "4", ""),
        ("'a' * 3", "'b'", ""),
        (repr("x" * 90), repr("x" * 80 + "y" * 10), "from character 81 on: "),
        (repr("x" * 90), repr("x" * 80), "from character 81 on: "),
    ],
)
def test_texts_are_compared_by_line_or_by_place(
    expected: str, actual: str, difference: str
) -> None:
    found = text_difference(expected, actual, literal=True)
    assert found.startswith(difference)
    assert bool(found) == bool(difference)


def test_differences_are_bounded() -> None:
    one = "\n".join(f"{n}" for n in range(100_000))
    other = "\n".join(f"{n} " * 1_000 for n in range(1_000))
    assert len(text_difference(one, other, literal=False)) < 6_000
    assert len(text_difference("a" * 1_000_000, "b" * 1_000_000, literal=False)) < 200
    assert len(shorten("x" * 10_000, 100)) < 150


def test_a_signature_has_no_numbers_and_no_addresses() -> None:
    assert signature_of("KeyError", "3") == signature_of("KeyError", "44") == "KeyError: N"
    assert signature_of("E", "<f at 0x7fab12>  in 3.5 s") == "E: <f at N> in N s"
    assert signature_of("E", "") == "E"
    assert len(signature_of("E", "x" * 100_000)) <= 200
