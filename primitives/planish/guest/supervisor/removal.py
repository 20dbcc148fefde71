"""Measure a run's directory, and remove it.

The program may have left anything in there, so it is read and removed through directory
descriptors, never following a link.
"""
# ruff: noqa: PTH101, PTH106, PTH108  # pathlib costs milliseconds at each start

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .request import Request

__all__ = ["empty", "exceeded_size", "remove", "size_of"]

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_BLOCK = 512  # bytes, as stat counts them
_DEPTH = 200  # folders in one another: one descriptor each


def exceeded_size(root: str, own: int, unlinked: int, request: "Request") -> "str | None":
    """Return the limit on files or disk that a run has passed; None for none.

    Args:
        root: The run's directory.
        own: How many folders of ours are in it.
        unlinked: Bytes of open files that no folder names any more.
        request: The limits.

    Raises:
        OSError: the directory is gone.
    """
    size, files = size_of(root, request["inodes"] + own)
    if files > request["inodes"] + own:
        return "files"
    return "disk_mb" if size + unlinked > request["disk"] else None


def size_of(root: str, most: int, *, opening: bool = True) -> tuple[int, int]:
    """Return the bytes on disk of all below a directory, and its number of files and folders.

    It stops counting at more than `most` of them. Folders that are nested more than 200 deep
    count as more than that at once, because each takes one open descriptor.

    Args:
        root: The directory.
        most: The number.
        opening: Whether to make folders readable that are not; otherwise their content is not
            counted.
    """
    size = files = 0
    ways: list[tuple[int, list[str]]] = [(os.open(root, _DIRECTORY), ["."])]
    try:
        while ways and files <= most:
            outer, names = ways[-1]
            if not names:
                os.close(ways.pop()[0])
                continue
            if len(ways) > _DEPTH:
                return size, most + 1
            try:
                folder = (_look_into if opening else _open_as_it_is)(names.pop(), outer)
            except OSError:
                continue  # gone meanwhile
            inner: list[str] = []
            ways.append((folder, inner))
            with os.scandir(folder) as entries:
                for entry in entries:
                    files += 1
                    size += _measured(entry, inner)
    finally:
        for folder, _ in ways:
            os.close(folder)
    return size, files


def _look_into(name: str, outer: int) -> int:
    """Open a folder to read it, also one that can only be written."""
    try:
        return _open_as_it_is(name, outer)
    except PermissionError:
        found = os.open(name, _DIRECTORY | os.O_PATH, dir_fd=outer)
        try:
            os.chmod(f"/proc/self/fd/{found}", 0o700)  # by descriptor: a name may be swapped
            return os.open(".", _DIRECTORY, dir_fd=found)
        finally:
            os.close(found)


def _open_as_it_is(name: str, outer: int) -> int:
    return os.open(name, _DIRECTORY, dir_fd=outer)


def _measured(entry: "os.DirEntry[str]", folders: list[str]) -> int:
    """Return an entry's bytes on disk, and append it to `folders` if it is one."""
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return 0  # gone meanwhile
    if stat.S_ISDIR(found.st_mode):
        folders.append(entry.name)
    return found.st_blocks * _BLOCK


def remove(root: str) -> bool:
    """Remove a directory and all in it, however deep or read-only; return whether it is gone.

    What lies deeper than two levels is first moved up, so a tree of any depth is removed
    with two descriptors and without recursion. If the program has put something else in the
    directory's place, that is removed and the result is False: the directory may be elsewhere.
    """
    try:
        if not stat.S_ISDIR(os.lstat(root).st_mode):
            os.unlink(root)
            return False
        os.chmod(root, 0o700)
        empty(root)
        os.rmdir(root)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def empty(root: str) -> None:
    """Remove all that is in a directory, however deep or read-only.

    Raises:
        OSError: something cannot be removed.
    """
    top = os.open(root, _DIRECTORY)
    try:
        _empty(top)
    finally:
        os.close(top)


def _empty(top: int) -> None:
    moved = 0
    while entries := _list(top):
        for name, is_folder in entries:
            if not is_folder:
                os.unlink(name, dir_fd=top)
                continue
            folder = _open(name, top)
            try:
                for inner, is_inner_folder in _list(folder):
                    if is_inner_folder:
                        moved = _move_up(inner, folder, top, moved)
                    else:
                        os.unlink(inner, dir_fd=folder)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _list(folder: int) -> list[tuple[str, bool]]:
    with os.scandir(folder) as entries:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]


def _open(name: str, folder: int) -> int:
    os.chmod(name, 0o700, dir_fd=folder)  # it is a directory, and no process is left to swap it
    return os.open(name, _DIRECTORY, dir_fd=folder)


def _move_up(name: str, folder: int, top: int, moved: int) -> int:
    """Move a directory to `top` under a new name; return the last number used for a name."""
    os.chmod(name, 0o700, dir_fd=folder)  # moving a directory writes in it
    while True:
        moved += 1
        try:
            os.rename(name, f"planish-{moved}", src_dir_fd=folder, dst_dir_fd=top)
        except OSError:
            if not os.access(f"planish-{moved}", os.F_OK, dir_fd=top, follow_symlinks=False):
                raise
        else:
            return moved
