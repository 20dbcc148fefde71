"""Files are laid out before, and brought back after, through no link."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planish.data.program import Program, ResourceLimits
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nothing_left")]

Python = Callable[..., Program]


async def test_files_are_laid_out_byte_for_byte(sandbox: UnsafeLocalSandbox) -> None:
    files = {
        "main.py": b"import os; print(sorted(os.listdir('.')), open('a/b/c.bin', 'rb').read())",
        "a/b/c.bin": bytes(range(256)),
        "a/empty": b"",
        "\udcff\n name": b"x",  # any name the system takes
    }
    completed = await sandbox.run(Program(main="main.py", files=files, collect=tuple(files)))
    assert completed.ok, completed.stderr
    assert completed.files == files


async def test_what_is_there_at_the_end_is_collected(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    source = """
import os, threading
os.makedirs('out/deep'); open('out/deep/file', 'w').write('deep')
open('big', 'wb').write(b'b' * 1000)
os.truncate('sparse', 10) if os.path.exists('sparse') else open('sparse', 'wb').truncate(900)
os.mkdir('folder'); os.mkfifo('fifo'); open('open', 'w').write('flushed at exit')
"""
    wanted = ("out/deep/file", "big", "sparse", "folder", "fifo", "absent", "absent/too", "open")
    completed = await sandbox.run(
        python(
            source, collect=(*wanted, "main.py/x", "big"), limits=ResourceLimits(file_bytes=1000)
        )
    )
    assert completed.ok, completed.stderr
    assert completed.files == {
        "out/deep/file": b"deep",
        "big": b"b" * 1000,
        "sparse": bytes(900),
        "open": b"flushed at exit",
    }


async def test_no_more_than_the_limit_of_a_file_is_collected(sandbox: UnsafeLocalSandbox) -> None:
    files = {"main.py": b"pass", "given": b"g" * 3000}
    program = Program(
        main="main.py", files=files, collect=("given",), limits=ResourceLimits(file_bytes=1000)
    )
    assert (await sandbox.run(program)).files == {"given": b"g" * 1000}


async def test_links_are_not_followed(
    sandbox: UnsafeLocalSandbox, python: Python, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("host") / "secret"
    secret.write_text("host")
    source = f"""
import os
os.symlink({str(secret)!r}, 'file'); os.symlink({str(secret.parent)!r}, 'folder')
os.symlink('real', 'inner'); open('real', 'w').write('own')
work = os.getcwd(); os.mkdir('sub'); os.rename('sub', '../elsewhere')
"""
    wanted = ("file", "folder/secret", "inner", "real")
    completed = await sandbox.run(python(source, collect=wanted))
    assert completed.ok, completed.stderr
    assert completed.files == {"real": b"own"}


async def test_a_working_directory_swapped_for_a_link_gives_nothing_of_the_host(
    sandbox: UnsafeLocalSandbox, python: Python, tmp_path_factory: pytest.TempPathFactory
) -> None:
    host = tmp_path_factory.mktemp("host")
    (host / "secret").write_text("host")
    source = f"""
import os
os.rename('../work', '../moved'); os.symlink({str(host)!r}, '../work')
"""
    completed = await sandbox.run(python(source, collect=("secret",)))
    assert completed.ok, completed.stderr
    assert completed.files == {}
    assert (host / "secret").read_text() == "host"


async def test_a_run_directory_swapped_for_a_link_leaves_the_host_as_it_was(
    sandbox: UnsafeLocalSandbox, python: Python, tmp_path_factory: pytest.TempPathFactory
) -> None:
    host, elsewhere = tmp_path_factory.mktemp("host"), tmp_path_factory.mktemp("elsewhere")
    (host / "kept").write_text("host")
    host.chmod(0o755)
    source = f"""
import os
root = os.path.dirname(os.getcwd())
os.rename(root, {str(elsewhere / "moved")!r}); os.symlink({str(host)!r}, root)
"""
    assert (await sandbox.run(python(source))).ok
    assert (host / "kept").read_text() == "host"
    assert host.stat().st_mode & 0o777 == 0o755


async def test_removing_follows_no_link(
    sandbox: UnsafeLocalSandbox, python: Python, tmp_path_factory: pytest.TempPathFactory
) -> None:
    host = tmp_path_factory.mktemp("host")
    (host / "kept").write_text("host")
    source = f"import os; os.symlink({str(host)!r}, 'a'); os.mkdir('b'); os.chmod('b', 0)\n"
    source += f"os.symlink({str(host)!r}, '../b'); os.symlink({str(host)!r}, '../home/c')"
    assert (await sandbox.run(python(source))).ok
    assert (host / "kept").read_text() == "host"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/etc/passwd", "is absolute"),
        ("../x", "leads out"),
        ("a/../../x", "leads out"),
        ("a/..", "leads out"),
        ("", "not a plain path"),
        (".", "not a plain path"),
        ("./a", "not a plain path"),
        ("a/", "not a plain path"),
        ("a//b", "not a plain path"),
        ("a\0b", "NUL"),
        ("\ud800", "surrogate"),
        ("x" * 256, "255 bytes"),
        ("/".join(["d" * 200] * 6), "1000 bytes"),
    ],
)
async def test_a_path_that_is_not_inside_is_refused(
    sandbox: UnsafeLocalSandbox, path: str, reason: str
) -> None:
    files = {"main.py": b"pass"}
    with pytest.raises(UnsupportedError, match=reason):
        await sandbox.run(Program(main="main.py", files={**files, path: b""}))
    with pytest.raises(UnsupportedError, match=reason):
        await sandbox.run(Program(main="main.py", files=files, collect=(path,)))


async def test_a_file_in_the_place_of_a_folder_is_refused(sandbox: UnsafeLocalSandbox) -> None:
    files = {"main.py": b"pass", "a": b"", "a/b/c": b""}
    with pytest.raises(UnsupportedError, match=r"'a' is a file, and 'a/b/c' is in it"):
        await sandbox.run(Program(main="main.py", files=files))


async def test_a_main_file_that_is_not_given_is_refused(sandbox: UnsafeLocalSandbox) -> None:
    with pytest.raises(UnsupportedError, match=r"'main.py' is not among Program.files \('a.py'\)"):
        await sandbox.run(Program(main="main.py", files={"a.py": b""}))


@pytest.mark.parametrize(
    "fields",
    [
        {"args": ("a\0b",)},
        {"args": ("\ud800",)},
        {"env": {"A\0": "x"}},
        {"env": {"A": "x\0"}},
        {"env": {"A=B": "x"}},
        {"env": {"": "x"}},
    ],
)
async def test_text_the_system_cannot_take_is_refused(
    sandbox: UnsafeLocalSandbox, python: Python, fields: dict[str, object]
) -> None:
    with pytest.raises(UnsupportedError, match="Program"):
        await sandbox.run(python("pass", **fields))


async def test_arguments_too_long_for_the_system_are_refused(
    sandbox: UnsafeLocalSandbox, python: Python
) -> None:
    with pytest.raises(UnsupportedError, match=r"Program.files or Program.stdin"):
        await sandbox.run(python("pass", args=("x" * 100_000,) * 50))


async def test_large_files_are_laid_out(sandbox: UnsafeLocalSandbox) -> None:
    files = {"main.py": b"import os; print(os.path.getsize('big'))", "big": b"x" * 30_000_000}
    completed = await sandbox.run(Program(main="main.py", files=files))
    assert completed.stdout == b"30000000\n", completed.stderr


async def test_a_system_without_space_is_the_sandboxs_trouble(
    python: Python, tmp_path: Path
) -> None:
    sandbox = UnsafeLocalSandbox(directory=tmp_path / "absent")
    with pytest.raises(SandboxError, match="absent"):
        await sandbox.run(python("pass"))
