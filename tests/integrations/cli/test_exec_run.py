"""What `planish exec` prints of a program that has ended, and the exit status it returns."""

import hashlib
import json
import os
import pty
import tty
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from planish.data.program import Completed, Program, ResourceLimits
from planish_integrations.cli._exec_run import exit_status, print_end, print_json
from planish_integrations.cli._live_output import OutputStream


@pytest.mark.parametrize(
    ("completed", "status"),
    [
        (Completed(exit_code=0), 0),
        (Completed(exit_code=3), 3),
        (Completed(exit_code=None, limit="seconds", signal=9), 124),
        (Completed(exit_code=None, limit="memory_mb", signal=9), 137),
        (Completed(exit_code=1, limit="output_bytes"), 137),
        (Completed(exit_code=None, signal=24), 152),
        (Completed(exit_code=None, signal=11), 139),
        (Completed(exit_code=None), 137),
    ],
)
def test_the_exit_status_is_the_programs_or_names_what_stopped_it(
    completed: Completed, status: int
) -> None:
    assert exit_status(completed) == status


def _written(pieces: Sequence[bytes], descriptor: int) -> None:
    """Write pieces of output to a file, as the command does."""

    async def write() -> None:
        with open(descriptor, "wb", closefd=False) as file:  # noqa: ASYNC230
            stream = OutputStream(file)
        for piece in pieces:
            stream.add(piece)
        stream.end()
        await stream.write()

    anyio.run(write)


@pytest.mark.parametrize("cut", [1, 3, 100])
def test_a_terminal_gets_no_control_characters_of_the_program(cut: int) -> None:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    output = "\t\x1b[31m\x00\x08\x0b\x0c\x0e\x1f \x7f\x9f\r\né\n".encode() + b"\xff"
    _written([output[at : at + cut] for at in range(0, len(output), cut)], theirs)
    shown = "\t\\x1b[31m\\x00\\x08\\x0b\\x0c\\x0e\\x1f \\x7f\\x9f\r\né\n\\xff"
    assert os.read(ours, 1000).decode() == shown
    os.close(ours)
    os.close(theirs)


def test_elsewhere_the_programs_bytes_are_unchanged(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        _written([b"\x1b", b"\xff\x00"], file.fileno())
    assert (tmp_path / "out").read_bytes() == b"\x1b\xff\x00"


def test_findings_and_the_limit_follow_the_programs_output(
    capfd: pytest.CaptureFixture[str],
) -> None:
    program = Program(main="m.py", files={"m.py": b""}, limits=ResourceLimits(memory_mb=64))
    completed = Completed(exit_code=None, limit="memory_mb", findings=("odd \x1b[2J", "more"))
    assert print_end(program, completed) == 137
    advice = "stopped at its limit of memory_mb, 64: raise it with --memory"
    shown = f"planish: odd \\x1b[2J\nplanish: more\nplanish: {advice}\n"
    assert capfd.readouterr() == ("", shown)
    assert print_end(program, Completed(exit_code=None, limit="processes")) == 137
    assert capfd.readouterr().err == "planish: stopped at its limit of processes\n"


def test_the_result_is_indented_json(capsys: pytest.CaptureFixture[str]) -> None:
    artifacts = {"b": b"two", "a": b"one"}
    completed = Completed(
        exit_code=3,
        stdout=b"a\xff",
        stderr="é".encode(),
        duration=1.23456789,
        isolation="landlock",
        guarantees=("files", "cpu"),
        findings=("odd",),
        artifacts=artifacts,
    )
    limits = ResourceLimits(seconds=4)
    assert print_json(Program(main="a.py", files={"a.py": b""}, limits=limits), completed) == 3
    printed = capsys.readouterr().out
    value = json.loads(printed)
    assert printed == json.dumps(value, indent=2) + "\n"
    assert value.pop("limits")["seconds"] == 4
    assert value == {
        "error": None,
        "exit_status": 3,
        "exit_code": 3,
        "signal": None,
        "limit": None,
        "stdout": "a\ufffd",
        "stdout_base64": "Yf8=",
        "stderr": "é",
        "stderr_base64": None,
        "seconds": 1.234568,
        "tier": "landlock",
        "guarantees": ["files", "cpu"],
        "findings": ["odd"],
        "artifacts": [
            {"path": name, "bytes": 3, "sha256": hashlib.sha256(artifacts[name]).hexdigest()}
            for name in ("a", "b")
        ],
    }
