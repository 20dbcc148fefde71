"""What a program left: regular files only, and no link is followed on the way to them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["collect", "gather"]

_FINDINGS = 100  # of what was left out; a program can leave a million links

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def collect(root: Path, paths: list[str], limit: int) -> dict[str, bytes]:
    """The files at some paths; those that are not there, or are something else, are left out."""
    found: dict[str, bytes] = {}
    for path in paths:
        *folders, name = path.split("/")
        with suppress(OSError):
            folder = os.open(root, _FOLDER)
            try:
                for part in folders:
                    below = os.open(part, _FOLDER, dir_fd=folder)
                    os.close(folder)
                    folder = below
                data = _read(folder, name, limit)
            finally:
                os.close(folder)
            if data is not None:
                found[path] = data
    return found


def gather(root: Path, outputs: str, limits: dict[str, Any]) -> tuple[dict[str, bytes], list[str]]:
    """All regular files of a folder, and what was left out and why."""
    found: dict[str, bytes] = {}
    findings: list[str] = []
    room = limits["disk_mb"] << 20
    top = root / outputs
    if top.is_symlink() or not top.is_dir():
        return {}, [f"outputs: {outputs!a} is no folder any more"]
    for folder, folders, names, handle in os.fwalk(top, follow_symlinks=False):
        folders.sort()
        base = os.path.relpath(folder, top)
        names += [name for name in folders if _is_link(handle, name)]
        for name in sorted(names):
            path = name if base == "." else f"{base}/{name}"
            why = None
            data = None
            if len(found) >= limits["files"]:
                findings.append(f"outputs: only the first {limits['files']} files were kept")
                return found, findings
            try:
                path.encode()
                data = _read(handle, name, min(limits["file_bytes"], room))
            except (OSError, UnicodeEncodeError) as error:
                why = type(error).__name__
            if data is None:
                if len(findings) == _FINDINGS:
                    findings.append("outputs: more files were left out")
                    return found, findings
                why = why or "it is no regular file, or too large"
                findings.append(f"outputs: {path!a} was left out: {why}")
                continue
            room -= len(data)
            found[path] = data
    return found, findings


def _is_link(folder: int, name: str) -> bool:
    return stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode)


def _read(folder: int, name: str, limit: int) -> bytes | None:
    """The content of a regular file in a folder; None where it is something else, or too much."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    number = os.open(name, flags, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        return None
    with os.fdopen(number, "rb") as file:
        data = file.read(limit + 1)
    return data if len(data) <= limit else None
