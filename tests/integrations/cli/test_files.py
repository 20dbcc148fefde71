"""From options to a program: its language, its files, and what a command says with an error."""

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from planish_integrations.cli._exec_files import (
    build_program,
    require_empty_folder,
    save_outputs,
)
from planish_integrations.cli._failure import EMPTY, ErrorReporter
from planish_integrations.cli._options import ExecOptions
from planish_integrations.sandboxes.local._options import HIGHEST

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


MEBIBYTE = 1024 * 1024


def refused(file: Path, **changes: Any) -> str:
    with pytest.raises(click.UsageError) as caught:
        build_program(options(file, **changes))
    return caught.value.message


def test_programs_and_inputs_have_a_largest_size(tmp_path: Path) -> None:
    file, data = tmp_path / "it.py", tmp_path / "data"
    file.write_bytes(b"#" * 8 * MEBIBYTE)
    with data.open("wb") as stream:
        stream.truncate(256 * MEBIBYTE)  # no block of it is stored
    assert len(build_program(options(file)).files["it.py"]) == 8 * MEBIBYTE
    assert len(build_program(options(file, stdin=data)).stdin) == 256 * MEBIBYTE
    file.write_bytes(b"#" * (8 * MEBIBYTE + 1))
    assert refused(file) == (
        f"FILE {str(file)!r}: more than 8 MiB; pass its data with --file or --stdin"
    )
    file.write_bytes(b"1")
    with data.open("wb") as stream:
        stream.truncate(256 * MEBIBYTE + 1)
    assert refused(file, stdin=data) == f"--stdin {str(data)!r}: more than 256 MiB"
    assert refused(file, files=(data,)) == f"--file {str(data)!r}: more than 256 MiB"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("it.py", b"\n\n'\xe9'", "not UTF-8: byte 0xe9 in line 3"),
        ("it.py", b"# coding: ascii\n'\xe9'", "not ASCII: byte 0xe9 in line 2"),
        ("it.py", b"# coding: no-such\n'\xe9'", "not UTF-8: byte 0xe9 in line 2"),
        ("it.sh", b"# coding: latin-1\n'\x0e\xe9'", "not UTF-8: byte 0xe9 in line 2"),
        ("it.py", b"\0", "not text: a NUL byte in line 1"),
    ],
)
def test_a_program_that_is_not_text_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert refused(file) == f"FILE {str(file)!r}: {message}"


@pytest.mark.parametrize("content", [b"# coding: latin-1\n'\xe9'", b"# coding: no-such\n1"])
def test_python_itself_judges_the_encoding_it_is_written_in(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "it.py").write_bytes(content)
    assert build_program(options(tmp_path / "it.py")).files == {"it.py": content}


def test_files_stand_beside_the_program_where_they_are_below_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    (folder / "data").mkdir(parents=True)
    paths = [folder / "it.py", folder / "data" / "a.txt", folder / "b.txt", tmp_path / "far.txt"]
    for path in paths:
        path.write_bytes(path.name.encode())
    program = build_program(options(paths[0], files=tuple(paths[1:])))
    assert program.files == {
        "it.py": b"it.py",
        "data/a.txt": b"a.txt",
        "b.txt": b"b.txt",
        "far.txt": b"far.txt",
    }
    assert (program.stdin, program.outputs, program.args) == (b"", None, ())


def test_names_of_files_are_distinct_and_not_the_outputs_folder(tmp_path: Path) -> None:
    for name in (
        "sources/it.py",
        "one/a",
        "two/a",
        "sources/outputs/b",
        "one/outputs",
        "one/it.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"1")
    file = tmp_path / "sources" / "it.py"

    def refusal(*names: str) -> str:
        return refused(file, files=tuple(tmp_path / name for name in names))

    assert refusal("sources/it.py").endswith("'it.py' is another file already")
    assert refusal("one/it.py").endswith("'it.py' is another file already")
    assert refusal("one/a", "two/a").endswith("two/a': 'a' is another file already")
    assert refusal("one/outputs").endswith("'outputs' is for the program's outputs")
    assert refusal("sources/outputs/b").endswith("'outputs' is for the program's outputs")
    program = build_program(options(file, files=(tmp_path / "one" / "a",), outputs=tmp_path))
    assert (program.outputs, set(program.files)) == ("outputs", {"it.py", "a"})


def test_standard_input_is_the_program_or_its_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Standard:
        buffer = io.BytesIO(b"print(1)")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", Standard)
    (tmp_path / "a.txt").write_bytes(b"a")
    program = build_program(options(Path("-"), files=(tmp_path / "a.txt",)))
    assert (program.main, program.language) == ("main.py", "python")
    assert program.files == {"main.py": b"print(1)", "a.txt": b"a"}
    assert "cannot both be standard input" in refused(Path("-"), stdin=Path("-"))


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_limits_are_positive_and_finite(tmp_path: Path, value: float) -> None:
    (tmp_path / "it.py").write_bytes(b"1")
    stated = f" {value}: must be more than 0, and finite"
    assert refused(tmp_path / "it.py", timeout=value) == f"--timeout{stated}"
    assert refused(tmp_path / "it.py", memory=value) == f"--memory{stated}"


@pytest.mark.parametrize(("limit", "option"), [("seconds", "timeout"), ("memory_mb", "memory")])
def test_limits_are_those_that_the_sandbox_has(tmp_path: Path, limit: str, option: str) -> None:
    (tmp_path / "it.py").write_bytes(b"1")
    most = HIGHEST[limit]
    program = build_program(options(tmp_path / "it.py", **{option: most}))
    assert getattr(program.limits, limit) == most
    stated = f"--{option} {most + 1}: must be at most {most:,}"
    assert refused(tmp_path / "it.py", **{option: most + 1}) == stated


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "it.py").write_bytes(b"1")
    lacking = tmp_path / "none"
    assert refused(lacking) == f"FILE {str(lacking)!r}: No such file or directory"
    found = refused(tmp_path / "it.py", stdin=lacking)
    assert found == f"--stdin {str(lacking)!r}: No such file or directory"
    assert "null" in refused(tmp_path / "it.py", files=(tmp_path / "a\0b",))


def test_outputs_need_a_new_or_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    for folder in (None, tmp_path / "new", tmp_path / "empty"):
        require_empty_folder(folder)
    for name, reason in {
        "file": "not an empty directory",
        "link": "not an empty directory",
        ".": "not an empty directory",
        "no/parent": "its parent is not a directory",
        "file/below": "its parent is not a directory",
    }.items():
        with pytest.raises(click.UsageError, match=reason):
            require_empty_folder(tmp_path / name)


def test_outputs_are_written_below_their_folder_only(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    save_outputs(folder, {"a/b/c": b"1", "d": b"2"})
    save_outputs(folder, {"a/e": b"3"})
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {os.path.join("a", "b", "c"), "d", os.path.join("a", "e")}  # noqa: PTH118
    for name in ("/etc/x", "../x", "a/../../x", ""):
        with pytest.raises(ValueError, match="leads out of its folder"):
            save_outputs(folder, {name: b"1"})
    with pytest.raises(click.UsageError, match="--outputs"):
        save_outputs(folder / "d", {"x": b"1"})


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
    printed = capsys.readouterr().out
    value = json.loads(printed)
    assert printed == json.dumps(value, indent=2) + "\n"
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
