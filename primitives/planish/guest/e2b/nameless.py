"""Files without a name: a program's input, and what its first process reports."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["input_file", "read_back", "results_file"]

_PIECE = 1 << 20


def input_file(content: bytes, folder: Path) -> int:
    """Return a read-only descriptor, at offset 0, of a file with this content."""
    handle, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).chmod(0o400)  # else /proc/self/fd/0 could be opened for writing
    reading = os.open(name, os.O_RDONLY)
    Path(name).unlink()
    return reading


def results_file(folder: Path) -> int:
    """Return a writable descriptor of an empty file; in memory, where a full disk does not matter.

    Args:
        folder: Where it lies on a system that has no such files.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create("planish-results")
    with tempfile.TemporaryFile(dir=folder) as file:
        return os.dup(file.fileno())


def read_back(handle: int, limit: int) -> bytes:
    """Return what a file holds, from its beginning, up to a limit in bytes."""
    found = bytearray()
    while len(found) < limit:
        piece = os.pread(handle, min(_PIECE, limit - len(found)), len(found))
        if not piece:
            break
        found += piece
    return bytes(found)
