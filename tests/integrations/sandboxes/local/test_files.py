"""Files on their way in and out."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planish.data.program import Program, ResourceLimits
from planish_integrations.local import LocalSandbox, Tier

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]


async def test_every_output_that_is_left_out_is_named_with_the_reason(
    sandbox: LocalSandbox, python: Python
) -> None:
    source = """
import os, socket
os.symlink('/etc/passwd', 'out/link'); os.symlink('..', 'out/up')
os.mkfifo('out/pipe')
with open('out/sparse', 'wb') as f: f.truncate(50_000)
open('out/fine\\n"', 'w').write('odd name')
deep = 'out'
for _ in range(80):
    deep += '/d'
    os.mkdir(deep)
"""
    limits = ResourceLimits(file_bytes=60_000)
    completed = await sandbox.run(python(source, outputs="out", limits=limits))
    assert completed.ok, completed.stderr
    assert completed.artifacts == {'fine\n"': b"odd name", "sparse": bytes(50_000)}
    said = "\n".join(completed.findings)
    assert "outputs: 'link' was left out: it is a symbolic link" in said
    assert "outputs: 'up' was left out: it is a symbolic link" in said
    assert "outputs: 'pipe' was left out: it is a named pipe" in said
    assert "too deep" in said


async def test_all_outputs_together_are_bounded(sandbox: LocalSandbox, python: Python) -> None:
    source = "for n in range(40):\n    with open(f'out/{n:02}', 'wb') as f: f.truncate(1 << 20)"
    limits = ResourceLimits(disk_mb=16)
    completed = await sandbox.run(python(source, outputs="out", limits=limits))
    assert completed.ok, completed.stderr  # files full of holes take no room
    assert len(completed.artifacts) == 16
    assert "too large" in completed.findings[0]


async def test_granted_folders_are_seen_and_cannot_be_written(
    tier: Tier, python: Python, tmp_path: Path
) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "mine.py").write_text("value = 41")
    for folder in (tmp_path, *tmp_path.parents[:2], tmp_path / "pkg"):
        if folder != Path("/tmp"):  # noqa: S108
            folder.chmod(0o755)
    source = "import mine; print(mine.value + 1)\ntry:\n    open(mine.__file__, 'w')\n"
    source += "except OSError:\n    print('no')"
    async with LocalSandbox(tier=tier, packages=[tmp_path / "pkg"], spare=1) as sandbox:
        completed = await sandbox.run(python(source))
    assert completed.stdout == b"42\nno\n", completed.stderr
    assert (tmp_path / "pkg" / "mine.py").read_text() == "value = 41"
