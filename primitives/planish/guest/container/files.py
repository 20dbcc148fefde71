"""The program's files: lay them out, make those without a name, send back those that are left."""

# ruff: noqa: PTH103, PTH112, PTH114, PTH118, PTH120, PTH123, S108
# It starts faster without pathlib.

from __future__ import annotations

import os
import stat
import struct
from typing import Any

from .frames import MOST, read_exactly, send

__all__ = ["ROOT", "WORK", "collect", "input_file", "lay_out", "nameless", "read_back"]

ROOT = "/planish"
WORK = ROOT + "/work"
TEMP = ROOT + "/tmp"
FINDINGS = 100  # of what was left out; a program can leave a million links


def lay_out(files: list[tuple[str, int]]) -> None:
    for folder in (WORK, TEMP):
        os.makedirs(folder)
    for path, size in files:
        place = os.path.join(WORK, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(read_exactly(size))


def nameless(content: bytes = b"") -> int:
    """Return a descriptor of a file in memory that has no name."""
    handle = os.memfd_create("planish")
    while content:
        content = content[os.write(handle, content) :]
    return handle


def input_file(content: bytes) -> int:
    """Return a read-only descriptor, at offset 0, of a file without a name."""
    handle = nameless(content)
    os.fchmod(handle, 0o400)  # else /proc/self/fd/0 could be opened for writing
    reading = os.open(f"/proc/self/fd/{handle}", os.O_RDONLY)
    os.close(handle)
    return reading


def read_back(handle: int, limit: int) -> bytes:
    """Return what a file holds, from its beginning, up to a limit in bytes."""
    found = bytearray()
    while len(found) < limit:
        piece = os.pread(handle, min(MOST, limit - len(found)), len(found))
        if not piece:
            break
        found += piece
    return bytes(found)


def send_file(kind: bytes, path: str, place: str, most: int) -> bool:
    """Send a regular file; False where it is none, is behind a link, or is too large."""
    folder = os.path.dirname(place)
    if os.path.realpath(folder) != folder:
        return False
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        known = os.fstat(handle)
        if not stat.S_ISREG(known.st_mode) or known.st_size > most:
            return False
        data = b"".join(iter(lambda: os.read(handle, MOST), b""))
    finally:
        os.close(handle)
    name = os.fsencode(path)
    send(kind, struct.pack(">I", len(name)) + name + data)
    return True


def collect(job: dict[str, Any], most: int) -> list[str]:
    """Send what is wanted of what is left; say what cannot be."""
    for path in job["collect"]:
        send_file(b"F", path, os.path.join(WORK, path), most)
    if job["outputs"] is None:
        return []
    folder = os.path.join(WORK, job["outputs"])
    if os.path.realpath(folder) != folder or not os.path.isdir(folder):
        return [f"the outputs: the folder {job['outputs']!r} is no longer there"]
    findings: list[str] = []
    for where, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(where, name))]
        for name in sorted(names + links):
            place = os.path.join(where, name)
            path = os.path.relpath(place, folder)
            if not send_file(b"A", path, place, most):
                if len(findings) == FINDINGS:
                    return [*findings, "the outputs: more files were left out"]
                what = "was left out: it is no regular file, or too large"
                findings.append(f"the outputs: {path!r} {what}")
    return findings
