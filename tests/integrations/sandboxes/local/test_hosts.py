"""A program runs behind its walls wherever the interpreter lies, and whatever lies about."""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import pytest

from planish.data import Program
from planish_integrations.local import LocalSandbox, Tier, probe

RUN = """
import sys, anyio
from planish.data import Program
from planish_integrations.local import LocalSandbox
source = b"import json.tool, sys; print(sys.prefix)"
sandbox = LocalSandbox(tier=sys.argv[1])
completed = anyio.run(sandbox.run, Program(main="main.py", files={"main.py": source}))
sys.exit(completed.stdout.decode() + completed.stderr.decode())
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has folders that programs may not enter")
@pytest.mark.parametrize("tier", ["namespaces", "landlock"])
def test_the_interpreter_may_lie_where_root_alone_may_go(tmp_path: Path, tier: Tier) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    venv.create(closed / "venv", symlinks=True)  # it has a link, lib64, where lib is granted
    python = closed / "venv" / "bin" / "python"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [str(python), "-c", RUN, tier],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr.strip().endswith(str(closed / "venv")), done.stderr


@pytest.mark.anyio
async def test_a_program_has_no_capability_and_can_get_none(
    sandbox: LocalSandbox, tier: Tier
) -> None:
    source = (
        b"for line in open('/proc/self/status'):\n    if line[:3] == 'Cap': print(line, end='')"
    )
    completed = await sandbox.run(Program(main="main.py", files={"main.py": source}))
    sets = dict(line.split(":\t") for line in completed.stdout.decode().splitlines())
    names = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
    if os.geteuid() != 0 and tier == "landlock":
        sets["CapBnd"] = "0" * 16  # only root can empty it; without privileges it gives none
    assert sets == dict.fromkeys(names, "0" * 16)


@pytest.mark.anyio
async def test_directories_that_a_dead_zygote_left_are_in_nobodys_way() -> None:
    program = Program(main="main.py", files={"main.py": b"import os; print(os.getcwd())"})
    async with LocalSandbox(tier="landlock", spare=0) as sandbox:  # each program has a new one
        place = Path((await sandbox.run(program)).stdout.decode()).parent
        zygote = place.name.split("-")[1]
        left = [place.with_name(f"planish-{zygote}-{number}") for number in range(5, 9)]
        for folder in left:
            folder.mkdir()
        try:
            for _ in range(8):
                assert (await sandbox.run(program)).ok
        finally:
            for folder in left:
                folder.rmdir()


@pytest.mark.anyio
async def test_what_a_killed_self_test_left_is_removed_by_a_later_one() -> None:
    old, young = (Path(tempfile.mkdtemp(prefix="planish-canaries-")) for _ in range(2))
    (old / "canary").write_text("left")
    os.utime(old, (0, 0))
    await probe()
    assert not old.exists()
    young.rmdir()  # it may be another's, that is at work
