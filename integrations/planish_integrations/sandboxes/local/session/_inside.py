"""The program that a session is: its files, as the sandbox is given them."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from planish.data import Program, ResourceLimits
from planish.guest.protocol import package

__all__ = ["A_DAY", "session_program"]

A_DAY = 86_400.0  # seconds: how long a session may live; its steps have limits of their own
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
    """The program to run: it removes its own files when it has loaded them.

    Args:
        given: Files the session starts with.
        limits: Of the session as a whole; `seconds` is not used.
    """
    return Program(
        main=_START,
        files={**given, **_modules(), _START: _MAIN.encode()},
        limits=replace(limits, seconds=A_DAY),
    )
