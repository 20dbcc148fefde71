"""A program packed for the sandbox: one file to send, one command to run."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from uuid import uuid4

from planish.data.program import Program
from planish.guest.protocol import source

__all__ = ["Job", "pack"]

_INSIDE = ("__init__", "collect", "main", "nameless", "program", "tree", "usage")
_MAIN = "import sys\nfrom inside.main import main\nmain(sys.argv[0])\n"


class Job:
    """What is sent.

    Attributes:
        path: Where it is to lie in the sandbox.
        data: A zip that Python runs.
        command: The command that runs it.
    """

    def __init__(self, data: bytes) -> None:
        self.path = f"planish-{uuid4().hex}.pyz"
        self.data = data
        # `exec`, so that no shell is left that holds the answer's descriptor; -I, so that
        # nothing an earlier program left in the home directory has a say.
        self.command = f"exec python3 -I -S -B {self.path}"


def pack(
    program: Program,
    command: tuple[str, ...],
    env: Mapping[str, str],
    word: str,
    wall_seconds: float,
) -> Job:
    """Pack a program.

    Args:
        program: What to run.
        command: What runs its language; empty for the sandbox's Python.
        env: Seen by the program, under its own variables.
        word: What the lines of its supervisor begin with; nothing else knows it.
        wall_seconds: After so long it is stopped, whatever it has used of its time limit.
    """
    told = {
        "word": word,
        "command": command,
        "main": program.main,
        "args": program.args,
        "env": {**env, **program.env},
        "files": list(program.files),
        "collect": program.collect,
        "outputs": program.outputs,
        "results": program.results,
        "limits": {**asdict(program.limits), "wall_seconds": wall_seconds},
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("__main__.py", _MAIN)
        for module in _INSIDE:
            packed.writestr(f"inside/{module}.py", source(f"e2b/{module}"))
        packed.writestr("job.json", json.dumps(told))
        packed.writestr("stdin", program.stdin)
        for number, content in enumerate(program.files.values()):
            packed.writestr(f"files/{number}", content)
    return Job(data.getvalue())
