"""`planish evaluate --replay DIR`, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.integrations.evaluation.small import BROKEN, GOOD, HALF, WRONG, reply

Planish = Callable[..., "subprocess.CompletedProcess[str]"]
Recording = Callable[..., Path]


def test_the_figures_are_keyed_by_source_and_run(planish: Planish, recording: Recording) -> None:
    rows = [reply(BROKEN, 1), reply(WRONG, 2), reply(GOOD, 3), reply(HALF, 1, run="r2")]
    done = planish("evaluate", "--replay", recording(*rows), "--json", "-")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert sorted(found) == ["me|r1", "me|r2"]
    assert found["me|r1"]["solved_within_k"] == [0, 0, 1]
    assert found["me|r2"]["visible_oracle"]["accepted_but_hidden_fail"] == 1
    assert done.stderr.startswith("planish: 4 recorded replies, in the local sandbox\n")
    assert "4/4 replies" in done.stderr


def test_the_options_choose(planish: Planish, recording: Recording) -> None:
    rows = [reply(WRONG, 1), reply(GOOD, 2), reply(GOOD, 1, run="r2")]
    chosen = ("--source", "me", "--run", "r1", "--attempts", 1, "--json", "-")
    done = planish("evaluate", "--replay", recording(*rows), *chosen)
    found = json.loads(done.stdout)
    assert list(found) == ["me|r1"]
    assert found["me|r1"]["solved_within_k"] == [0]


def test_the_time_limit_is_the_programs(planish: Planish, recording: Recording) -> None:
    # By default it would have the time to come to its end.
    row = reply(f"import time\ntime.sleep(2)\n{GOOD}", 1, visible_tests=[])
    done = planish("evaluate", "--replay", recording(row), "--timeout", 0.3, "--json", "-")
    assert json.loads(done.stdout)["me|r1"]["all_failures"] == {"timeout": 1}


def test_odd_rows_are_told_and_do_not_stop_it(
    planish: Planish, recording: Recording, tmp_path: Path
) -> None:
    rows = [reply(GOOD, 1), reply(GOOD, 1, task_id="x"), reply(GOOD, 1, task_id="y"), {"odd": 1}]
    out = tmp_path / "out.json"
    done = planish("evaluate", "--replay", recording(*rows), "--json", out)
    assert done.returncode == 0
    assert "2 skipped, first line 2: its task is not among the tasks" in done.stderr
    found = json.loads(out.read_text())
    missing = {"reason": "its task is not among the tasks", "rows": 2, "line": 2, "task_id": "x"}
    assert found["me|r1"]["skipped"] == [missing]
    odd = {"reason": "has no task_id", "rows": 1, "line": 4, "task_id": None}
    assert found["skipped"] == [odd]
    head, line = done.stdout.splitlines()
    assert head.split()[:4] == ["run", "tasks", "replies", "solved"]
    assert line.split() == ["me|r1", "1", "1", "1", "1", "1", "1", "0"]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--replay", "none"], "none: there is no such directory"),
        (["--replay", ".", "--source", "you"], "no source 'you' in .; there are: me"),
        (["--replay", ".", "--run", "r9"], "no run 'r9' in .; there are: r1"),
        (["--replay", ".", "--model", "m"], "--model cannot be used with --replay"),
        (["--replay", ".", "--gate", "full"], "--gate cannot be used with --replay"),
        (["--replay", ".", "--limit", "2"], "--limit cannot be used with --replay"),
    ],
)
def test_wrong_usage_is_exit_2_and_one_line(
    planish: Planish,
    recording: Recording,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    fault: str,
) -> None:
    monkeypatch.chdir(recording(reply(GOOD, 1)))
    done = planish("evaluate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert fault in done.stderr.splitlines()[-1]


def test_a_damaged_source_is_named(planish: Planish, recording: Recording) -> None:
    directory = recording(reply(GOOD, 1))
    (directory / "me.jsonl.gz").write_bytes(b"\x1f\x8b\x08 cut")
    done = planish("evaluate", "--replay", directory)
    assert done.returncode == 2
    assert "me.jsonl.gz: the gzip file is damaged" in done.stderr


def test_an_interrupt_ends_its_programs(
    environment: dict[str, str], recording: Recording, tmp_path: Path
) -> None:
    name, out = f"ev{os.getpid()}", tmp_path / "out.json"
    named = f"import ctypes\nctypes.CDLL(None).prctl(15, b{name!r}, 0, 0, 0)\n"
    code = f"{named}while True: pass\n"
    directory = recording(reply(code, 1))
    arguments = ["--replay", str(directory), "--timeout", "60", "--json", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-m", "planish_integrations.cli", "evaluate", *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    programs = list[psutil.Process]()
    while not any(_name(program) == name for program in programs):
        assert process.poll() is None
        time.sleep(0.2)  # psutil reads all of /proc; the program runs for a minute
        programs = psutil.Process(process.pid).children(recursive=True)
    begin = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    message = "planish: interrupted; the figures are of the series that had ended"
    assert stderr.splitlines()[-1] == message
    assert time.monotonic() - begin < 30
    assert not [program for program in programs if program.is_running()]
    figures = json.loads(out.read_text())
    assert (figures["interrupted"], figures["me|r1"]["tasks"]) == (True, 0)


def _name(program: psutil.Process) -> str:
    try:
        return program.name()
    except psutil.NoSuchProcess:
        return ""
