"""Copy the files of a session for a snapshot, and put them back for a restore."""

from __future__ import annotations

import os
import stat

from ..supervisor.collection import read_file  # noqa: TID252  # beside us, in both interpreters
from ..supervisor.frames import write_all  # noqa: TID252  # beside us, in both interpreters
from ..supervisor.removal import empty  # noqa: TID252  # beside us, in both interpreters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["copy_tree", "put", "put_back", "regular", "seen", "walk"]


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


def copy_tree(root: str) -> dict[str, tuple[int, bytes | None]]:
    """Return every file, link and folder below a root; content is None for a folder."""
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
    """Return what shows that anything below a root was changed; no program can set a ctime."""
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


def put(root: str, path: str, content: bytes) -> None:
    """Write one file, with the folders above it."""
    full = f"{root}/{path}"
    os.makedirs(os.path.dirname(full), exist_ok=True)  # noqa: PTH103, PTH120
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(full, flags, 0o644)
    try:
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
