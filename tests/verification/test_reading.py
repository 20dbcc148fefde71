"""What the results of several programs, and records of one, make of an execution."""

import json
from typing import Any

import pytest

from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.program import Completed, ResourceLimits
from planish.data.status import Status
from planish.data.task import Task
from planish.data.tests import Case, Cases, PytestFile, Stdio, StdioPairs
from planish.errors import UnsupportedError
from planish.guest.protocol import Seals
from planish.verification import prepare, read_execution

PAIRS = StdioPairs((Stdio("", "a"), Stdio("", "b"), Stdio("", "c")))
START = {"kind": "start", "seconds": 2.0, "why": ""}
END = {"kind": "end"}
RAISED = {"kind": "raised", "name": "AssertionError", "message": "", "exits": False, "failed": True}


def execution(tests: Any, *completed: Completed, **task: Any) -> Execution:
    """The execution of a program in another language, which writes no records."""
    candidate = Candidate(task=Task("Do it.", tests=tests, language="bash", **task), code="echo a")
    return read_execution(prepare(candidate, ResourceLimits()), completed)


def recorded(tests: Any, *records: dict[str, Any], **fields: Any) -> Execution:
    """The execution of a Python program that wrote these records."""
    code = "def f(n):\n    return n\n"
    candidate = Candidate(task=Task("Do it.", tests=tests, entry_point="f"), code=code)
    prepared = prepare(candidate, ResourceLimits())
    texts = [json.dumps(record).encode() for record in records]
    seals = Seals(prepared.secret.encode())
    lines = [seals.next(text) + b" " + text + b"\n" for text in texts]
    fields = {"exit_code": 0, "results": b"".join(lines), **fields}
    return read_execution(prepared, [Completed(**fields)])


def test_an_execution_has_the_guarantees_of_every_run() -> None:
    first = Completed(exit_code=0, guarantees=("network", "files", "memory"), findings=("x", "y"))
    second = Completed(exit_code=0, guarantees=("memory", "cpu", "network"), findings=("y", "z"))
    third = Completed(exit_code=0, guarantees=("memory", "network"))
    result = execution(PAIRS, first, second, third)
    assert result.guarantees == ("network", "memory")
    assert result.findings == ("x", "y", "z")
    assert execution(None, first).guarantees == ("network", "files", "memory")


def test_the_output_of_an_execution_is_that_of_the_first_run_that_did_not_pass() -> None:
    runs = [
        Completed(exit_code=0, stdout=b"a", duration=1.0),
        Completed(exit_code=0, stdout=b"x", stderr=b"e", duration=2.0, isolation="vm"),
        Completed(exit_code=3, stdout=b"c", duration=4.0, isolation="none"),
    ]
    result = execution(PAIRS, *runs)
    assert (result.stdout, result.stderr, result.exit_code) == ("x", "e", 0)
    assert (result.isolation, result.duration, result.runs) == ("vm", 7.0, 3)
    assert execution(PAIRS, runs[0], runs[0]).stdout == "a"
    right = [Completed(exit_code=0, stdout=text) for text in (b"a", b"b", b"c")]
    assert execution(PAIRS, *right).stdout == "c"


def test_runs_of_the_checker_count_as_runs() -> None:
    tests = StdioPairs((Stdio("", "a"),), checker="def check(stdin, expected, actual): ...")
    candidate = Candidate(task=Task("Do it.", tests=tests, language="bash"), code="echo a")
    checker = Completed(exit_code=0, duration=2.0)
    ran = Completed(exit_code=0, stdout=b"a", duration=1.0)
    result = read_execution(prepare(candidate, ResourceLimits()), [ran], [checker])
    assert (result.runs, result.duration, result.status) == (2, 3.0, Status.RUNTIME_ERROR)
    assert result.failure is None or result.failure.name != "Timeout"


@pytest.mark.parametrize(
    ("completed", "status", "failure"),
    [
        (Completed(exit_code=0), Status.SUCCESS, None),
        (Completed(exit_code=2), Status.RUNTIME_ERROR, "ExitCode"),
        (Completed(exit_code=None, signal=6), Status.RUNTIME_ERROR, "Killed"),
        (Completed(exit_code=None, limit="seconds"), Status.TIMEOUT, "Timeout"),
        (Completed(exit_code=None, limit="disk_mb"), Status.RESOURCE_LIMIT, "ResourceLimit"),
    ],
)
def test_a_program_without_tests_is_judged_by_its_end(
    completed: Completed, status: Status, failure: str | None
) -> None:
    result = execution(None, completed)
    assert (result.status, result.tests, result.separation) == (status, (), "exit_code")
    assert (result.failure and result.failure.name) == failure
    assert result.weakened_by == ("there are no tests: only the exit code was checked",)


def test_the_last_line_of_a_programs_errors_is_in_the_message() -> None:
    result = execution(None, Completed(exit_code=2, stderr=b"one\ntwo\nthree\n\n"))
    assert result.failure is not None
    assert result.failure.message == "the program ended with exit code 2: three"
    assert result.failure.traceback == "one\ntwo\nthree\n\n"


def test_the_time_of_all_pairs_is_the_failure_of_those_that_have_not_run() -> None:
    tests = StdioPairs(PAIRS.pairs, seconds=5)
    right = Completed(exit_code=0, stdout=b"a")
    result = execution(tests, right)
    assert result.status is Status.TIMEOUT
    assert result.failure is not None
    assert result.failure.message == "the 5 s for all pairs were used up after 1 of 3"
    assert [test.message for test in result.tests[1:]] == ["the 5 s for all pairs were used up"] * 2
    stopped = Completed(exit_code=None, limit="seconds", duration=3.0)
    failure = execution(tests, right, stopped).failure
    assert failure is not None
    assert failure.message == "the program was stopped at its time limit of 3 s"
    every = [Completed(exit_code=0, stdout=text) for text in (b"a", b"b", b"c")]
    assert execution(tests, *every).failure is None


def test_pairs_after_a_failure_say_why_they_have_not_run() -> None:
    tests = StdioPairs(PAIRS.pairs, stop_at_first=True)
    wrong = execution(tests, Completed(exit_code=0, stdout=b"x"))
    assert [test.message for test in wrong.tests[1:]] == ["a pair before it did not pass"] * 2
    assert wrong.status is Status.WRONG_ANSWER
    assert wrong.failure is not None
    assert wrong.failure.name == "AssertionError"
    assert wrong.failure.message.startswith("pair 1: line 1 of the output is 'x'")
    assert [test.expected for test in wrong.tests] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("guarantees", "reasons"),
    [(("cleanup", "files"), []), (("files",), ["left"]), (("cleanup",), ["host"])],
)
def test_outputs_are_evidence_where_programs_find_neither_the_expected_ones_nor_remains(
    guarantees: Any, reasons: list[str]
) -> None:
    hidden = Completed(exit_code=0, stdout=b"a", guarantees=("cleanup", "files"))
    result = execution(PAIRS, hidden, Completed(exit_code=0, guarantees=guarantees))
    assert result.separation == ("shared_process" if reasons else "isolated")
    found = zip(result.weakened_by, reasons, strict=True)
    assert all(word in sentence for sentence, word in found)


CASES = Cases((Case(1, 1), Case(2, 2)))


def passed(number: int, **fields: Any) -> list[dict[str, Any]]:
    value = {"kind": "value", "test": number, "source": f"{number + 1}", "shown": f"{number + 1}"}
    value |= {"type": "int", **fields}
    ended = {"kind": "passed", "test": number, "seconds": 0.25}
    return [{"kind": "begin", "test": number}, value, ended]


def test_genuine_records_are_isolated_evidence_where_the_sandbox_hides_results() -> None:
    records = [START, *passed(0), *passed(1), END]
    result = recorded(CASES, *records, guarantees=("results",))
    assert (result.status, result.separation) == (Status.SUCCESS, "isolated")
    assert [(test.status, test.duration) for test in result.tests] == [("passed", 0.25)] * 2
    open_sandbox = recorded(CASES, *records)
    assert open_sandbox.separation == "shared_process"
    assert "does not guarantee" in open_sandbox.weakened_by[0]


def test_reasons_for_weaker_evidence_are_listed_once() -> None:
    weak = {"kind": "weakened", "why": "pickle decided"}
    start = {**START, "why": "no seccomp"}
    records = [start, *passed(0), weak, *passed(1), weak, END]
    result = recorded(CASES, *records, guarantees=("results",))
    assert result.separation == "shared_process"
    assert result.weakened_by == ("no seccomp", "pickle decided")
    never_started = recorded(CASES, *passed(0), END, guarantees=("results",))
    assert never_started.separation == "shared_process"


def test_packages_are_sorted_and_named_once() -> None:
    named = [{"kind": "packages", "names": names} for names in ("numpy attrs", "attrs", "")]
    result = recorded(CASES, START, *named, *passed(0), *passed(1), END)
    assert result.packages == ("attrs", "numpy")


@pytest.mark.parametrize(
    ("value", "status", "message"),
    [
        ({"source": "2"}, "failed", ""),
        ({"source": "'1'", "type": "str"}, "failed", "the result has type str, not int"),
        ({"source": "f(1)", "type": "Odd"}, "failed", "the result has type Odd, not int"),
        (
            {"source": "2", "type": "range", "iterator": True},
            "failed",
            "the result is a range: return its items as a int",
        ),
    ],
)
def test_the_host_decides_about_a_case(value: dict[str, Any], status: str, message: str) -> None:
    records = [START, *passed(0, **value), *passed(1), END]
    result = recorded(CASES, *records, guarantees=("results",))
    assert (result.tests[0].status, result.tests[0].message) == (status, message)
    assert result.status is Status.PARTIAL_SUCCESS
    assert result.tests[1].status == "passed"


def test_a_case_whose_value_has_no_source_is_what_the_verifier_found() -> None:
    def status(**fields: Any) -> tuple[str, str]:
        value = {"kind": "value", "test": 0, "shown": "Odd()", "type": "Odd", **fields}
        records = [{"kind": "begin", "test": 0}, value, {"kind": "passed", "test": 0}]
        test = recorded(CASES, START, *records, *passed(1), END).tests[0]
        return test.status, test.message

    assert status(equal=True) == ("passed", "")
    assert status(equal=False, reason="at [0]: other") == ("failed", "at [0]: other")
    assert status(equal=False) == ("failed", "the result has type Odd, not int")


def test_a_case_without_its_value_is_an_error() -> None:
    ended = {"kind": "passed", "test": 0}
    result = recorded(CASES, START, {"kind": "begin", "test": 0}, ended, *passed(1), END)
    assert (result.tests[0].status, result.tests[0].message) == (
        "error",
        "the result was not reported",
    )


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([START, END, END], "goes on after its end"),
        (
            [START, {"kind": "passed", "test": 0}, {**RAISED, "test": 0}, END],
            "two ends of one test",
        ),
    ],
)
def test_records_that_contradict_each_other_are_tampering(
    records: list[dict[str, Any]], message: str
) -> None:
    result = recorded(Cases((Case(1, 1),)), *records)
    assert result.failure is not None
    assert result.failure.name == "Tampering"
    assert message in result.failure.message
    assert [test.message for test in result.tests] == ["the record of the run was tampered with"]
    assert result.status is Status.RUNTIME_ERROR


@pytest.mark.parametrize(
    ("place", "line", "text"),
    [
        ({"line": 2, "offset": 5}, 2, "    return n"),
        ({"line": 9, "offset": 1}, 9, ""),
        ({}, None, ""),
    ],
)
def test_the_first_exception_is_the_failure_with_its_line(
    place: dict[str, int], line: int | None, text: str
) -> None:
    raised = {"kind": "failure", "name": "KeyError", "message": "'a'", "traceback": "in f"}
    result = recorded(CASES, START, raised | place, END)
    failure = result.failure
    assert failure is not None
    assert (failure.name, failure.message, failure.traceback) == ("KeyError", "'a'", "in f")
    assert (failure.line, failure.offset, failure.text) == (line, place.get("offset"), text)


def test_the_verifiers_time_limit_is_a_time_out() -> None:
    records = [{**START, "seconds": 1.5}, *passed(0), {"kind": "timeout"}]
    result = recorded(CASES, *records, exit_code=None, signal=9, duration=7.0)
    assert (result.status, result.limit, result.signal) == (Status.TIMEOUT, "seconds", None)
    assert result.failure is not None
    assert result.failure.message == "the program was stopped at its time limit of 1.5 s"


def test_a_sandbox_without_pytest_says_what_to_do() -> None:
    lacking = {"kind": "unsupported", "python": "3.12", "message": "No module named 'pytest'"}
    with pytest.raises(UnsupportedError, match=r"Python 3\.12 \(No module named 'pytest'\)"):
        recorded(PytestFile("from solution import f\ndef test_f(): pass"), START, lacking, END)
