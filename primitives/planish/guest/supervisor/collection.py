"""Send back what a program has left in its working directory.

It may have left anything there, so nothing is opened through a link, no open waits, and only
regular files are read; and only when every process that could change them is dead.
"""
# pathlib costs milliseconds at each start

import os
import stat
from contextlib import suppress

from .frames import FILE, LEFT_OUT, OUTPUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .request import Request

    Add = Callable[[bytes, bytes], None]

__all__ = ["read_file", "send_back"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK = 1 << 20
_DEPTH = 64  # folders below one another that are looked into
_FINDINGS = 100  # files of which it is said that they were left out
_KINDS: "tuple[tuple[Callable[[int], bool], str], ...]" = (
    (stat.S_ISLNK, "it is a symbolic link"),
    (stat.S_ISDIR, "it is a folder too deep down"),
    (stat.S_ISFIFO, "it is a named pipe"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISBLK, "it is a device"),
    (stat.S_ISCHR, "it is a device"),
)


def send_back(add: "Add", request: "Request", without: str = "", work_folder: str = ".") -> None:
    """Send the files that were asked for, and what the folder for outputs holds.

    Of each at most `file_bytes`: of a requested file the beginning, of an output all or
    nothing. Together they are no more than `disk` bytes and, of outputs, `inodes` files.

    Args:
        add: Takes the kind and content of each frame.
        request: What is asked for.
        without: A folder of which no file is sent, because it is not what it was.
        work_folder: Where the program has worked; default: the working directory.
    """
    try:
        os.chmod(work_folder, 0o700)  # noqa: PTH101  # the program may have shut it
        work = os.open(work_folder, _FOLDER)
    except OSError as error:
        add(LEFT_OUT, f"\0the working directory cannot be read: {error.strerror}".encode())
        return
    try:
        left = request["disk"]
        for path in request["collect"]:
            if without and f"{path}/".startswith(f"{without}/"):
                continue
            content = read_file(work, path, min(request["file_bytes"], left))
            if isinstance(content, bytes):
                left -= len(content)
                add(FILE, os.fsencode(path) + b"\0" + content)
        outputs = request["outputs"]
        if outputs is not None and not (without and f"{outputs}/".startswith(f"{without}/")):
            _Outputs(add, request, left).send(work)
    finally:
        os.close(work)


class _Outputs:
    """Sends what is in the folder for outputs, within bounds."""

    def __init__(self, add: "Add", request: "Request", left: int) -> None:
        self._add = add
        self._root = str(request["outputs"])
        self._each = request["file_bytes"]
        self._left = left
        self._most = self._entries = request["inodes"]
        self._findings = 0

    def send(self, work: int) -> None:
        """Walk the folder, each folder before what is in it."""
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                place = _open_folder(work, f"{self._root}/{folder}".rstrip("/"))
            except OSError as error:
                self._leave_out(folder, f"the folder cannot be read: {error.strerror}")
                continue
            try:
                if not self._send_folder(place, folder, folders):
                    return
            finally:
                os.close(place)

    def _send_folder(self, place: int, folder: str, folders: "list[str]") -> bool:
        """Send the files of one folder; return whether to go on."""
        with suppress(OSError):  # a mount that is read-only, such as `inputs`
            os.fchmod(place, 0o700)
        try:
            with os.scandir(place) as entries:
                names = sorted((one.name, one.is_dir(follow_symlinks=False)) for one in entries)
        except OSError as error:
            self._leave_out(folder, f"the folder cannot be read: {error.strerror}")
            return True
        for name, is_folder in names:
            path = f"{folder}/{name}".lstrip("/")
            self._entries -= 1
            if self._entries < 0:
                self._add(LEFT_OUT, b"\0there are more than %d files" % self._most)
                return False
            if is_folder and path.count("/") < _DEPTH:
                folders.append(path)
                continue
            content = _read(place, name, self._each, self._left)
            if isinstance(content, bytes):
                self._left -= len(content)
                self._add(OUTPUT, os.fsencode(path) + b"\0" + content)
            elif not self._leave_out(path, content):
                return False
        return True

    def _leave_out(self, path: str, why: str) -> bool:
        """Say that something was left out; return whether more may be said."""
        if self._findings == _FINDINGS:
            self._add(LEFT_OUT, b"\0more files were left out")
            return False
        self._findings += 1
        self._add(LEFT_OUT, os.fsencode(path) + b"\0" + why.encode())
        return True


def _open_folder(place: int, path: str) -> int:
    """Open a folder below another, following no link."""
    folder = os.dup(place)
    for name in path.split("/"):
        try:
            inner = os.open(name, _FOLDER, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder


def read_file(place: int, path: str, most: int) -> "bytes | str":
    """Return a regular file below a folder, `most` bytes of it; or why it cannot be read."""
    folder, _, name = path.rpartition("/")
    try:
        inner = _open_folder(place, folder or ".")
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    try:
        return _read(inner, name, most)
    finally:
        os.close(inner)


def _read(folder: int, name: str, most: int, left: "int | None" = None) -> "bytes | str":
    """Return a regular file, or why it cannot be read.

    Args:
        folder: Where it is.
        name: Its name.
        most: Bytes that one file may have.
        left: Bytes that are left for this and all other files: all of it is read, or nothing.
            None: its first `most` bytes are read.
    """
    try:
        mode = os.lstat(name, dir_fd=folder).st_mode
        for is_kind, why in _KINDS:
            if is_kind(mode):
                return why
        file = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            return "it is no regular file"
        if left is not None and found.st_size > most:
            return f"it has {found.st_size} bytes, and {most} are allowed"
        if left is not None and found.st_size > left:  # not read: it may be a hole
            return "all outputs together are too large"
        return _content(file, most)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    finally:
        os.close(file)


def _content(file: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := os.read(file, min(most, _CHUNK))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)
