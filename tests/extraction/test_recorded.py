"""Recorded replies of real models: the extracted code passes as often as is possible."""

import gzip
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from planish.extraction import extract

Row = dict[str, Any]
SECONDS = 6.0  # as when the verdicts were recorded, and so is the memory
MEMORY = 2 * 1024**3
LAUNCHER = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
os.execv(sys.executable, [sys.executable, "-I", "main.py"])
"""


def rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def passes(program: str, folder: Path) -> bool:
    """Whether `program` ends by itself with exit code 0."""
    folder.mkdir()
    (folder / "main.py").write_text(program, encoding="utf-8")
    started = subprocess.Popen(
        [sys.executable, "-I", "-c", LAUNCHER.format(memory=MEMORY)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return started.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()


def verdicts(programs: Iterable[str], folder: Path) -> Mapping[str, bool]:
    """Which of the programs pass: each different one is run once, two at a time."""
    different = list(dict.fromkeys(programs))
    folders = [folder / str(index) for index in range(len(different))]
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(different, pool.map(passes, different, folders), strict=True))


def judged(source: Path, tasks: Path, folder: Path, *, every: int = 1) -> list[tuple[Row, bool]]:
    """The raw rows of one task in so many, each with whether what is extracted passes."""
    known = {(task["bench"], task["task_id"]): task for task in rows(tasks)}
    programs: list[tuple[Row, str]] = []
    raw = [row for row in rows(source) if row["form"] == "raw"]
    some = {*list(dict.fromkeys(row["task_id"] for row in raw))[::every]}
    for row in raw:
        if row["task_id"] in some:
            task = known[row["bench"], row["task_id"]]
            code = extract(row["completion"], entry_point=task["entry_point"]).code
            suffix = row.get("test_suffix") or task["test_suffix"]
            programs.append((row, f"{task['preamble']}\n{code}\n{suffix}"))
    passed = verdicts((program for _, program in programs), folder)
    return [(row, passed[program]) for row, program in programs]


def lost(outcomes: Iterable[tuple[Row, bool]]) -> list[str]:
    """The rows that passed when they were recorded and do not now."""
    return [
        f"{row['run']} {row['task_id']} #{row['attempt']}"
        for row, passed in outcomes
        if row["verified_full"]["result"] == "pass" and not passed
    ]


@pytest.mark.replay
def test_recorded_functions_pass_as_often_as_they_can(
    shared_data: Callable[[str], Path], tmp_path: Path
) -> None:
    source = shared_data("replay/dev/mapcoder-raw.jsonl.gz")
    outcomes = judged(source, shared_data("replay/dev/tasks.jsonl.gz"), tmp_path)
    expected = json.loads(shared_data("replay/dev/expected.json").read_text())
    passed = Counter(row["run"] for row, passed in outcomes if passed)
    for run in {row["run"] for row, _ in outcomes}:
        least = expected[f"mapcoder-raw|{run}|dev"]["by_extraction"]["entry"]
        assert passed[run] >= least, (dict(passed), lost(outcomes))


@pytest.mark.replay
@pytest.mark.parametrize(
    "every", [pytest.param(1, marks=pytest.mark.long, id="all"), pytest.param(4, id="some")]
)
def test_recorded_classes_pass_as_often_as_they_can(
    shared_data: Callable[[str], Path], tmp_path: Path, every: int
) -> None:
    source = shared_data("replay/dev/classeval.jsonl.gz")
    tasks = shared_data("replay/dev/tasks.jsonl.gz")
    outcomes = judged(source, tasks, tmp_path, every=every)
    expected = json.loads(shared_data("replay/dev/expected.json").read_text())
    samples = sum(row["verified_full"]["result"] == "pass" for row, _ in outcomes)
    solved = {row["task_id"] for row, passed in outcomes if passed}
    passed = sum(passed for _, passed in outcomes)
    counts = (passed, samples, len(solved), lost(outcomes))
    assert samples > 10
    assert passed >= samples, counts
    if every == 1:
        assert len(solved) >= expected["classeval|GPT-3.5-n5|dev"]["solved_any"], counts
