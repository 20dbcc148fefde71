"""Find the folder in which the program was started, and lay out the candidate's files in it."""

from __future__ import annotations

from os import getcwd, listdir, mkdir
from os.path import isdir

__all__ = ["CANDIDATE_FILES", "home", "lay_out_files", "new_folder"]

CANDIDATE_FILES = "_planish_files"
"""The folder in which a program has the candidate's other files, at their paths."""

_found: list[str] = []


def home() -> str:
    """Return the working directory of the first call, which is made before the candidate runs.

    This module may have been loaded before the program was known, in another folder.
    """
    if not _found:
        _found.append(getcwd())  # noqa: PTH109  # pathlib costs 10 ms
    return _found[0]


_known: list[str] = []
"""The candidate's working directory, as far as the tests know it."""


def new_folder() -> str | None:
    """Return the working directory if it has changed since the last call."""
    try:
        now = getcwd()  # noqa: PTH109  # pathlib costs 10 ms
    except OSError:  # it was removed
        return None
    before = _known[0] if _known else home()
    _known[:] = [now]
    return now if now != before else None


def lay_out_files() -> None:
    """Copy the candidate's other files to their paths; called in the candidate's process.

    The verifier never has them where it imports from, as it would if the sandbox laid them out.
    """
    _copy(f"{home()}/{CANDIDATE_FILES}", home())


def _copy(source: str, target: str) -> None:
    try:
        names = listdir(source)  # noqa: PTH208  # pathlib costs 10 ms
    except OSError:  # most programs have none
        return
    for name in names:
        try:
            with open(f"{source}/{name}", "rb") as file:  # noqa: PTH123
                content = file.read()
        except IsADirectoryError:
            if not isdir(f"{target}/{name}"):  # noqa: PTH112  # the tests may have it too
                mkdir(f"{target}/{name}")  # noqa: PTH102
            _copy(f"{source}/{name}", f"{target}/{name}")
            continue
        with open(f"{target}/{name}", "wb") as file:  # noqa: PTH123
            file.write(content)
