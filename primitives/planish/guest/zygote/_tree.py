"""Who is there and what they use: read from /proc."""
# ruff: noqa: PTH208  # pathlib costs milliseconds at each start

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["descendants", "resident_memory", "shared_out_memory"]

_PAGE = os.sysconf("SC_PAGE_SIZE")


def descendants(root: int) -> "Iterator[tuple[int, int]]":
    """All descendants, with their numbers of threads. Takes time only for who is there."""
    waiting, seen = [root], {root}
    while waiting:
        pid = waiting.pop()
        threads = _entries(f"/proc/{pid}/task")
        if pid != root:
            yield pid, len(threads)
        for thread in threads:
            for child in map(int, slurp(f"/proc/{pid}/task/{thread}/children").split()):
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)


def resident_memory(pids: "Iterable[int]") -> int:
    """Bytes in memory, added up; what processes share counts for each of them."""
    return _PAGE * sum(int((slurp(f"/proc/{pid}/statm").split() or (0, 0))[1]) for pid in pids)


def shared_out_memory(pids: "Iterable[int]") -> int:
    """Bytes in memory, added up; what processes share is divided among them.

    Exact, but the kernel walks all pages for it. Of who cannot be read, all counts.
    """
    total = 0
    for pid in pids:
        _, found, rest = slurp(f"/proc/{pid}/smaps_rollup").partition(b"\nPss:")
        total += 1024 * int(rest.split(None, 1)[0]) if found else resident_memory([pid])
    return total


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []  # gone meanwhile


def slurp(path: str) -> bytes:
    """The content of a small file; nothing where it cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""  # gone meanwhile, or not ours to read
    try:
        return b"".join(iter(lambda: os.read(file, 65536), b""))
    except OSError:
        return b""
    finally:
        os.close(file)
