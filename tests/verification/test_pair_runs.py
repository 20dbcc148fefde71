"""Which program of `StdioPairs` runs next, and with which limits."""

import json
from typing import Any

import pytest

from planish.data.candidate import Candidate
from planish.data.program import Completed, Program, ResourceLimits
from planish.data.task import Task
from planish.data.tests import Stdio, StdioPairs
from planish.verification import PairRuns, prepare
from planish.verification._pair_results import CHECKER_RECORDS

ROWS = (Stdio("a", "A"), Stdio("b", "B"), Stdio("c", "C"))
CHECKER = "def check(stdin, expected, actual): ..."
LIMITS = ResourceLimits(seconds=4, memory_mb=64)


def runs_of(**options: Any) -> PairRuns:
    tests = StdioPairs(ROWS, **options)
    candidate = Candidate(task=Task("Echo.", tests=tests), code="print(input())")
    return PairRuns(tests, prepare(candidate, LIMITS).programs, LIMITS)


def ran(text: str, **fields: Any) -> Completed:
    values: dict[str, Any] = {"exit_code": 0, "stdout": text.encode(), **fields}
    return Completed(**values)


def checked(states: dict[int, str]) -> Completed:
    rows = [{"pair": pair, "state": state, "message": ""} for pair, state in states.items()]
    records = "".join(f"{json.dumps(row)}\n" for row in rows)
    return Completed(exit_code=0, files={CHECKER_RECORDS: records.encode()})


def pairs_of(program: Program | None) -> list[Any]:
    assert program is not None
    rows: list[Any] = json.loads(program.files["pairs.json"])
    return rows


def inputs(runs: PairRuns, *completed: Completed) -> list[bytes]:
    """Run to the end with these results; the standard input of each program that was wanted."""
    found: list[bytes] = []
    while (program := runs.next()) is not None:
        found.append(program.stdin)
        runs.add(completed[len(found) - 1])
    return found


@pytest.mark.parametrize(
    "first", [ran("A"), ran("wrong"), ran("A", exit_code=1), ran("A", limit="seconds")]
)
def test_every_pair_runs_unless_the_first_failure_ends_them(first: Completed) -> None:
    right = [ran("B"), ran("C")]
    assert inputs(runs_of(), first, *right) == [b"a", b"b", b"c"]
    passes = first == ran("A")
    assert len(inputs(runs_of(stop_at_first=True), first, *right)) == (3 if passes else 1)


def test_a_failure_is_not_forgotten_when_the_next_pair_passes() -> None:
    runs = runs_of(stop_at_first=True)
    runs.add(ran("wrong"))
    runs.add(ran("B"))
    assert runs.next() is None


def test_a_checker_sees_all_outputs_of_programs_that_ended_well() -> None:
    runs = runs_of(checker=CHECKER)
    for one in (ran("x"), ran("y", exit_code=1), ran("z")):
        assert runs.next() is not None
        runs.add(one)
    program = runs.next()
    assert pairs_of(program) == [[0, "a", "A", "x"], [2, "c", "C", "z"]]
    assert program is not None
    assert program.files["checker.py"] == CHECKER.encode()
    assert program.main in program.files
    assert program.collect == (CHECKER_RECORDS,)
    assert program.limits == ResourceLimits(seconds=8, memory_mb=64)  # a program's, for each
    runs.add(checked({0: "right", 2: "wrong"}))
    assert runs.next() is None
    assert (len(runs.completed), len(runs.checker_runs)) == (3, 1)


def test_bytes_that_are_no_text_reach_a_checker_as_question_marks() -> None:
    runs = runs_of(checker=CHECKER, stop_at_first=True)
    runs.add(Completed(exit_code=0, stdout=b"a\xff"))
    assert pairs_of(runs.next()) == [[0, "a", "A", "a\ufffd"]]


def test_long_outputs_do_not_wait_for_the_last_pair() -> None:
    """A candidate decides neither how much the host keeps nor that the checker has no room."""
    tests = StdioPairs((Stdio("a", "A"),) * 12, checker=CHECKER)
    candidate = Candidate(task=Task("Echo.", tests=tests), code="")
    runs = PairRuns(tests, prepare(candidate, LIMITS).programs, ResourceLimits(disk_mb=1))
    checkers: list[int] = []
    while (program := runs.next()) is not None:
        if "pairs.json" in program.files:
            checkers.append(len(pairs_of(program)))
            assert sum(map(len, program.files.values())) < program.limits.disk_mb << 20
            runs.add(checked({0: "wrong", 11: "right"}))
        else:
            runs.add(ran("\x01" * 900_000))
    assert checkers == [5, 5, 2]
    assert len(runs.completed) == 12


def test_many_outputs_share_the_time_of_ten_programs() -> None:
    tests = StdioPairs((Stdio("a", "A"),) * 12, checker=CHECKER)
    candidate = Candidate(task=Task("Echo.", tests=tests), code="")
    runs = PairRuns(tests, prepare(candidate, LIMITS).programs, LIMITS)
    for _ in range(12):
        runs.add(ran("A"))
    program = runs.next()
    assert len(pairs_of(program)) == 12
    assert program is not None
    assert program.limits.seconds == 40


def test_a_checker_that_may_end_the_pairs_sees_each_output_at_once() -> None:
    runs = runs_of(checker=CHECKER, stop_at_first=True)
    runs.add(ran("x"))
    assert pairs_of(runs.next()) == [[0, "a", "A", "x"]]
    runs.add(checked({0: "right"}))
    program = runs.next()
    assert program is not None
    assert program.stdin == b"b"
    runs.add(ran("y"))
    assert pairs_of(runs.next()) == [[1, "b", "B", "y"]]
    runs.add(checked({1: "wrong"}))
    assert runs.next() is None


@pytest.mark.parametrize("states", [{}, {1: "right"}, {0: "begun"}])
def test_an_output_that_the_checker_did_not_decide_is_a_failure(states: dict[int, str]) -> None:
    runs = runs_of(checker=CHECKER, stop_at_first=True)
    runs.add(ran("x"))
    assert pairs_of(runs.next()) == [[0, "a", "A", "x"]]
    runs.add(checked(states))
    assert runs.next() is None


def seconds_of(program: Program | None) -> float | None:
    return None if program is None else program.limits.seconds


def test_pairs_share_their_seconds() -> None:
    runs = runs_of(seconds=6)
    assert seconds_of(runs.next()) == 4
    runs.add(ran("A", duration=9.0, cpu_seconds=1.5))
    assert seconds_of(runs.next()) == 4
    runs.add(ran("B", duration=2.0))
    assert seconds_of(runs.next()) == 2.5
    runs.add(ran("C"))
    assert runs.next() is None


def test_pairs_without_seconds_of_their_own_each_have_the_programs() -> None:
    runs = runs_of()
    runs.add(ran("A", duration=100.0))
    assert seconds_of(runs.next()) == 4


@pytest.mark.parametrize(
    ("first", "left"),
    [
        (ran("A", cpu_seconds=4.5), 0.5),
        (ran("A", cpu_seconds=5.0), None),
        (ran("A", cpu_seconds=5.5), None),
        (ran("", limit="seconds", exit_code=None, cpu_seconds=0.5), 1),  # it used its limit
        (ran("", limit="seconds", exit_code=None, cpu_seconds=4.5), 0.5),
        (ran("", limit="memory", exit_code=None, cpu_seconds=1.5), 3.5),
    ],
)
def test_no_pair_runs_when_the_seconds_of_all_are_used_up(
    first: Completed, left: float | None
) -> None:
    runs = runs_of(seconds=5)
    runs.add(first)
    assert seconds_of(runs.next()) == left


def limits_of(row: Stdio, **options: Any) -> ResourceLimits:
    tests = StdioPairs((row,), **options)
    candidate = Candidate(task=Task("Echo.", tests=tests), code="")
    return prepare(candidate, ResourceLimits(seconds=4, output_bytes=100_000)).programs[0].limits


def test_the_limits_of_a_pair_are_its_own() -> None:
    assert limits_of(Stdio("", "")).seconds == 4
    assert limits_of(Stdio("", ""), seconds_each=2).seconds == 2
    assert limits_of(Stdio("", ""), seconds_each=9).seconds == 4
    assert limits_of(Stdio("", "")).output_bytes == 100_000
    assert limits_of(Stdio("", "é" * 25_000)).output_bytes == 165_536  # twice, and some
    assert limits_of(Stdio("", "\ud800" * 25_000)).output_bytes == 115_536  # each is "?"
