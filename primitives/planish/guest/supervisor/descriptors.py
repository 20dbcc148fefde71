"""Make the files without a name that a program starts with: its input, and its results.

No path leads to either of them.
"""
# ruff: noqa: PTH108  # pathlib costs milliseconds at each start

import os

from .frames import write_all

__all__ = ["RESULTS", "input_file", "read_back", "results_file"]

RESULTS = "PLANISH_RESULTS_FD"
"""The variable that holds the number of the descriptor for a program's results."""

_F_ADD_SEALS = 1033  # linux/fcntl.h
_SEALED = 1 | 2 | 4 | 8  # no more seals, no shrinking, no growing, no writing
_CHUNK = 1 << 20


def input_file(content: bytes, folder: "str | None" = None, proc: "int | None" = None) -> int:
    """Return a descriptor that reads a file from its beginning, and cannot write it.

    The file is in memory, where the system has such files; otherwise in a folder.

    Args:
        content: What is in it.
        folder: Where it is made if it cannot be in memory; None: the system's temporary folder.
        proc: This process's folder in /proc, open; None: it can be reached by its path.

    Raises:
        OSError: too many files are open, or there is no room.
    """
    try:
        return _input_in_memory(content, proc)
    except (AttributeError, OSError):  # not Linux; or refused, as in a sandbox
        return _input_on_disk(content, folder)


def _input_in_memory(content: bytes, proc: "int | None") -> int:
    file = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    import fcntl  # noqa: PLC0415  # not needed where there are no such files

    try:
        write_all(file, content)
        fcntl.fcntl(file, _F_ADD_SEALS, _SEALED)
        os.fchmod(file, 0o444)  # the program may be another user
        flags = os.O_RDONLY | os.O_CLOEXEC
        if proc is None:
            return os.open(f"/proc/self/fd/{file}", flags)
        return os.open(f"fd/{file}", flags, dir_fd=proc)
    finally:
        os.close(file)


def _input_on_disk(content: bytes, folder: "str | None") -> int:
    written, reading = _unlinked(folder, "stdin")
    try:
        write_all(written, content)
        os.fchmod(written, 0o444)  # else it could be opened again by way of /proc
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(written)
    return reading


def results_file(folder: "str | None" = None) -> "tuple[int, int]":
    """Return two descriptors of an empty file: one to write it, and one to read it.

    Args:
        folder: Where it is made; None: in memory, where a full disk does not matter, or in
            the system's temporary folder where it cannot be in memory.

    Raises:
        OSError: too many files are open, or there is no room.
    """
    if folder is None and hasattr(os, "memfd_create"):
        theirs = os.memfd_create("results", os.MFD_CLOEXEC)
        return theirs, os.dup(theirs)
    return _unlinked(folder, "results")


def _unlinked(folder: "str | None", name: str) -> "tuple[int, int]":
    if folder is None:
        folder = os.environ.get("TMPDIR", "/tmp")  # noqa: S108  # it has no name there
    path = f"{folder}/planish-{name}-{os.urandom(8).hex()}"
    theirs = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        return theirs, os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except BaseException:
        os.close(theirs)
        raise
    finally:
        os.unlink(path)


def read_back(file: int, most: int) -> bytes:
    """Return what a file holds from its beginning, at most so many bytes."""
    parts: list[bytes] = []
    at = 0
    while at < most and (part := os.pread(file, min(_CHUNK, most - at), at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)
