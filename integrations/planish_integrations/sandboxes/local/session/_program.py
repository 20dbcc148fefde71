"""Make the program that a session is: its files, as the sandbox receives them."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from planish.data import Program, ResourceLimits
from planish.guest.protocol import package
from planish_integrations.sandboxes.local._options import HIGHEST, check_limits

__all__ = ["A_DAY", "session_program"]

A_DAY = 86_400.0  # seconds that a session may live; its steps have limits of their own
_MORE_MB = 256
_MORE_FILES = 10_000
_FOLDER = "_planish_session"
_START = "_planish_start.py"
# Its path is its own folder: the supervisor imports no `json.py` of the user's.
_MAIN = f"""
import os, sys
sys.path[0] += "/{_FOLDER}"
import shutil
from planish_guest.session.supervisor import main
del sys.path[0]
shutil.rmtree("{_FOLDER}")
os.unlink("{_START}")
main()
"""


@cache
def _modules() -> Mapping[str, bytes]:
    return {f"{_FOLDER}/{path}": text for path, text in package("supervisor", "session").items()}


def session_program(given: Mapping[str, bytes], limits: ResourceLimits) -> Program:
    """Return the program to run; it removes its own files when it has loaded them.

    Args:
        given: Files the session starts with.
        limits: Of the session as a whole; `seconds` is not used. The session has room for a copy
            of its files, for what a program adds to it, and for what is written until its
            supervisor, which checks each of these, has stopped the program.

    Raises:
        UnsupportedError: the files are more than the limits allow.
    """
    check_limits(Program(main=_START, files={**given, _START: b""}, limits=limits))
    room = replace(
        limits,
        seconds=A_DAY,
        disk_mb=min(3 * limits.disk_mb + _MORE_MB, HIGHEST["disk_mb"]),
        files=min(3 * limits.files + _MORE_FILES, HIGHEST["files"]),
    )
    return Program(main=_START, files={**given, **_modules(), _START: _MAIN.encode()}, limits=room)
