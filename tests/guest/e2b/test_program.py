"""One program as a child of its supervisor, and what is said of its end."""

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.guest.linux.children import in_child

from planish.guest.e2b import program
from planish.guest.e2b.tree import Tree

LIMITS: dict[str, Any] = {
    "seconds": 30.0,
    "wall_seconds": 30.0,
    "processes": 100,
    "memory_mb": 4096,
    "file_bytes": 1 << 20,
    "output_bytes": 10,
}


def until_its_end(tree: Tree, *_: object) -> None:
    """Look at nothing before the program has ended."""
    deadline = time.monotonic() + 20
    while not tree.ended() and time.monotonic() < deadline:
        time.sleep(0.005)


def ran(place: Path, source: str, **fields: Any) -> dict[str, Any]:
    """What is said of a program, its output as text."""
    for folder in ("work", "home", "tmp"):
        (place / folder).mkdir()
    (place / "work/main.py").write_text(source)
    job: dict[str, Any] = {
        "command": [sys.executable, "-S"],
        "main": "main.py",
        "args": [],
        "env": {},
    }
    job |= {"limits": LIMITS, "results": False, **fields}

    def act() -> object:
        said = program.run(place, job, b"in", lambda: None)
        return {k: v.decode() if isinstance(v, bytes) else v for k, v in said.items()}

    found: dict[str, Any] = in_child(act)
    return found


@pytest.mark.parametrize(("count", "limit"), [(10, None), (11, "output_bytes")])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_that_is_read_only_after_the_end_is_limited_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stream: str, count: int, limit: str | None
) -> None:
    monkeypatch.setattr(program, "_watch", until_its_end)
    found = ran(tmp_path, f"import sys\nsys.{stream}.write('x' * {count})")
    assert (found["limit"], found["exit_code"], found[stream]) == (limit, 0, "x" * 10)


def test_a_limit_that_was_passed_before_stays_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(tree: Tree, *_: object) -> str:
        until_its_end(tree)
        return "seconds"

    monkeypatch.setattr(program, "_watch", late)
    assert ran(tmp_path, "print('x' * 100)")["limit"] == "seconds"


def test_how_it_ended_is_said(tmp_path: Path) -> None:
    found = ran(tmp_path, "import os\nprint(os.read(0, 9))\nos.kill(os.getpid(), 15)")
    assert (found["exit_code"], found["signal"], found["results"]) == (None, 15, None)
    assert 0 < found["duration"] < 30
    assert found["cpu_seconds"] > 0


def test_it_leads_a_session_of_its_own(tmp_path: Path) -> None:
    source = "import os\nprint(os.getsid(0) == os.getpid() == os.getpgrp())"
    found = ran(tmp_path, source, limits={**LIMITS, "output_bytes": 100})
    assert found["stdout"] == "True\n"


def test_results_come_back_up_to_the_size_of_a_file(tmp_path: Path) -> None:
    source = "import os\nos.write(int(os.environ['PLANISH_RESULTS_FD']), b'y' * 20)"
    limits = LIMITS | {"file_bytes": 1000}
    assert ran(tmp_path, source, results=True, limits=limits)["results"] == "y" * 20


@pytest.mark.parametrize("command", ["no-such-command", "/"])
def test_a_command_that_is_not_there_is_missing(tmp_path: Path, command: str) -> None:
    found = ran(tmp_path, "", command=[command])
    assert found == {"missing": "ENOENT" if command != "/" else "EACCES"}
