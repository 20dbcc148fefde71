"""Processes and descriptors, seen from outside: what a program has left."""

import os
import time
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

import anyio

__all__ = [
    "alive",
    "children",
    "descriptors",
    "eventually",
    "family",
    "in_fork",
    "marked",
    "parent_of",
]


def in_fork(act: Callable[[], Awaitable[int]]) -> int:
    """Run something in a fork of this process; return what it returns, at most 98."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = anyio.run(act)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def marked(name: str) -> list[int]:
    """Return the processes that have this name, or it in an argument; none that has ended.

    A process gives itself a name of up to 15 bytes by prctl(PR_SET_NAME), and its forks have
    the same.
    """
    return [pid for pid in _all() if _has_mark(pid, name) and alive(pid)]


def _has_mark(pid: int, name: str) -> bool:
    try:
        if Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip() == name:
            return True
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, UnicodeDecodeError):
        return False  # it has ended, or has another name
    return name.encode() in command


def alive(pid: int) -> bool:
    """Return whether a process runs: it exists, and has not ended without being reaped."""
    fields = _stat(pid)
    return bool(fields) and fields[0] not in b"ZX"


def children(parent: int) -> set[int]:
    """Return the children of a process, those that have ended and are not reaped among them."""
    return {pid for pid in _all() if parent_of(pid) == parent}


def family(root: int, but: Collection[int] = ()) -> set[int]:
    """Return all that descends from a process, including what has ended and is not reaped.

    Args:
        root: The process.
        but: Processes that do not count, with all that descends from them. A sandbox that other
            tests have used makes its next worker some time after a run.
    """
    parents = {pid: parent_of(pid) for pid in _all()}
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found - {*but}:
        found |= more
    return found - {root}


def descriptors() -> set[int]:
    """Return what this process has open."""
    return {int(name) for name in os.listdir("/proc/self/fd")}  # noqa: PTH208  # not paths


def eventually(holds: Callable[[], bool], patience: float = 20.0) -> bool:
    """Return whether a condition comes to hold within so many seconds."""
    give_up = time.monotonic() + patience
    while not holds():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.01)
    return True


def _all() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def parent_of(pid: int) -> int:
    """Return the parent of a process; 0 if there is no process."""
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def _stat(pid: int) -> list[bytes]:
    """Return the fields after the name: state, parent and so on; none if there is no process."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
