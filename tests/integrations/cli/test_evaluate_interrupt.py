"""Ctrl-C ends `planish evaluate`; the figures of what had ended are printed and written."""

import json
import os
import pty
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.cli.conftest import PLANISH
from tests.integrations.evaluation.small import ADD, GOOD, Rows, reply

pytestmark = pytest.mark.usefixtures("interruptible")

Write = Callable[[str, Rows], Path]

PATIENCE = 60.0
# The progress is redrawn a tenth of a second after its last change at the earliest.
LATE = f"import time\ntime.sleep(0.3)\n{GOOD}"
QUICK = {**ADD, "canonical": LATE}
SLOW = {**ADD, "task_id": "Small/slow", "canonical": "import time\ntime.sleep(60)\n"}


class Evaluation:
    """`planish evaluate` with its progress on a terminal, which is updated after each task."""

    def __init__(self, environment: dict[str, str], *arguments: object) -> None:
        self.terminal, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [*PLANISH, "evaluate", *map(str, arguments)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=theirs,
        )
        os.close(theirs)
        self.seen = b""

    def read_until(self, text: bytes) -> None:
        """Read what it prints on the terminal until a text has come."""
        while text not in self.seen:
            self.seen += os.read(self.terminal, 1000)

    def interrupt(self) -> tuple[int, str, str]:
        """Press Ctrl-C; return the exit status, and what it prints then."""
        self.seen = b""
        self.process.send_signal(signal.SIGINT)
        self.read_until(b"\r\nplanish: interrupted")
        self.read_until(b"ended\r\n")
        out, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode(), self.seen.decode()


@pytest.fixture
def evaluate(environment: dict[str, str]) -> Iterator[Callable[..., Evaluation]]:
    """Start the command."""
    started: list[Evaluation] = []

    def start(*arguments: object) -> Evaluation:
        started.append(Evaluation(environment, *arguments))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()
        os.close(one.terminal)


def test_the_tasks_that_have_ended_are_written(
    evaluate: Callable[..., Evaluation], write: Write, tmp_path: Path
) -> None:
    tasks = write("t.jsonl", [QUICK, {**QUICK, "task_id": "Small/again"}, SLOW])
    options = ("--model", "canonical", "--timeout", 50, "--concurrency", 1, "--attempts", 1)
    running = evaluate(tasks, *options, "--json", tmp_path / "figures.json")
    running.read_until(b"2/3 tasks")
    status, out, error_output = running.interrupt()
    assert status == 130
    assert "the figures are of the 2 of 3 tasks that had ended" in error_output
    assert "solved       2/2" in out
    figures: dict[str, Any] = json.loads((tmp_path / "figures.json").read_text())
    assert (figures["interrupted"], figures["tasks"], figures["solved"]) == (True, 2, 2)
    assert [row["id"] for row in figures["results"]] == ["Small/add", "Small/again"]


def test_json_on_standard_output_is_whole(
    evaluate: Callable[..., Evaluation], write: Write
) -> None:
    options = ("--model", "canonical", "--timeout", 50, "--concurrency", 2, "--attempts", 1)
    running = evaluate(write("t.jsonl", [QUICK, SLOW]), *options, "--json", "-")
    running.read_until(b"1/2 tasks")
    status, out, _ = running.interrupt()
    assert (status, json.loads(out)["tasks"]) == (130, 1)


def test_the_series_of_a_replay_that_have_ended_are_written(
    evaluate: Callable[..., Evaluation], write: Write, tmp_path: Path
) -> None:
    slow = "import time\ntime.sleep(60)\n"
    write("tasks.jsonl.gz", [ADD, {**ADD, "task_id": "Small/slow"}])
    rows = [reply(LATE, 1), reply(slow, 1, task_id="Small/slow")]
    folder = write("me.jsonl.gz", rows).parent
    options = ("--timeout", 50, "--concurrency", 1, "--json", tmp_path / "figures.json")
    running = evaluate("--replay", folder, *options)
    running.read_until(b"1/2 replies")
    status, _, error_output = running.interrupt()
    assert status == 130
    assert "the figures are of the series that had ended" in error_output
    figures: dict[str, Any] = json.loads((tmp_path / "figures.json").read_text())
    assert figures["interrupted"] is True
    assert figures["me|r1"]["tasks"] == 1
