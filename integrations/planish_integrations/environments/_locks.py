"""Locks between processes: file locks, which the kernel releases when a process ends."""

import fcntl
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from threading import Lock

import anyio

__all__ = ["SharedLocks", "exclusive_lock", "try_exclusive_lock"]

_FIRST, _LONGEST = 0.01, 0.25  # seconds between two attempts to get a lock


@contextmanager
def try_exclusive_lock(path: Path) -> Generator[int | None]:
    """Yield the lock's descriptor, or None if another process or task has the lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        locked = False
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked = True
        yield descriptor if locked else None
    finally:
        os.close(descriptor)


@asynccontextmanager
async def exclusive_lock(path: Path) -> AsyncGenerator[int]:
    """Wait for a lock; it is released at the end of the block.

    Yields:
        Its descriptor. A process that inherits the descriptor has the lock too.
    """
    wait = _FIRST
    while True:
        with try_exclusive_lock(path) as descriptor:
            if descriptor is not None:
                yield descriptor
                return
        await anyio.sleep(wait)
        wait = min(2 * wait, _LONGEST)


class SharedLocks:
    """Shared locks of this process, with one descriptor for each file."""

    def __init__(self) -> None:
        self._locks: dict[Path, tuple[int, int]] = {}
        self._mutex = Lock()

    def __reduce__(self) -> "tuple[type[SharedLocks], tuple[()]]":
        return SharedLocks, ()  # another process has descriptors of its own

    @contextmanager
    def lock(self, path: Path) -> Generator[None]:
        """Take a shared lock, which excludes only exclusive locks; wait while there is one."""
        self._acquire(path)
        try:
            yield
        finally:
            self._release(path)

    def _acquire(self, path: Path) -> None:
        with self._mutex:
            descriptor, count = self._locks.get(path, (-1, 0))
            if not count:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    # Blocks only for the time of one rename: exclusive locks last no longer.
                    fcntl.flock(descriptor, fcntl.LOCK_SH)
                except BaseException:
                    os.close(descriptor)
                    raise
            self._locks[path] = (descriptor, count + 1)

    def _release(self, path: Path) -> None:
        with self._mutex:
            descriptor, count = self._locks.pop(path)
            if count > 1:
                self._locks[path] = (descriptor, count - 1)
            else:
                os.close(descriptor)
