"""Sandboxes return the same for the same program: the same bounds, and the same words."""

from collections.abc import Callable

import pytest

from planish.abc import Sandbox
from planish.data.program import Program, ResourceLimits

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]


async def test_each_output_that_is_left_out_is_named_with_the_reason(
    sandbox: Sandbox, python: Python
) -> None:
    source = """
import os
os.symlink('/etc/passwd', 'out/link'); os.symlink('..', 'out/up'); os.mkfifo('out/pipe')
with open('out/sparse', 'wb') as file: file.truncate(50_000)
open('out/fine\\n"', 'w').write('odd name')
deep = 'out'
for _ in range(80):
    deep += '/d'
    os.mkdir(deep)
open(deep + '/file', 'w').close()
"""
    done = await sandbox.run(python(source, outputs="out"))
    assert done.ok, done.stderr
    assert done.artifacts == {'fine\n"': b"odd name", "sparse": bytes(50_000)}
    *others, deepest = sorted(done.findings, key=len)
    assert sorted(others) == [
        "outputs: 'link' was left out: it is a symbolic link",
        "outputs: 'pipe' was left out: it is a named pipe",
        "outputs: 'up' was left out: it is a symbolic link",
    ]
    assert deepest.startswith("outputs: 'd/d/")
    assert deepest.endswith("was left out: it is a folder too deep down")


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("os.rmdir('out')", "No such file or directory"),
        ("os.rmdir('out'); open('out', 'w').close()", "Not a directory"),
        ("os.rename('out', 'in'); os.symlink('in', 'out')", "Not a directory"),
    ],
    ids=["gone", "file", "link"],
)
async def test_a_folder_of_outputs_that_is_none_any_more_is_named(
    sandbox: Sandbox, python: Python, end: str, reason: str
) -> None:
    done = await sandbox.run(python(f"import os; {end}", outputs="out"))
    finding = f"outputs: 'out' is incomplete: the folder cannot be read: {reason}"
    assert (done.artifacts, done.findings) == ({}, (finding,))


async def test_a_hundred_outputs_that_are_left_out_are_named(
    sandbox: Sandbox, python: Python
) -> None:
    source = "import os\nfor n in range(1000): os.symlink('/', f'out/{n:03}')"
    done = await sandbox.run(python(source, outputs="out"))
    assert len(done.findings) == 101
    assert done.findings[0] == "outputs: '000' was left out: it is a symbolic link"
    assert done.findings[-1] == "outputs: 'out' is incomplete: more files were left out"


async def test_all_outputs_together_are_bounded(sandbox: Sandbox, python: Python) -> None:
    source = "for n in range(40):\n    with open(f'out/{n:02}', 'wb') as f: f.truncate(1 << 20)"
    done = await sandbox.run(python(source, outputs="out", limits=ResourceLimits(disk_mb=16)))
    assert done.ok, done.stderr  # files full of holes take no room
    assert sorted(done.artifacts) == [f"{n:02}" for n in range(16)]
    assert done.findings[0] == ("outputs: '16' was left out: all outputs together are too large")


async def test_a_file_is_collected_up_to_the_limit_of_a_file(
    sandbox: Sandbox, python: Python
) -> None:
    files = {"main.py": b"pass", "large": b"x" * 3000}
    limits = ResourceLimits(file_bytes=1000)
    done = await sandbox.run(python("", files=files, collect=("large",), limits=limits))
    assert done.files == {"large": b"x" * 1000}
