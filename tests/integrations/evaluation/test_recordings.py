"""Recordings are read row by row; no row, however odd, stops the others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.evaluation.small import ADD, BROKEN, GOOD, WRONG, Rows, reply

from planish_integrations.evaluation import DatasetError, Recordings, load_recordings

Recording = Callable[..., Path]
Write = Callable[[str, Rows], Path]


def reasons(recordings: Recordings, key: str = "me|r1") -> list[str]:
    return [skip.reason for skip in recordings.skips.get(key, ())]


def test_replies_stand_in_the_order_of_their_attempts(recording: Recording) -> None:
    rows = [reply(GOOD, 3), reply(WRONG, 1), reply(BROKEN, 2)]
    (run,) = load_recordings(recording(*rows)).runs
    assert (run.key, run.sequence, run.rows) == ("me|r1", "feedback", 3)
    assert run.series[0].replies == (WRONG, BROKEN, GOOD)


def test_a_run_without_a_name_has_that_of_its_model_or_of_its_file(recording: Recording) -> None:
    rows = [reply(GOOD, 1, run=None, model="m1"), reply(GOOD, 1, run=None)]
    assert [run.key for run in load_recordings(recording(*rows)).runs] == ["me|m1", "me|me"]


def test_two_replies_for_one_attempt_are_both_kept(recording: Recording) -> None:
    rows = [reply(WRONG, 1), reply(BROKEN, 1), reply(GOOD, 2)]
    (run,) = load_recordings(recording(*rows)).runs
    assert run.series[0].replies == (WRONG, BROKEN, GOOD)


def test_a_reply_without_a_number_comes_last(recording: Recording) -> None:
    rows = [reply("x", 0), reply(WRONG, 1), reply(GOOD, 2)]
    (run,) = load_recordings(recording(*rows)).runs
    assert run.series[0].replies == (WRONG, GOOD, "x")


def test_a_null_reply_is_an_empty_one(recording: Recording) -> None:
    (run,) = load_recordings(recording(reply(None, 1), reply(GOOD, 2))).runs
    assert run.series[0].replies == ("", GOOD)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"task_id": "other"}, "its task is not among the tasks"),
        ({"task_id": None}, "has no task_id"),
        ({"bench": "Other"}, "its task is not among the tasks"),
        ({"completion": ["a"]}, "its completion is not a text"),
        ({"form": "odd"}, "its form 'odd' is none of raw, code, body"),
        ({"form": "raw"}, "its form or tests are not those of the task's first row"),
        ({"test_suffix": "assert ("}, "the test code does not parse"),
        ({"test_suffix": "x = 1"}, "the tests check nothing"),
    ],
)
def test_an_odd_row_is_left_out_and_told(
    recording: Recording, row: dict[str, Any], reason: str
) -> None:
    loaded = load_recordings(recording(reply(GOOD, 1), reply(GOOD, 2, **row)))
    assert loaded.runs[0].rows == 1
    (reason_,) = reasons(loaded)
    assert reason_.startswith(reason)


def test_a_row_without_a_completion_is_left_out(recording: Recording) -> None:
    row = reply(GOOD, 2)
    del row["completion"]
    assert reasons(load_recordings(recording(reply(GOOD, 1), row))) == ["has no completion"]


def test_what_a_row_leaves_out_is_taken_from_elsewhere(recording: Recording) -> None:
    rows = [{"task_id": "Small/add", "completion": GOOD}]
    (run,) = load_recordings(recording(*rows)).runs
    assert (run.key, run.sequence, run.series[0].form) == ("me|me", "independent", "raw")


@pytest.mark.parametrize(
    ("fields", "sequence"),
    [
        ({"sequence": "final-only"}, "independent"),
        ({"sequence": "independent"}, "independent"),
        ({"sequence": None, "feedback_after": None}, "feedback"),
        ({"sequence": None}, "independent"),
    ],
)
def test_how_replies_belong_together(
    recording: Recording, fields: dict[str, Any], sequence: str
) -> None:
    (run,) = load_recordings(recording(reply(GOOD, 1, **fields))).runs
    assert run.sequence == sequence


@pytest.mark.parametrize(
    ("own", "tests"),
    [
        ({"test_suffix": "assert add(0, 0) == 0"}, "assert add(0, 0) == 0"),
        ({"test": "assert add(0, 0) == 0"}, "assert add(0, 0) == 0"),
        ({"test": "x", "test_suffix": "assert add(0, 0) == 0"}, "assert add(0, 0) == 0"),
        ({"test": "def check(f):\n    assert f(0, 0) == 0\n", "entry_point": "abs"},
         "def check(f):\n    assert f(0, 0) == 0\n\ncheck(abs)\n"),
        ({"tests": ["assert add(0, 0) == 0", "assert add(1, 0) == 1"]},
         "assert add(0, 0) == 0\nassert add(1, 0) == 1"),
        ({"test": "def check(f):\n    assert f(0, 0) == 0\n"},
         "def check(f):\n    assert f(0, 0) == 0\n\ncheck(add)\n"),
        ({"test": "def check(f):\n    assert f(0, 0) == 0\ncheck(add)\n"},
         "def check(f):\n    assert f(0, 0) == 0\ncheck(add)\n"),
        ({"test_feedback": "assert add(0, 0) == 1"}, ADD["test_suffix"]),
    ],
)  # fmt: skip
def test_a_rows_own_tests_win(recording: Recording, own: dict[str, Any], tests: str) -> None:
    (run,) = load_recordings(recording(reply(GOOD, 1, **own))).runs
    assert run.series[0].problem.tests == tests


def test_a_rows_own_prompt_preamble_and_visible_tests_win(recording: Recording) -> None:
    own = {"prompt": "P", "preamble": "", "visible_tests": ["assert add(1, 2) == 3"]}
    own |= {"entry_point": "abs"}
    (run,) = load_recordings(recording(reply(GOOD, 1, **own))).runs
    problem = run.series[0].problem
    assert (problem.prompt, problem.preamble, problem.entry_point) == ("P", "", "abs")
    assert problem.visible_tests == ("assert add(1, 2) == 3",)


def test_a_run_may_span_benchmarks(recording: Recording) -> None:
    other = {**ADD, "bench": "Other"}
    rows = [reply(GOOD, 1), reply(WRONG, 1, bench="Other")]
    (run,) = load_recordings(recording(*rows, tasks=[ADD, other])).runs
    assert [one.problem.key for one in run.series] == ["Small/add", "Other:Small/add"]


def test_the_tasks_of_another_split_are_found_beside(tmp_path: Path, write: Write) -> None:
    for name in ("here", "small"):
        (tmp_path / name).mkdir()
    write("small/tasks.jsonl.gz", [ADD])
    write("here/tasks.jsonl.gz", [{**ADD, "task_id": "Small/else"}])
    write("here/me.jsonl.gz", [reply(GOOD, 1, task_split="small")])
    (run,) = load_recordings(tmp_path / "here").runs
    assert run.series[0].problem.task_id == "Small/add"


def test_only_what_was_asked_for_is_read(recording: Recording) -> None:
    rows = [reply(GOOD, 1), reply(GOOD, 1, run="r2"), reply(5, 2, run="r2")]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    directory = recording(*rows)
    loaded = load_recordings(directory, run="r1")
    assert ([run.key for run in loaded.runs], loaded.skips) == (["me|r1"], {})
    assert load_recordings(directory, attempts=1, source="me").runs[0].rows == 1
    with pytest.raises(DatasetError, match=r"no run 'r3' in .*; there are: r1, r2"):
        load_recordings(directory, run="r3")
    with pytest.raises(DatasetError, match=r"no source 'you' in .*; there are: me"):
        load_recordings(directory, source="you")


def test_recordings_of_nothing_say_so(tmp_path: Path, write: Write) -> None:
    with pytest.raises(DatasetError, match="there is no such directory"):
        load_recordings(tmp_path / "none")
    with pytest.raises(DatasetError, match=r"no tasks\.jsonl\.gz"):
        load_recordings(tmp_path)
    write("tasks.jsonl", [ADD])
    with pytest.raises(DatasetError, match="no recordings"):
        load_recordings(tmp_path)
    write("me.jsonl", [{"a": 1}])
    with pytest.raises(DatasetError, match="no reply can be replayed: has no task_id"):
        load_recordings(tmp_path)


def test_the_id_of_a_task_may_be_a_number(recording: Recording) -> None:
    folder = recording(reply(GOOD, 1, task_id=7), tasks=({**ADD, "task_id": 7},))
    (run,) = load_recordings(folder).runs
    assert run.series[0].replies == (GOOD,)
