"""A program runs behind its walls wherever the interpreter lies."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from planish_integrations.local import Tier

RUN = """
import sys, anyio
from planish import Program
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
