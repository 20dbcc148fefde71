"""It starts in a bare interpreter, alone, and brings in nothing that is slow to load."""

import os
import subprocess
import sys
from pathlib import Path

from planish.guest import linux

_GUEST = str(Path(linux.__file__).parent.parent)
_SLOW = "re typing enum dataclasses inspect tempfile socket signal subprocess pathlib contextlib"
_PROGRAM = f"""
import sys
sys.path.insert(0, {_GUEST!r})
from linux import calls, landlock, limits, namespaces, privileges, seccomp
seccomp.program("landlock", "aarch64")
slow = [name for name in {_SLOW.split()!r} if name in sys.modules]
print(slow, [name for name in sys.modules if name.startswith("planish")])
"""


def test_a_bare_interpreter_loads_it() -> None:
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout == "[] []\n"
