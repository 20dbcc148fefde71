"""List the processes of a program, reap them, and kill all of them."""
# ruff: noqa: PTH110, PTH208  # pathlib costs milliseconds at each start

import os
import time

from .system import kill, kill_group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["PATIENCE", "Family", "by_children_files", "by_scan", "descendants", "slurp"]

PATIENCE = 30.0
"""Seconds for killed processes to be gone, on a machine that they may have overloaded."""

_PAUSE = 0.0005  # seconds between two looks for processes that have just been killed


def by_children_files(root: int) -> "Iterator[tuple[int, int]]":
    """Yield all descendants with their numbers of threads; the cost depends on them only."""
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


def by_scan(root: int) -> "Iterator[tuple[int, int]]":
    """Yield the same on kernels without `children` files: read every process of the system."""
    children: dict[int, list[tuple[int, int]]] = {}
    for name in filter(str.isdigit, _entries("/proc")):
        # After the command's name, which may hold anything: state, parent; threads is the 18th.
        fields = slurp(f"/proc/{name}/stat").rpartition(b")")[2].split()
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


def slurp(path: str) -> bytes:
    """Return the content of a small file; nothing where it cannot be read."""
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


def _entries(folder: str) -> "list[str]":
    try:
        return os.listdir(folder)
    except OSError:
        return []  # gone meanwhile; or no /proc: macOS


class Family:
    """The program's process and all that descends from it; this process adopts orphans.

    Args:
        main_pid: The program's first process, a child of this one.

    Attributes:
        main_pid: The same.
        status: The exit code of that process, or minus the signal; None while it lives.
        alive: Processes and threads, when last listed.
    """

    def __init__(self, main_pid: int) -> None:
        self.main_pid = main_pid
        self.status: int | None = None
        self.alive: int = 1

    def reap(self) -> bool:
        """Reap exited children; return False if no child is left, and so no descendant."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.main_pid:
                self.status = os.waitstatus_to_exitcode(status)

    def list_up_to(self, most: int) -> "list[int]":
        """List all processes; kill them at once if they have more than `most` threads."""
        pids: list[int] = []
        self.alive = 0
        for pid, threads in descendants(os.getpid()):
            pids.append(pid)
            self.alive += threads
            if self.alive > most:
                # Now, not after another look: a fork bomb leaves us 3 ms, then it has us.
                self.kill_found()
                break
        return pids

    def kill_found(self) -> "set[int]":
        """Kill every process that is found now; return those that were there."""
        return {pid for pid, _ in descendants(os.getpid()) if kill(pid)}

    def end(self) -> None:
        """Kill all processes, and wait until none is left.

        Raises:
            TimeoutError: some survive it.
        """
        give_up = time.monotonic() + PATIENCE
        if self.status is None:
            kill_group(self.main_pid)  # a fork bomb that stays in its group ends at one stroke
        killed: set[int] = set()
        while self.reap():
            found = self.kill_found()
            if found <= killed:  # nothing new: give them time to die
                if time.monotonic() > give_up:
                    raise TimeoutError(f"some of its processes survive SIGKILL for {PATIENCE:g} s")
                time.sleep(_PAUSE)
            killed |= found
