"""Other languages run on the commands that the machine has."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planish.data.program import Program, ResourceLimits
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.unsafe import LANGUAGES, UnsafeLocalSandbox

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nothing_left")]

HELLOS = {
    "javascript": "console.log('hello', process.argv.slice(2), process.env.MINE); process.exit(3)",
    "bash": 'echo hello "[" "$@" "]" $MINE; exit 3',
    "sh": 'echo hello "[" "$@" "]" $MINE; exit 3',
    "perl": 'print "hello [ @ARGV ] $ENV{MINE}\n"; exit 3',
    "ruby": "puts \"hello #{ARGV} #{ENV['MINE']}\"; exit 3",
}


@pytest.mark.parametrize("language", HELLOS)
async def test_a_program_runs_on_its_interpreter(
    sandbox: UnsafeLocalSandbox, language: str
) -> None:
    if shutil.which(LANGUAGES[language][0]) is None:
        pytest.skip(f"{language} is not installed")
    program = Program(
        language=language,
        main="-main.x",
        files={"-main.x": HELLOS[language].encode()},
        args=("a b", "-c"),
        env={"MINE": "mine"},
        limits=ResourceLimits(memory_mb=4096),
    )

    completed = await sandbox.run(program)

    said = completed.stdout.decode()
    assert completed.exit_code == 3, completed.stderr
    assert said.startswith("hello")
    assert said.endswith("mine\n")
    assert "a b" in said
    assert "-c" in said


async def test_an_unknown_language_is_named_with_the_way_out(sandbox: UnsafeLocalSandbox) -> None:
    with pytest.raises(UnsupportedError, match=r"no language 'cobol'.*perl.*python.*languages="):
        await sandbox.run(Program(language="cobol", main="m", files={"m": b""}))


async def test_a_missing_interpreter_is_named_with_the_way_out(tmp_path: Path) -> None:
    sandbox = UnsafeLocalSandbox(directory=tmp_path, languages={"zig": ("no-such-zig", "run")})
    with pytest.raises(UnsupportedError, match=r"'zig' needs.*'no-such-zig'.*PATH.*languages="):
        await sandbox.run(Program(language="zig", main="m", files={"m": b""}))


async def test_languages_can_be_given(tmp_path: Path) -> None:
    languages = {"upper": ("sh", "-c", "tr a-z A-Z < $0"), "python": (sys.executable, "-I")}
    sandbox = UnsafeLocalSandbox(directory=tmp_path, languages=languages)
    upper = await sandbox.run(Program(language="upper", main="m", files={"m": b"text"}))
    assert upper.stdout == b"TEXT"
    source = b"import sys; print(sys.flags.isolated)"
    python = await sandbox.run(Program(main="m", files={"m": source}))
    assert python.stdout == b"1\n"


async def test_a_command_that_cannot_be_executed_is_the_sandboxs_trouble(tmp_path: Path) -> None:
    command = tmp_path / "command"
    command.write_bytes(b"\x7fELF nonsense")
    command.chmod(0o755)
    (tmp_path / "runs").mkdir()
    sandbox = UnsafeLocalSandbox(directory=tmp_path / "runs", languages={"x": (str(command),)})
    with pytest.raises(SandboxError, match="could not be started: OSError"):
        await sandbox.run(Program(language="x", main="m", files={"m": b""}))
    command.unlink()
    (tmp_path / "runs").rmdir()


async def test_python_is_there_whatever_the_table(
    tmp_path: Path, python: Callable[..., Program]
) -> None:
    assert (await UnsafeLocalSandbox(directory=tmp_path, languages={}).run(python("pass"))).ok
