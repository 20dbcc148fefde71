"""A program packed for the sandbox: one file to send, one command to run."""

import io
import zipfile
from collections.abc import Mapping
from uuid import uuid4

from planish.data.program import Program
from planish.guest.protocol import Launch, frames, package
from planish_integrations.sandboxes.host import base_request, safe_main

__all__ = ["Job", "pack"]

_MAIN = "import sys\nfrom planish_guest.supervisor.microvm import main\nmain(sys.argv[0])\n"
_LENGTH = 8  # bytes of a message before its content


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
    longest: float,
) -> Job:
    """Pack a program.

    Args:
        program: What to run.
        command: What runs its language; empty for the sandbox's Python.
        env: Seen by the program, under its own variables.
        word: What the lines of its supervisor begin with; nothing else knows it.
        longest: After so many seconds it is stopped, whatever it has used of its time limit.
    """
    argv = command or ("", "-s")  # an empty word stands for the supervisor's own Python
    request: Launch = {
        **base_request(program, longest=longest),
        "argv": [*argv, safe_main(program), *program.args],
        "env": {**env, **program.env},
        "elsewhere": 0,  # nothing else runs there
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("__main__.py", _MAIN)
        for path, text in package("supervisor").items():
            packed.writestr(path, text)
        packed.writestr("word", word)
        packed.writestr("request", frames.encode(request)[_LENGTH:])
    return Job(data.getvalue())
