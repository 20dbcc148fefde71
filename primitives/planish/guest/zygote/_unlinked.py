"""Files that no folder names any more, and that processes still have open: they take room too."""
# ruff: noqa: PTH116, PTH208  # pathlib costs milliseconds at each start

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["unlinked"]

_BLOCK = 512  # bytes, as stat counts them


def unlinked(pids: "Iterable[int]", device: int) -> tuple[dict[int, int], list[int]]:
    """What these processes have open on a device and is in no folder of it.

    Args:
        pids: Whom to look at.
        device: `st_dev` of the files that count.

    Returns:
        Bytes on disk by inode, each once however many have it open; and who could not be
        looked at.
    """
    found: dict[int, int] = {}
    shut: list[int] = []
    for pid in pids:
        try:
            for file in _open_files(f"/proc/{pid}/fd"):
                if not file.st_nlink and file.st_dev == device and stat.S_ISREG(file.st_mode):
                    found[file.st_ino] = file.st_blocks * _BLOCK
        except PermissionError:
            shut.append(pid)
    return found, shut


def _open_files(folder: str) -> "Iterator[os.stat_result]":
    """What is behind a process's descriptors.

    Raises:
        PermissionError: it is not ours to look at.
    """
    try:
        for name in os.listdir(folder):
            try:
                yield os.stat(f"{folder}/{name}")
            except FileNotFoundError:
                continue  # closed meanwhile
    except (FileNotFoundError, ProcessLookupError):
        return  # it has ended
