"""Who descends from a process, and what they use: read from /proc.

The warden adopts orphans, so its descendants are all that the program ever started.
"""
# ruff: noqa: PTH110, PTH208  # pathlib costs milliseconds at each start

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["by_children_files", "by_scan", "descendants", "private_memory", "resident_memory"]

_PAGE = os.sysconf("SC_PAGE_SIZE")


def by_children_files(root: int) -> "Iterator[tuple[int, int]]":
    """All descendants, with their numbers of threads. Takes time only for who is there."""
    waiting, seen = [root], {root}
    while waiting:
        pid = waiting.pop()
        threads = _entries(f"/proc/{pid}/task")
        if pid != root:
            yield pid, len(threads)
        for thread in threads:
            for child in map(int, _slurp(f"/proc/{pid}/task/{thread}/children").split()):
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)


def by_scan(root: int) -> "Iterator[tuple[int, int]]":
    """The same, for kernels without `children` files: reads every process of the system."""
    children: dict[int, list[tuple[int, int]]] = {}
    for name in filter(str.isdigit, _entries("/proc")):
        # After the command's name, which may hold anything: state, parent; threads is the 18th.
        fields = _slurp(f"/proc/{name}/stat").rpartition(b")")[2].split()
        if fields:
            children.setdefault(int(fields[1]), []).append((int(name), int(fields[17])))
    waiting = [root]
    while waiting:
        for pid, threads in children.get(waiting.pop(), []):
            waiting.append(pid)
            yield pid, threads


descendants: "Callable[[int], Iterator[tuple[int, int]]]" = (
    by_children_files if os.path.exists("/proc/thread-self/children") else by_scan
)


def resident_memory(pids: "Iterable[int]") -> int:
    """Bytes in memory, added up; what processes share counts for each of them."""
    return _PAGE * sum(int((_slurp(f"/proc/{pid}/statm").split() or (0, 0))[1]) for pid in pids)


def private_memory(pids: "Iterable[int]") -> int:
    """Bytes in memory, added up; what processes share is divided among them.

    Exact, but the kernel walks all pages for it. Of who cannot be read, all counts.
    """
    total = 0
    for pid in pids:
        _, found, rest = _slurp(f"/proc/{pid}/smaps_rollup").partition(b"\nPss:")
        total += 1024 * int(rest.split(None, 1)[0]) if found else resident_memory([pid])
    return total


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []  # gone meanwhile; or no /proc: macOS


def _slurp(path: str) -> bytes:
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
