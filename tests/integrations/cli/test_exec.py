"""`planish exec`: a program in the sandbox, seen from outside."""

import base64
import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planish.data.sandbox import GUARANTEES
from planish_integrations.local import LANGUAGES

Planish = Callable[..., "subprocess.CompletedProcess[str]"]
Exec = Callable[..., "subprocess.CompletedProcess[bytes]"]

KEYS = {
    "error",
    "exit_status",
    "exit_code",
    "signal",
    "limit",
    "stdout",
    "stdout_base64",
    "stderr",
    "stderr_base64",
    "seconds",
    "limits",
    "tier",
    "guarantees",
    "findings",
    "artifacts",
}


def _value(done: "subprocess.CompletedProcess[bytes]") -> dict[str, Any]:
    assert done.stderr == b""
    value: dict[str, Any] = json.loads(done.stdout)
    assert value.keys() == KEYS
    assert value["exit_status"] == done.returncode
    return value


def test_bytes_pass_as_they_are_and_the_exit_status_is_the_programs(run: Exec) -> None:
    code = (
        "import sys\n"
        "sys.stdout.buffer.write(b'\\xff\\x00\\x1b[31m')\n"
        "sys.stderr.write('gone ' + sys.argv[1])\n"
        "sys.exit(7)"
    )
    done = run(code, "wrong")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"\xff\x00\x1b[31m", b"gone wrong")


def test_what_follows_two_dashes_is_the_programs(run: Exec) -> None:
    done = run("import sys; print(sys.argv[1:])", "--", "--json", "-x", "--")
    assert done.stdout == b"['--json', '-x', '--']\n"


def test_the_program_or_its_input_comes_from_standard_input(run: Exec, tmp_path: Path) -> None:
    assert run("-", input=b"print(6 * 7)").stdout == b"42\n"
    code = "import sys; print(sys.stdin.read()[::-1])"
    assert run(code, "--stdin", "-", input=b"abc").stdout == b"cba\n"
    (tmp_path / "in.txt").write_bytes(b"def")
    assert run(code, "--stdin", tmp_path / "in.txt").stdout == b"fed\n"
    assert run(code, input=b"not asked for").stdout == b"\n"


@pytest.mark.parametrize(
    ("code", "options", "status"),
    [
        ("while True: pass", ("--timeout", "0.3"), 124),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", (), 139),
        ("while True: print('x' * 100_000)", (), 137),
    ],
)
def test_the_exit_status_tells_how_it_was_killed(
    run: Exec, code: str, options: tuple[str, ...], status: int
) -> None:
    assert run(code, *options).returncode == status
    assert _value(run(code, *options, "--json"))["exit_status"] == status


def test_json_has_all_there_is_to_know(run: Exec) -> None:
    code = "import sys; sys.stdout.buffer.write(b'\\xff'); sys.exit(3)"
    value = _value(run(code, "--json", "--timeout", "5", "--memory", "300"))
    assert value["error"] is None
    assert (value["exit_code"], value["signal"], value["limit"]) == (3, None, None)
    assert base64.b64decode(value["stdout_base64"]) == b"\xff"
    assert (value["stderr"], value["stderr_base64"]) == ("", None)
    assert (value["limits"]["seconds"], value["limits"]["memory_mb"]) == (5.0, 300)
    assert value["tier"] in ("namespaces", "bubblewrap", "landlock")
    assert {"files", "network", "cleanup"} <= set(value["guarantees"]) <= set(GUARANTEES)
    assert 0 < value["seconds"] < 5


def test_only_the_files_that_are_named_are_sent(run: Exec, tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "in.txt").write_text("given")
    (folder / "secret.txt").write_text("secret")
    code = "import os; print(sorted(os.listdir())); print(open('data/in.txt').read())"
    (folder / "main.py").write_text(code)
    done = run(folder / "main.py", "--file", folder / "data" / "in.txt")
    assert done.stdout == b"['data', 'main.py']\ngiven\n"


def test_outputs_are_brought_back_into_a_new_folder(run: Exec, tmp_path: Path) -> None:
    code = (
        "import os\n"
        "os.makedirs('outputs/a')\n"
        "open('outputs/a/b.bin', 'wb').write(b'\\xff' * 1000)\n"
        "os.symlink('/etc/passwd', 'outputs/link')\n"
        "open('elsewhere', 'w').write('stays')"
    )
    folder = tmp_path / "back"
    value = _value(run(code, "--outputs", folder, "--json"))
    content = b"\xff" * 1000
    digest = hashlib.sha256(content).hexdigest()
    assert value["artifacts"] == [{"path": "a/b.bin", "bytes": 1000, "sha256": digest}]
    assert [p.name for p in folder.rglob("*")] == ["a", "b.bin"]
    assert (folder / "a" / "b.bin").read_bytes() == content
    again = run(code, "--outputs", folder)
    assert (again.returncode, again.stdout) == (2, b"")
    assert b"not an empty directory" in again.stderr


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"print('caf\xe9')", b"not UTF-8: byte 0xe9 in line 1"),
        (b"x = 1\ny = '\0'", b"a NUL byte in line 2"),
        (b"#", b"more than 8 MiB"),  # repeated below: so many bytes are not to stay in memory
    ],
    ids=["latin-1", "NUL", "50 MiB"],
)
def test_what_is_no_program_is_refused_in_words(
    run: Exec, tmp_path: Path, content: bytes, word: bytes
) -> None:
    (tmp_path / "it.py").write_bytes(content * (50 << 20 if content == b"#" else 1))
    done = run(tmp_path / "it.py")
    assert (done.returncode, done.stdout) == (2, b"")
    assert word in done.stderr
    value = _value(run(tmp_path / "it.py", "--json"))
    assert (value["error"]["kind"], value["exit_status"]) == ("usage", 2)
    assert word.decode() in value["error"]["message"]


@pytest.mark.parametrize(
    "options",
    [
        ("--timeout", "0"),
        ("--timeout", "-1"),
        ("--timeout", "nan"),
        ("--timeout", "inf"),
        ("--timeout", "soon"),
        ("--memory", "0"),
        ("--memory", "99999999999"),
        ("--memory", "1.5"),
        ("--network", "all"),
        ("--tier", "none"),
        ("--require", "luck"),
        ("--language", "klingon"),
        ("--stdin", "no-such-file"),
        ("--stdin", "/"),
        ("--file", "no-such-file"),
        ("--file", "/"),
        ("--outputs", "/"),
        ("--outputs", "/no/such/parent"),
        ("--nonsense",),
    ],
    ids=" ".join,
)
def test_what_cannot_be_is_exit_2_in_words_and_in_json(run: Exec, options: tuple[str, ...]) -> None:
    done = run("print('ran')", *options)
    assert (done.returncode, done.stdout) == (2, b"")
    assert options[0].strip("-").encode() in done.stderr.lower()
    assert b"Traceback" not in done.stderr
    value = _value(run("print('ran')", *options, "--json"))
    assert value["error"]["kind"] in ("usage", "unsupported")


def test_a_language_that_cannot_be_run_is_advised_about_in_words_of_the_command_line(
    run: Exec,
) -> None:
    unknown = run("print('ran')", "--language", "Pyton").stderr
    assert b"--language Pyton: there are bash, javascript, lua, " in unknown
    assert unknown.endswith(b"; did you mean python?\n")
    for language, (command, *_) in LANGUAGES.items():
        if shutil.which(command) is None:
            missing = run("print('ran')", "--language", language).stderr.decode()
            assert missing == (
                f"planish: error: {language} needs the command {command!r}: install it, or put "
                "it on PATH\n"
            )


def test_a_missing_file_or_program_is_said(run: Exec, planish: Planish) -> None:
    done = planish("exec", "no-such-program.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no-such-program.py" in done.stderr
    assert planish("exec").returncode == 2
    both = run("-", "--stdin", "-", input=b"")
    assert both.returncode == 2
    assert b"cannot both be" in both.stderr


def test_a_python_program_may_say_its_encoding(run: Exec, tmp_path: Path) -> None:
    (tmp_path / "it.py").write_bytes(b"# coding: latin-1\nprint(ascii('caf\xe9'))")
    assert run(tmp_path / "it.py").stdout == b"'caf\\xe9'\n"


def test_the_ending_of_the_name_says_the_language(run: Exec, tmp_path: Path) -> None:
    (tmp_path / "it.sh").write_text("echo $((6 * 7))")
    assert run(tmp_path / "it.sh").stdout == b"42\n"
    assert run(tmp_path / "it.sh", "--language", "python").returncode == 1
