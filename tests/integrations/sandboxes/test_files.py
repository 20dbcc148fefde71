"""Files are written before, and returned after, a run, without following a link."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.integrations.sandboxes.places import Place

from planish.abc import Sandbox
from planish.data.program import Program, ResourceLimits
from planish.data.sandbox import Guarantee

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]
Require = Callable[[Guarantee], None]


async def test_files_are_written_byte_for_byte(sandbox: Sandbox) -> None:
    files = {
        "main.py": b"import os; print(sorted(os.listdir('.')), open('a/b/c.bin', 'rb').read())",
        "a/b/c.bin": bytes(range(256)),
        "a/empty": b"",
        "\udcff\n name": b"x",  # any name that the system takes
    }
    done = await sandbox.run(Program(main="main.py", files=files, collect=tuple(files)))
    assert done.ok, done.stderr
    assert done.files == files


async def test_large_files_are_written(sandbox: Sandbox, python: Python) -> None:
    files = {"main.py": b"import os; print(os.path.getsize('big'))", "big": b"x" * 30_000_000}
    done = await sandbox.run(Program(main="main.py", files=files))
    assert done.stdout == b"30000000\n", done.stderr


async def test_the_files_at_the_end_are_collected(sandbox: Sandbox, python: Python) -> None:
    source = """
import os
os.makedirs('out/deep'); open('out/deep/file', 'w').write('deep')
open('big', 'wb').write(b'b' * 1000)
open('sparse', 'wb').truncate(900)
os.mkdir('folder'); os.mkfifo('fifo'); open('open', 'w').write('flushed at exit')
"""
    paths = ("out/deep/file", "big", "sparse", "folder", "fifo", "absent", "absent/too", "open")
    limits = ResourceLimits(file_bytes=1000)
    done = await sandbox.run(python(source, collect=(*paths, "main.py/x", "big"), limits=limits))
    assert done.ok, done.stderr
    assert done.files == {
        "out/deep/file": b"deep",
        "big": b"b" * 1000,
        "sparse": bytes(900),
        "open": b"flushed at exit",
    }


async def test_links_are_not_followed(sandbox: Sandbox, python: Python, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("host")
    source = f"""
import os
os.symlink({str(tmp_path / "secret")!r}, 'file'); os.symlink({str(tmp_path)!r}, 'folder')
os.symlink('/etc/passwd', 'absolute'); os.symlink('/etc', 'etc')
os.symlink('real', 'inner'); open('real', 'w').write('own')
"""
    paths = ("file", "folder/secret", "absolute", "etc/passwd", "inner", "real")
    done = await sandbox.run(python(source, collect=paths))
    assert done.ok, done.stderr
    assert done.files == {"real": b"own"}


REPLACED = {
    "working directory": "os.chdir('/'); os.rename(work, work + '.old'); os.symlink(host, work)",
    "its parent": (
        "above = os.path.dirname(work)\n"
        "os.chdir('/'); os.rename(above, above + '.old'); os.symlink(host, above)"
    ),
}


def _mode(folder: Path) -> int:
    return folder.stat().st_mode


@pytest.mark.parametrize("name", REPLACED)
async def test_a_link_in_place_of_a_folder_gives_nothing_of_the_host(
    sandbox: Sandbox, place: Place, python: Python, tmp_path: Path, name: str
) -> None:
    if place.name == "unsafe" and name == "its parent":
        pytest.skip("unsafe/test_files.py has this case, where it can remove what is moved")
    (tmp_path / "secret").write_text("host")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "secret").write_text("host")
    before = _mode(tmp_path)
    source = f"import os\nwork, host = os.getcwd(), {str(tmp_path)!r}\n"
    source += f"try:\n    {REPLACED[name].replace(chr(10), chr(10) + '    ')}\n"
    source += "except OSError:\n    print('refused')\n"
    done = await sandbox.run(python(source, collect=("secret",), outputs="work"))
    assert (done.files, done.artifacts) == ({}, {})
    assert (tmp_path / "secret").read_text() == "host"
    assert _mode(tmp_path) == before
    assert (await sandbox.run(python("print('next')"))).stdout == b"next\n"


@pytest.mark.parametrize(
    "swap", ["os.symlink({0!r}, 'out')", "os.symlink('aside', 'out')", "open('out', 'w').close()"]
)
async def test_what_replaces_the_folder_of_outputs_gives_nothing(
    sandbox: Sandbox, python: Python, tmp_path: Path, swap: str
) -> None:
    (tmp_path / "secret").write_text("secret")
    source = f"import os; os.rename('out', 'aside'); {swap.format(str(tmp_path))}"
    done = await sandbox.run(python(source, outputs="out"))
    assert done.ok, done.stderr
    assert done.artifacts == {}
    assert len(done.findings) == 1


async def test_removing_follows_no_link(sandbox: Sandbox, python: Python, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("host")
    source = f"import os; os.symlink({str(tmp_path)!r}, 'a'); os.mkdir('b'); os.chmod('b', 0)\n"
    source += "for name in ('../b', os.path.join(os.environ['HOME'], 'c')):\n"
    source += f"    try: os.symlink({str(tmp_path)!r}, name)\n    except OSError: pass"
    await sandbox.run(python(source))
    assert (await sandbox.run(python("import os; print(os.listdir('.'))"))).ok
    assert (tmp_path / "kept").read_text() == "host"


INPUTS = """
import os
print(open('inputs/deep/a.txt').read())
for what in (lambda: open('inputs/deep/a.txt', 'w'), lambda: open('inputs/new', 'w'),
             lambda: os.unlink('inputs/deep/a.txt')):
    try:
        what()
    except OSError:
        print('no')
open('beside', 'w').write('yes')
"""


async def test_inputs_cannot_be_written_in_a_tier(sandbox: Sandbox, place: Place) -> None:
    if place.tier is None:
        pytest.skip("read-only inputs are a property of the local sandbox")
    files = {"main.py": INPUTS.encode(), "inputs/deep/a.txt": b"given"}
    done = await sandbox.run(Program(main="main.py", files=files, collect=("beside",)))
    assert done.stdout == b"given\nno\nno\nno\n", done.stderr
    assert done.files == {"beside": b"yes"}


async def test_a_folder_that_replaces_inputs_is_not_collected_in_a_tier(
    sandbox: Sandbox, place: Place
) -> None:
    if place.tier is None:
        pytest.skip("read-only inputs are a property of the local sandbox")
    source = b"""
import os
try:
    os.rename('inputs', 'aside')
    os.mkdir('inputs')
    open('inputs/a.txt', 'w').write('forged')
except OSError as error:
    print('refused')
"""
    files = {"main.py": source, "inputs/a.txt": b"given"}
    program = Program(main="main.py", files=files, collect=("inputs/a.txt",), outputs="inputs")
    done = await sandbox.run(program)
    assert done.files == ({"inputs/a.txt": b"given"} if done.stdout else {})
    assert done.artifacts == ({"a.txt": b"given"} if done.stdout else {})
    untouched = {**files, "main.py": b"pass"}
    done = await sandbox.run(Program(main="main.py", files=untouched, collect=("inputs/a.txt",)))
    assert done.files == {"inputs/a.txt": b"given"}


async def test_files_are_copied_with_their_attributes(sandbox: Sandbox, python: Python) -> None:
    source = "import shutil; shutil.copy2('main.py', 'copy.py'); print(open('copy.py').read(6))"
    done = await sandbox.run(python(source))
    assert (done.stdout, done.stderr) == (b"import\n", b"")


async def test_a_tree_of_any_depth_is_removed(sandbox: Sandbox, python: Python) -> None:
    # Two tiers count a folder that is nested more than 200 deep as too many files.
    source = "import os\nfor _ in range(3000):\n    os.mkdir('d'); os.chdir('d')\n"
    done = await sandbox.run(python(source + "    os.close(os.open('f', os.O_CREAT))"))
    assert done.ok or done.limit == "files"
    again = await sandbox.run(python("import os; print(os.listdir('.'))"))
    assert again.stdout == b"['main.py']\n"


async def test_a_program_may_try_to_remove_its_own_folder(sandbox: Sandbox, python: Python) -> None:
    source = "import os, shutil; shutil.rmtree(os.getcwd(), ignore_errors=True); print('gone')"
    done = await sandbox.run(python(source, collect=("main.py",)))
    assert done.stdout == b"gone\n", done.stderr
    assert done.files == {}
