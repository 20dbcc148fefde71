"""Measure the memory of all processes of a program together, and its unlinked files."""
# ruff: noqa: PTH116, PTH208  # pathlib costs milliseconds at each start

import os
import stat

from .processes import slurp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["exceeds", "resident_memory", "unlinked_files", "used_memory"]

_PAGE = os.sysconf("SC_PAGE_SIZE")
_BLOCK = 512  # bytes, as stat counts them


def exceeds(pids: "Sequence[int]", most: int) -> bool:
    """Return whether processes together have more than so many bytes in memory.

    To measure it exactly makes the kernel walk all their pages, so that is done only if it may
    be more.
    """
    return resident_memory(pids) > most and used_memory(pids) > most


def resident_memory(pids: "Iterable[int]") -> int:
    """Return the bytes in memory, added up; what processes share counts for each of them."""
    return _PAGE * sum(int((slurp(f"/proc/{pid}/statm").split() or (0, 0))[1]) for pid in pids)


def used_memory(pids: "Iterable[int]") -> int:
    """Return the bytes in memory, added up; what processes share is divided among them.

    Of a process that cannot be examined, all counts.
    """
    total = 0
    for pid in pids:
        _, found, rest = slurp(f"/proc/{pid}/smaps_rollup").partition(b"\nPss:")
        total += 1024 * int(rest.split(None, 1)[0]) if found else resident_memory([pid])
    return total


def unlinked_files(pids: "Iterable[int]", device: int) -> "tuple[dict[int, int], list[int]]":
    """Find the files that processes have open on a device and that no folder names any more.

    Args:
        pids: The processes.
        device: `st_dev` of the files that count.

    Returns:
        Bytes on disk by inode; and the processes that may not be examined.
    """
    found: dict[int, int] = {}
    closed: list[int] = []
    for pid in pids:
        try:
            for file in _open_files(f"/proc/{pid}/fd"):
                if not file.st_nlink and file.st_dev == device and stat.S_ISREG(file.st_mode):
                    found[file.st_ino] = file.st_blocks * _BLOCK
        except PermissionError:
            closed.append(pid)
    return found, closed


def _open_files(folder: str) -> "Iterator[os.stat_result]":
    """Yield what a process's descriptors are open on.

    Raises:
        PermissionError: this process may not examine the other.
    """
    try:
        for name in os.listdir(folder):
            try:
                yield os.stat(f"{folder}/{name}")
            except FileNotFoundError:
                continue  # closed meanwhile
    except (FileNotFoundError, ProcessLookupError):
        return  # it has ended
