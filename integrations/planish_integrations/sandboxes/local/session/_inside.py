"""The program that a session is: its files, as the sandbox is given them."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from planish.data import Program, ResourceLimits
from planish.guest.protocol import sources

__all__ = ["A_DAY", "session_program"]

A_DAY = 86_400.0  # seconds: how long a session may live; its steps have limits of their own
_FOLDER = "_planish_session"
_START = "_planish_start.py"
_PACKAGE = "planish_session"
# Its path is its own folder: a file of the user's that is called `json.py` is not for the keeper.
_MAIN = f"""
import os, sys
sys.path[0] += "/{_FOLDER}"
import shutil
from {_PACKAGE}.keeper import main
del sys.path[0]
shutil.rmtree("{_FOLDER}")
os.unlink("{_START}")
main()
"""


@cache
def _modules() -> Mapping[str, bytes]:
    return {f"{_FOLDER}/{_PACKAGE}/{name}": text for name, text in sources("session").items()}


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
