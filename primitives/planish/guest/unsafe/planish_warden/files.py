"""The run's directory: laid out before, read after, removed at the end.

`root` holds `work` (where the program starts), `home` and `tmp`. The program may have left
anything in there, so it is read and removed through directory descriptors, never following
a link, and only when everything that could still change it is dead.
"""
# ruff: noqa: PTH101, PTH103, PTH106, PTH108, PTH120, PTH123  # pathlib costs milliseconds at each start

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["collect", "lay_out", "outputs", "remove"]

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 1 << 20


def lay_out(files: "list[tuple[str, bytes]]") -> None:
    """Write the program's files into the working directory.

    Raises:
        OSError: the system would not have them.
    """
    for path, content in files:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def collect(paths: "list[str]", most: int) -> "Iterator[tuple[str, bytes]]":
    """What is there of these files, at most `most` bytes of each. Links count as absent."""
    for path in paths:
        try:
            content = _read(path, most)
        except OSError:
            continue
        if content is not None:
            yield path, content


def outputs(root: str, most: int) -> "Iterator[tuple[str, bytes | None]]":
    """The regular files below a folder, by their path in it; None for what is left out.

    `most` bytes at most of each, and 16 times that of all; larger ones are left out.
    """
    try:
        if not stat.S_ISDIR(os.lstat(root).st_mode):
            raise NotADirectoryError(root)
        folders = [""]
        left = 16 * most
        while folders:
            folder = folders.pop()
            for name, is_folder in sorted(_entries(f"{root}/{folder}")):
                path = f"{folder}/{name}" if folder else name
                if is_folder and path.count("/") < _DEPTH:
                    folders.append(path)
                    continue
                content = None if is_folder else _small(f"{root}/{path}", min(most, left))
                left -= len(content or b"")
                yield path, content
    except OSError:
        yield "", None


_DEPTH = 64  # folders below one another


def _entries(path: str) -> list[tuple[str, bool]]:
    with os.scandir(path) as entries:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]


def _small(path: str, most: int) -> bytes | None:
    """A regular file of at most so many bytes."""
    try:
        if os.lstat(path).st_size > most:
            return None
        return _read(path, most)
    except OSError:
        return None


def _read(path: str, most: int) -> bytes | None:
    folder = os.open(".", _DIRECTORY)
    *parents, name = path.split("/")
    try:
        for parent in parents:
            inner = os.open(parent, _DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        file = os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        return _content(file, most) if stat.S_ISREG(os.fstat(file).st_mode) else None
    finally:
        os.close(file)


def _content(file: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0:
        part = os.read(file, min(most, _CHUNK))
        if not part:
            break
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def remove(root: str) -> int:
    """Remove a directory and all in it, however deep or read-only. 0 when it is gone.

    What lies deeper than two levels is first moved up, so a tree of any depth is removed
    with two descriptors and without recursion.
    """
    try:
        if not stat.S_ISDIR(os.lstat(root).st_mode):  # the program moved it, and put this there
            os.unlink(root)
            return 1
        os.chmod(root, 0o700)
        top = os.open(root, _DIRECTORY)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(root)
    except FileNotFoundError:
        return 0
    except OSError:
        return 1
    return 0


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
    os.chmod(name, 0o700, dir_fd=folder)  # it is a directory, and nobody is left to swap it
    return os.open(name, _DIRECTORY, dir_fd=folder)


def _move_up(name: str, folder: int, top: int, moved: int) -> int:
    """Move a directory to `top` under a name of its own; the next free number for names."""
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
