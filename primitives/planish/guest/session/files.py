"""Copy the files of a session for a snapshot, put them back for a restore, and measure them."""

from __future__ import annotations

import errno
import os
import stat
import tempfile

from ..supervisor.collection import read_file  # noqa: TID252  # beside us, in both interpreters
from ..supervisor.frames import write_all  # noqa: TID252  # beside us, in both interpreters
from ..supervisor.removal import empty, size_of  # noqa: TID252  # beside us, in both interpreters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Tree = dict[str, tuple[int, bytes | None]]

__all__ = ["Copy", "Room", "copy_tree", "put", "put_back", "regular", "used", "walk", "writable"]


def walk(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield all that is below a folder, folders before what is in them; no link is followed.

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


def copy_tree(root: str) -> Tree:
    """Return every file, link and folder below a root; content is None for a folder."""
    tree: Tree = {}
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


def _seen(root: str) -> list[tuple[str, int, int, int, int]]:
    """Return what shows that anything below a root was changed; no program can set a ctime."""
    return [
        (path, found.st_mode, found.st_ino, found.st_size, found.st_ctime_ns)
        for path, found in walk(root)
    ]


def put_back(root: str, tree: Tree) -> None:
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


def put(root: str, path: str, content: bytes) -> None:
    """Write one file, with the folders above it.

    Raises:
        OSError: something else than a regular file has its place, such as a link or a pipe.
    """
    full = f"{root}/{path}"
    os.makedirs(os.path.dirname(full), exist_ok=True)  # noqa: PTH103, PTH120
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(full, flags | os.O_NONBLOCK, 0o644)  # a pipe that nothing reads would wait
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", path)
        write_all(file, content)
    finally:
        os.close(file)


def regular(root: str, path: str, most: int) -> bytes | None:
    """Return the content of a regular file, at most so many bytes; None where there is none."""
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        found = read_file(folder, path, most)
    finally:
        os.close(folder)
    return found if isinstance(found, bytes) else None


def writable(root: str) -> list[str]:
    """Return the folders in which programs of the session can write, none within another.

    Args:
        root: The working directory of the session.
    """
    found = [root, tempfile.gettempdir(), os.path.expanduser("~")]  # noqa: PTH111
    return [one for one in found if not any(one.startswith(f"{other}/") for other in found)]


class Copy:
    """What is in some folders now, to be put back if a program changes it.

    Args:
        folders: Their paths.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._before = {folder: (_seen(folder), copy_tree(folder)) for folder in folders}

    def __getitem__(self, folder: str) -> Tree:
        """Return the files of one of the folders."""
        return self._before[folder][1]

    def restore(self) -> None:
        """Make each folder that was changed what it was."""
        for folder, (before, tree) in self._before.items():
            if _changed(folder, before):
                put_back(folder, tree)


def _changed(folder: str, before: list[tuple[str, int, int, int, int]]) -> bool:
    try:
        return _seen(folder) != before
    except OSError:  # such as paths that are too long to be read
        return True


def used(folders: Sequence[str], most: int = 1 << 62) -> tuple[int, int]:
    """Return the bytes on disk of all below some folders, and the number of files and folders.

    What lies in a folder that may not be read is left to the session's sandbox.

    Args:
        folders: Their paths.
        most: The number at which counting may stop.
    """
    size = count = 0
    for folder in folders:
        try:
            more, found = size_of(folder, max(0, most - count), opening=False)
        except OSError:  # it is gone
            continue
        size, count = size + more, count + found
    return size, count


class Room:
    """How much some folders may hold while a program runs, for `Watch`.

    A program that adds nothing may run also where they hold more.

    Args:
        folders: Their paths.
        disk: Bytes.
        inodes: Files and folders.
        more: Whether `disk` and `inodes` are allowed in addition to what there is now.
    """

    def __init__(
        self, folders: Sequence[str], disk: int, inodes: int, *, more: bool = False
    ) -> None:
        self._folders = folders
        size, count = used(folders)
        self._disk = size + disk if more else max(size, disk)
        self._inodes = count + inodes if more else max(count, inodes)

    def exceeded_limit(self) -> str | None:
        """Return the limit that is passed now; None if none is."""
        size, count = used(self._folders, self._inodes)
        if count > self._inodes:
            return "files"
        return "disk_mb" if size > self._disk else None
