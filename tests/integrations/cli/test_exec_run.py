"""What `planish exec` prints of a program that has ended, and the exit status it returns."""

import hashlib
import io
import json
import sys
from typing import Any

import pytest

from planish.data.program import Completed, Program, ResourceLimits
from planish_integrations.cli._exec_run import exit_status, print_json, print_streams


class Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


class Text:
    """A text stream with a binary one below it."""

    def __init__(self, buffer: io.BytesIO) -> None:
        self.buffer = buffer

    def flush(self) -> None:
        pass


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


def test_a_terminal_gets_no_control_characters_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", Text(out))
    monkeypatch.setattr(sys, "stderr", Text(err))
    code = "\t\x1b[31m\x00\x08\x0b\x0c\x0e\x1f \x7f\x9f\r\né\n".encode() + b"\xff"
    assert print_streams(Completed(exit_code=2, stdout=code, stderr=b"\x07")) == 2
    shown = "\t\\x1b[31m\\x00\\x08\\x0b\\x0c\\x0e\\x1f \\x7f\\x9f\r\né\n\\xff"
    assert out.getvalue().decode() == shown
    assert err.getvalue() == b"\\x07"


def test_elsewhere_the_programs_bytes_are_unchanged(capfdbinary: Any) -> None:
    print_streams(Completed(exit_code=0, stdout=b"\x1b\xff", stderr=b"\x00"))
    assert capfdbinary.readouterr() == (b"\x1b\xff", b"\x00")


def test_findings_and_the_limit_follow_the_programs_errors(
    capfd: pytest.CaptureFixture[str],
) -> None:
    completed = Completed(
        exit_code=None, limit="memory_mb", stderr=b"last\n", findings=("odd \x1b[2J", "more")
    )
    assert print_streams(completed) == 137
    assert capfd.readouterr() == (
        "",
        "last\nplanish: odd \\x1b[2J\nplanish: more\nplanish: stopped at its limit of memory_mb\n",
    )


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
