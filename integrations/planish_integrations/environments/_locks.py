"""Locks between processes: files, whose locks the kernel releases however a process ends."""

import fcntl
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from threading import Lock

import anyio

__all__ = ["Shared", "alone", "try_alone"]

_FIRST, _LONGEST = 0.01, 0.25  # seconds between two looks at a lock that somebody else holds


@contextmanager
def try_alone(path: Path) -> Generator[int | None]:
    """The lock's descriptor, or None if it is held elsewhere."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        held = False
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held = True
        yield descriptor if held else None
    finally:
        os.close(descriptor)


@asynccontextmanager
async def alone(path: Path) -> AsyncGenerator[int]:
    """Wait for a lock and hold it.

    Gives its descriptor: a process that inherits it holds the lock too.
    """
    wait = _FIRST
    while True:
        with try_alone(path) as descriptor:
            if descriptor is not None:
                yield descriptor
                return
        await anyio.sleep(wait)
        wait = min(2 * wait, _LONGEST)


class Shared:
    """Shared locks of this process: one descriptor for each file, however many hold it."""

    def __init__(self) -> None:
        self._held: dict[Path, tuple[int, int]] = {}
        self._changing = Lock()

    @contextmanager
    def hold(self, path: Path) -> Generator[None]:
        """Hold a lock that many may hold at once, and none while one holds it alone."""
        self._take(path)
        try:
            yield
        finally:
            self._give(path)

    def _take(self, path: Path) -> None:
        with self._changing:
            descriptor, count = self._held.get(path, (-1, 0))
            if not count:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    # Whoever holds it alone does so for the time of one rename.
                    fcntl.flock(descriptor, fcntl.LOCK_SH)
                except BaseException:
                    os.close(descriptor)
                    raise
            self._held[path] = (descriptor, count + 1)

    def _give(self, path: Path) -> None:
        with self._changing:
            descriptor, count = self._held.pop(path)
            if count > 1:
                self._held[path] = (descriptor, count - 1)
            else:
                os.close(descriptor)
