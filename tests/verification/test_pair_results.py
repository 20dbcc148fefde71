"""Results of `StdioPairs` on the host: what the records of the checker's runs decide."""

import json

import pytest

from planish.data.execution import Failure
from planish.data.program import Completed, LimitName
from planish.data.tests import Stdio, StdioPairs
from planish.verification._pair_results import (
    CHECKER_RECORDS,
    checker_failure,
    checker_results,
    pair_results,
    refuses_expected,
)

PAIRS = StdioPairs(
    (Stdio("1", "one"), Stdio("2", "two"), Stdio("3", "three")),
    checker="def check(stdin, expected, actual): ...",
)
RAN = [Completed(exit_code=0, stdout=text) for text in (b"one", b"zwei", b"drei")]


def checker_run(*states: str, limit: LimitName | None = None) -> Completed:
    """A run of the checker that recorded a state for each of the first pairs."""
    rows = [
        {"pair": pair, "state": state, "message": "" if state == "right" else f"it is {state}"}
        for pair, state in enumerate(states)
    ]
    records = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    code = 0 if limit is None else None
    return Completed(exit_code=code, limit=limit, files={CHECKER_RECORDS: records})


def results(*runs: Completed) -> list[tuple[str, str]]:
    found = pair_results(PAIRS, RAN, [None] * len(RAN), runs)
    return [(result.status, result.message) for result in found]


def test_each_pair_has_the_result_of_the_checker() -> None:
    assert results(checker_run("right", "wrong", "right")) == [
        ("passed", ""),
        ("failed", "it is wrong"),
        ("passed", ""),
    ]


@pytest.mark.parametrize("runs", [(), (Completed(exit_code=0),)], ids=["no run", "no records"])
def test_a_pair_that_the_checker_did_not_reach_is_an_error(runs: tuple[Completed, ...]) -> None:
    assert results(*runs) == [("error", "the checker did not reach it")] * 3


@pytest.mark.parametrize(("limit", "end"), [(None, "own end"), ("seconds", "limit of seconds")])
def test_a_checker_that_stops_decides_no_later_pair(limit: LimitName | None, end: str) -> None:
    run = checker_run("right", "begun", limit=limit)
    assert results(run) == [
        ("passed", ""),
        ("error", f"the checker was stopped at its {end}"),
        ("error", "the checker did not reach it"),
    ]
    assert checker_failure([run]) == Failure(
        name="CheckerError", message=f"the checker was stopped at its {end}"
    )


def test_a_checker_that_decides_has_no_failure() -> None:
    decided = checker_run("right", "wrong")
    assert checker_failure([decided]) is None
    assert not refuses_expected([decided])
    assert refuses_expected([checker_run("right", "broken")])


@pytest.mark.parametrize(
    "line",
    [
        *(b"no JSON", b"[1]", b"1", b"[" * 100_000, b"1" * 5_000),
        *(b'{"pair": 0, "state": "right"}', b'{"pair": 0, "state": "right'),
        b'{"pair": [], "state": "right", "message": ""}',
        b'{"pair": true, "state": "right", "message": ""}',
        b'{"pair": 0, "state": null, "message": ""}',
        b'{"pair": 0, "state": "right", "message": 5}',
    ],
)
def test_lines_that_are_no_records_are_left_out(line: bytes) -> None:
    record = json.dumps({"pair": 1, "state": "right", "message": ""}).encode()
    run = Completed(exit_code=0, files={CHECKER_RECORDS: line + b"\n" + record + b"\n" + record})
    assert list(checker_results([run])) == [1]


def test_a_failed_run_counts_before_the_checker() -> None:
    failures = [Failure(name="ExitCode", message="it ended"), None, None]
    first, *_ = pair_results(PAIRS, RAN, failures, [checker_run("right", "right", "right")])
    assert (first.status, first.message) == ("error", "ExitCode: it ended")


def test_output_that_is_no_text_is_compared_and_shown() -> None:
    tests = StdioPairs((Stdio("", "a\ufffd"), Stdio("", "a")))
    ran = [Completed(exit_code=0, stdout=b"a\xff")] * 2
    first, second = pair_results(tests, ran, [None, None])
    assert (first.status, first.actual) == ("passed", "a\ufffd")
    assert (second.status, second.actual) == ("failed", "a\ufffd")
    assert second.message == "line 1 of the output is 'a\ufffd', expected 'a'"
