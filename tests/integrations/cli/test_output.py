"""Results are written whole or not at all."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from tests.integrations.evaluation.small import HUMANEVAL, Rows

from planish_integrations.cli._output import (
    STDOUT,
    evaluation_table,
    replay_table,
    require_writable,
    table,
    write_json,
)


def test_a_file_is_as_it_was_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("before")
    with pytest.raises(TypeError):
        write_json(path, {"not JSON": object()})
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_rights_a_new_file_has(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_json(tmp_path / "out.json", {"a": "\udc80 é"})
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out.json").stat().st_mode) == 0o640
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == {"a": "? é"}


def test_a_device_is_written_to_not_replaced(tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to(os.devnull)
    write_json(link, {"a": 1})
    assert link.is_symlink()


def test_json_is_indented_and_in_unicode_in_a_file_and_on_standard_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_json(tmp_path / "out.json", {"a": ["é"]})
    write_json(STDOUT, {"a": ["é"]})
    written = '{\n  "a": [\n    "é"\n  ]\n}\n'
    assert (tmp_path / "out.json").read_text("utf-8") == written
    assert capfd.readouterr() == (written, "")


def test_standard_output_needs_no_place() -> None:
    require_writable(None)
    require_writable(STDOUT)


def test_a_place_that_is_none_is_told_before_the_work(tmp_path: Path) -> None:
    require_writable(tmp_path / "new.json")
    assert not list(tmp_path.iterdir())
    with pytest.raises(click.UsageError, match="there is no directory"):
        require_writable(tmp_path / "none" / "new.json")


def test_a_place_without_the_right_to_write_is_named_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may write anywhere, so that the system's answer is replaced.
    readable = {tmp_path: os.W_OK, tmp_path / "old.json": 0}

    def access(path: Path, mode: int) -> bool:
        return readable[path] == mode

    monkeypatch.setattr(os, "access", access)
    require_writable(tmp_path / "new.json")
    (tmp_path / "old.json").write_text("before")
    with pytest.raises(click.UsageError, match=r"--json .*old\.json: not writable"):
        require_writable(tmp_path / "old.json")


def test_columns_are_aligned() -> None:
    assert table([("a", "long"), ("wider", None), (1, 2.5)]) == "a      long\nwider\n1      2.5"


FIGURES: dict[str, Any] = {
    "tasks_file": "some.jsonl",
    "gate": "visible",
    "model": "gpt",
    "max_attempts": 3,
    "benchmarks": {"HumanEval": {"tasks": 2, "tests": {"visible": 5, "hidden": 1234}}},
    "tasks": 2,
    "judged": 2,
    "solved": 1,
    "sr_all": 50.0,
    "sr_any": 75.5,
    "success_at": {"1": 25.0, "2": 50.0},
    "attempts_histogram": {"1": 1, "3": 1},
    "by_status": {"success": 1, "timeout": 1},
    "by_stop_reason": {"success": 2},
    "model_calls": 1004,
    "usage": {
        **dict.fromkeys(("input_tokens", "sandbox_runs"), 12345),
        "output_tokens": 1000,
        "usd": 0.25,
        "sandbox_seconds": 2.25,
    },
    "visible": {"accepted": 2, "accepted_but_hidden_fail": 1},
}
LINES = """\
tasks        some.jsonl, visible gate
tests run    HumanEval, 2 tasks: visible 5, hidden 1,234
model        gpt, at most 3 attempts
solved       1/2
SR@All       50.0 %  (every test passed)
SR@Any       75.5 %  (at least one test passed)
success@k    1: 25.0 %  2: 50.0 %
accepted     2, of which wrongly 1
attempts     1: 1 tasks  3: 1 tasks
status       success: 1 tasks  timeout: 1 tasks
stopped by   success: 2 tasks
model calls  1,004
tokens       12,345 in, 1,000 out
cost         $0.2500
sandbox      12,345 runs, 2.2 s"""


def test_the_table_of_an_evaluation_has_a_line_for_each_figure() -> None:
    assert evaluation_table(FIGURES) == LINES
    known = {name: value for name, value in FIGURES.items() if name != "visible"}
    free = known | {"usage": FIGURES["usage"] | {"usd": 0}}
    shown = [line for line in LINES.splitlines() if not line.startswith(("accepted", "cost"))]
    assert evaluation_table(free).splitlines() == shown


def test_the_table_of_replays_has_a_line_for_each_run() -> None:
    loop = {"tasks": 3, "attempts": 7, "model_calls_full_oracle": 5}
    figures: dict[str, Any] = {
        "a/k": loop
        | {"solved_within_k": [1, 2]}
        | {"visible_oracle": {"accepted": 3, "accepted_but_hidden_fail": 2}},
        "a/none": loop | {"solved_within_k": []},
        "b": {"tasks": 4, "samples": 9, "solved_any": 2, "pass_at": {"1": 12.5}},
        "c": {"tasks": 4, "samples": 0, "solved_any": 0, "pass_at": {}},
        "skipped": [{"rows": 1}],
    }
    assert [line.split() for line in replay_table(figures).splitlines()] == [
        ["run", "tasks", "replies", "solved", "first", "calls", "accepted", "wrongly"],
        ["a/k", "3", "7", "2", "1", "5", "3", "2"],
        ["a/none", "3", "7", "0", "0", "5"],
        ["b", "4", "9", "2", "12.5", "%"],
        ["c", "4", "0", "0", "0.0", "%"],
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a folder that is full")
def test_a_full_disk_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from planish_integrations.cli._output import write_json\n"
        "path = Path(sys.argv[1], 'out.json'); path.write_text('before')\n"
        "try: write_json(path, {'a': 'b' * 1_000_000})\n"
        "except OSError as error: print(error.strerror)\n"
        "print(path.read_text(), [one.name for one in path.parent.iterdir()])\n"
    )
    mounted = f'mount -t tmpfs -o size=64k none {tmp_path} && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", mounted, "sh", sys.executable, "-c", code]
    done = subprocess.run([*command, tmp_path], capture_output=True, text=True, check=False)
    assert done.stdout == "No space left on device\nbefore ['out.json']\n", done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_is_named_and_the_table_is_printed(
    planish: Callable[..., "subprocess.CompletedProcess[str]"], write: Callable[[str, Rows], Path]
) -> None:
    done = planish(
        "evaluate", write("t.jsonl", [HUMANEVAL]), "--model", "canonical", "--json", "/dev/full"
    )
    assert done.returncode == 1
    assert "\nsolved       1/1\n" in done.stdout
    last = done.stderr.splitlines()[-1]
    assert last == "planish: error: --json /dev/full: No space left on device"
