"""From options to a program: its language, its files, and what a command says with an error."""

import json
from pathlib import Path
from typing import Any

import pytest

from planish_integrations.cli._exec_files import build_program
from planish_integrations.cli._failure import EMPTY, ErrorReporter
from planish_integrations.cli._options import ExecOptions

SUFFIXES = {
    ".bash": "bash",
    ".js": "javascript",
    ".lua": "lua",
    ".php": "php",
    ".pl": "perl",
    ".r": "r",
    ".R": "r",
    ".rb": "ruby",
    ".sh": "sh",
    ".py": "python",
    ".unknown": "python",
    "": "python",
}


def options(file: Path, **changes: Any) -> ExecOptions:
    values: dict[str, Any] = dict.fromkeys(ExecOptions.__dataclass_fields__)
    values |= {"args": (), "files": (), "timeout": 3.0, "memory": 99, "file": file}
    return ExecOptions(**(values | changes))


@pytest.mark.parametrize(("suffix", "language"), SUFFIXES.items())
def test_the_suffix_of_a_file_says_its_language(tmp_path: Path, suffix: str, language: str) -> None:
    file = tmp_path / f"it{suffix}"
    file.write_bytes(b"1")
    program = build_program(options(file))
    assert (program.language, program.main) == (language, file.name)
    assert program.files == {file.name: b"1"}
    assert (program.limits.seconds, program.limits.memory_mb) == (3.0, 99)


def test_an_option_says_it_better(tmp_path: Path) -> None:
    file = tmp_path / "it.sh"
    file.write_bytes(b"1")
    assert build_program(options(file, language="bash")).language == "bash"


KEYS: dict[str, dict[str, Any]] = {
    "exec": {
        **dict.fromkeys(("exit_code", "signal", "limit", "stdout_base64", "stderr_base64")),
        **dict.fromkeys(("seconds", "limits", "tier")),
        **dict.fromkeys(("stdout", "stderr"), ""),
        "guarantees": [],
        "findings": [],
        "artifacts": [],
    },
    "doctor": {"works": None, "tiers": []},
}


@pytest.mark.parametrize("command", KEYS)
def test_an_error_has_the_keys_of_a_result(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert EMPTY[command] == KEYS[command]
    with pytest.raises(SystemExit) as ended:
        ErrorReporter([command, "--json"]).end("sandbox", "error: it broke", 1)
    assert ended.value.code == 1
    value = json.loads(capsys.readouterr().out)
    error = {"kind": "sandbox", "message": "it broke"}
    assert value == {"error": error, "exit_status": 1, **KEYS[command]}


@pytest.mark.parametrize("arguments", [["exec"], ["exec", "--", "--json"], ["--json"], []])
def test_without_json_an_error_is_a_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        ErrorReporter(arguments).end("failed", "it broke", 2)
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", "planish: it broke\n")
