"""Programs of other languages run by the commands that a sandbox has for them."""

from pathlib import Path

import pytest
from tests.integrations.sandboxes.places import Place

from planish.abc import Sandbox
from planish.data.program import Program, ResourceLimits

pytestmark = pytest.mark.anyio


def _shell(source: bytes, **fields: object) -> Program:
    return Program(language="sh", main="-m.sh", files={"-m.sh": source}, **fields)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def test_a_command_gets_arguments_variables_input_and_folder(sandbox: Sandbox) -> None:
    program = _shell(
        b'echo "$# $1 $2 [$MINE]"; pwd; cat; exit 3',
        args=("a b", "-c"),
        env={"MINE": "mine"},
        stdin=b"the input",
    )
    done = await sandbox.run(program)
    first, folder, rest = done.stdout.split(b"\n")
    assert (done.exit_code, first, rest) == (3, b"2 a b -c [mine]", b"the input")
    assert folder.endswith(b"/work")


async def test_a_command_gets_the_limits_and_the_small_environment(sandbox: Sandbox) -> None:
    limits = ResourceLimits(memory_mb=1000, file_bytes=1024 * 1024)
    done = await sandbox.run(_shell(b"env; ulimit -v; ulimit -f; ulimit -c", limits=limits))
    *variables, memory, file_size, core = done.stdout.decode().splitlines()
    names = {line.partition("=")[0] for line in variables}
    assert names - {"PWD", "SHLVL", "_", "OLDPWD", "LC_CTYPE"} == {
        "PATH", "HOME", "TMPDIR", "LANG", "PYTHONHASHSEED",
    }  # fmt: skip
    assert (memory, file_size, core) == ("1024000", "2048", "0")


async def test_a_closed_pipe_ends_a_command_without_a_message(sandbox: Sandbox) -> None:
    # CPython ignores SIGPIPE, and what is ignored stays so in the command that it executes.
    source = b"(while echo y; do :; done) | sh -c 'read line; echo $line'; echo done"
    done = await sandbox.run(_shell(source))
    assert (done.stdout, done.stderr) == (b"y\ndone\n", b"")


async def test_a_command_is_stopped_with_all_that_it_started(sandbox: Sandbox, mark: str) -> None:
    # The mark is an argument that `sleep` takes as more seconds; the fixture looks for it.
    number = mark.translate(str.maketrans("plx", "000"))
    source = f"sleep 60 & (exec sleep 0.{number} 60) & sleep 60".encode()
    done = await sandbox.run(_shell(source, limits=ResourceLimits(seconds=0.3)))
    assert done.limit == "seconds"


async def test_the_files_of_the_host_cannot_be_read(
    sandbox: Sandbox, place: Place, tmp_path: Path
) -> None:
    if not place.is_isolated:
        pytest.skip("its programs read what this process reads")
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for folder in (tmp_path, *tmp_path.parents[:3]):
        if folder.parent != folder:
            folder.chmod(0o755 | (folder.stat().st_mode & 0o7777))
    done = await sandbox.run(_shell(f"cat {secret}; cat /root/.bashrc".encode()))
    assert (done.exit_code, done.stdout) == (1, b"")
