"""The files of a session: copied for a snapshot, put back for a restore."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

__all__ = ["content_of", "empty", "kept", "put", "put_back", "regular", "seen", "unlinked", "walk"]

_CHUNK = 1 << 20


def walk(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """All that is below a folder, folders before what is in them; no link is followed.

    What lies in a folder that may not be read is not there.
    """
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            names = sorted(os.listdir(f"{root}/{folder}"))  # noqa: PTH208  # pathlib is slow
        except PermissionError:
            continue
        for name in names:
            path = f"{folder}/{name}" if folder else name
            found = os.lstat(f"{root}/{path}")
            yield path, found
            if stat.S_ISDIR(found.st_mode):
                folders.append(path)


def kept(root: str) -> dict[str, tuple[int, bytes | None]]:
    """Every file, link and folder below a root; content is None for a folder."""
    tree: dict[str, tuple[int, bytes | None]] = {}
    for path, found in walk(root):
        if stat.S_ISDIR(found.st_mode):
            tree[path] = (found.st_mode, None)
        elif stat.S_ISLNK(found.st_mode):
            tree[path] = (found.st_mode, os.fsencode(os.readlink(f"{root}/{path}")))  # noqa: PTH115
        elif stat.S_ISREG(found.st_mode):
            content = regular(root, path, 1 << 40)
            if content is not None:
                tree[path] = (found.st_mode, content)
    return tree


def seen(root: str) -> list[tuple[str, int, int, int, int]]:
    """What tells that anything below a root was changed: no program can set a file's ctime."""
    return [
        (path, found.st_mode, found.st_ino, found.st_size, found.st_ctime_ns)
        for path, found in walk(root)
    ]


def put_back(root: str, tree: dict[str, tuple[int, bytes | None]]) -> None:
    """Make what is below a root what it was."""
    empty(root)
    for path, (mode, content) in tree.items():
        full = f"{root}/{path}"
        if content is None:
            os.mkdir(full)  # noqa: PTH102
        elif stat.S_ISLNK(mode):
            os.symlink(content, os.fsencode(full))  # noqa: PTH211
        else:
            put(root, path, content)
            os.chmod(full, stat.S_IMODE(mode))  # noqa: PTH101
    for path, (mode, content) in reversed(tree.items()):
        if content is None:  # last, because it may forbid to write in it
            os.chmod(f"{root}/{path}", stat.S_IMODE(mode))  # noqa: PTH101


def empty(root: str) -> None:
    """Remove all that is below a root."""
    for name in os.listdir(root):  # noqa: PTH208
        full = f"{root}/{name}"
        if stat.S_ISDIR(os.lstat(full).st_mode):
            _open_up(full)
            shutil.rmtree(full)
        else:
            os.unlink(full)  # noqa: PTH108


def _open_up(root: str) -> None:
    os.chmod(root, 0o700)  # noqa: PTH101
    for path, found in walk(root):
        if stat.S_ISDIR(found.st_mode):
            os.chmod(f"{root}/{path}", 0o700)  # noqa: PTH101


def put(root: str, path: str, content: bytes) -> None:
    """Write one file, with the folders above it."""
    full = f"{root}/{path}"
    os.makedirs(os.path.dirname(full), exist_ok=True)  # noqa: PTH103, PTH120
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(full, flags, 0o644)
    try:
        _write(file, content)
    finally:
        os.close(file)


def _write(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def regular(root: str, path: str, most: int) -> bytes | None:
    """The content of a regular file, at most so many bytes; None where there is none."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(f"{root}/{path}", flags)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        return content_of(file, most)
    finally:
        os.close(file)


def content_of(file: int, most: int) -> bytes:
    """The content of an open file from its beginning, at most so many bytes."""
    parts: list[bytes] = []
    at = 0
    while at < most and (part := os.pread(file, min(most - at, _CHUNK), at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


@contextmanager
def unlinked(content: bytes) -> Generator[tuple[int, int]]:
    """A file without a name, open twice: to be written, and to be read from its beginning."""
    written, path = tempfile.mkstemp()
    try:
        try:
            read = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        finally:
            os.unlink(path)  # noqa: PTH108
        try:
            _write(written, content)
            yield written, read
        finally:
            os.close(read)
    finally:
        os.close(written)
