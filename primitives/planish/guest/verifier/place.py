"""Find the folder in which the program was started."""

from __future__ import annotations

from os import getcwd

__all__ = ["home"]

_found: list[str] = []


def home() -> str:
    """Return the working directory of the first call, which is made before the candidate runs.

    This module may have been loaded before the program was known, in another folder.
    """
    if not _found:
        _found.append(getcwd())  # noqa: PTH109  # pathlib costs 10 ms
    return _found[0]
