"""Measure the memory of all processes of a program together.

Counted: what is resident or swapped out, with shared pages divided among the processes that map
them; and shared anonymous memory by its size, because the kernel keeps its pages when no process
has them mapped any more. Not counted: what the kernel holds for pipes and sockets.
"""
# ruff: noqa: PTH116, PTH208  # pathlib costs milliseconds at each start

import os
import stat
import time

from .processes import slurp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Memory", "resident_memory", "shared_sizes", "unlinked_files", "used_memory"]

_PAGE = os.sysconf("SC_PAGE_SIZE")
_BLOCK = 512  # bytes, as stat counts them
_SHARE = 20  # no exact measurement before this many times the cost of the last have passed
_ANONYMOUS = b"/dev/zero (deleted)"  # what the kernel calls shared anonymous memory


class Memory:
    """Compares the memory of a program's processes with its limit.

    Args:
        most: The limit in bytes.
        piece: Bytes that the sandbox allows for one shared anonymous mapping, and that each
            counts as at least, since a program can unmap all but a page of it; 0: unknown.
    """

    def __init__(self, most: int, piece: int = 0) -> None:
        self._most = most
        self._piece = piece
        self._next = 0.0

    def over(self, pids: "Iterable[int]") -> bool:
        """Return whether these processes take more than the limit.

        Exact measurements make the kernel walk all pages, so there is none while all that is
        mapped is less than the limit.
        """
        mapped = resident = 0
        for pid in pids:
            sizes = slurp(f"/proc/{pid}/statm").split() or (0, 0)
            mapped += int(sizes[0])
            resident += int(sizes[1])
        few = mapped * max(1, self._piece // _PAGE) * _PAGE <= self._most
        if few or (resident * _PAGE <= self._most and time.monotonic() < self._next):
            return False
        cost = time.process_time()
        over = used_memory(pids, self._piece) > self._most
        self._next = time.monotonic() + _SHARE * (time.process_time() - cost)
        return over


def resident_memory(pids: "Iterable[int]") -> int:
    """Return the bytes in memory, added up; what processes share counts for each of them."""
    return _PAGE * sum(int((slurp(f"/proc/{pid}/statm").split() or (0, 0))[1]) for pid in pids)


def used_memory(pids: "Iterable[int]", piece: int = 0) -> int:
    """Return the bytes that processes use, each byte counted once.

    Of a process that cannot be examined, all resident memory counts.

    Args:
        pids: The processes.
        piece: What one shared anonymous mapping counts as at least.
    """
    total = resident = 0
    shared: dict[bytes, int] = {}
    for pid in pids:
        found = dict(_fields(slurp(f"/proc/{pid}/smaps_rollup")))
        if b"Pss" not in found:
            total += resident_memory([pid])
            continue
        total += found[b"Pss"] + found.get(b"SwapPss", 0)
        resident += found.get(b"Pss_Shmem", 0)
        for inode, size in shared_sizes(pid):
            shared[inode] = max(shared.get(inode, piece), size)
    return total + max(0, sum(shared.values()) - resident)


def _fields(text: bytes) -> "Iterator[tuple[bytes, int]]":
    for line in text.splitlines()[1:]:
        name, _, value = line.partition(b":")
        yield name, 1024 * int(value.split()[0])


def shared_sizes(pid: int) -> "Iterator[tuple[bytes, int]]":
    """Yield the inode and the visible size of a process's shared anonymous mappings."""
    for line in slurp(f"/proc/{pid}/maps").splitlines():
        if line.endswith(_ANONYMOUS):
            addresses, mode, offset, _, inode, _ = line.split(None, 5)
            if mode.endswith(b"s"):
                begin, _, end = addresses.partition(b"-")
                yield inode, int(end, 16) - int(begin, 16) + int(offset, 16)


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
