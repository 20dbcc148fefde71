"""The run's directory: laid out before, read after everything that could change it is dead.

The program may have left anything in there, so nothing is opened but beneath it and through
no link, never waiting, and only regular files are read.
"""
# ruff: noqa: PTH101, PTH103, PTH112, PTH116, PTH120, PTH123  # pathlib is slow to start

import os
import stat

from ..linux import calls  # noqa: TID252  # beside us, in both interpreters
from ._wire import FILE, LEFT_OUT, OUTPUT, Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ._requests import Request
    from ._serve import Tier

__all__ = ["lay_out", "send_back"]

_INPUTS = "inputs"
_BENEATH = calls.RESOLVE_BENEATH | calls.RESOLVE_NO_SYMLINKS | calls.RESOLVE_NO_MAGICLINKS
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_CHUNK = 1 << 20
_DEPTH = 64  # folders below one another that are looked into
_NAMES = 1000  # findings: what a reader takes in, and more
_KINDS: "tuple[tuple[Callable[[int], bool], str], ...]" = (
    (stat.S_ISLNK, "it is a symbolic link"),
    (stat.S_ISDIR, "it is a folder too deep down"),
    (stat.S_ISFIFO, "it is a named pipe"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISBLK, "it is a device"),
    (stat.S_ISCHR, "it is a device"),
)


def lay_out(request: "Request", tier: "Tier") -> "int | None":
    """Write the program's files into the working directory; those in `inputs` cannot be written.

    Returns:
        The inode of `inputs`, by which `send_back` knows it; None if there is no such folder.

    Raises:
        OSError: the system would not have them.
    """
    made: dict[str, None] = {}
    for path, content in request["files"]:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "wb", buffering=0) as file:
            rest = memoryview(content)
            while rest:
                rest = rest[file.write(rest) :]
        made.update(dict.fromkeys(_ways(path)))
    if request["outputs"] is not None:
        os.makedirs(request["outputs"], exist_ok=True)
        made.update(dict.fromkeys(_ways(request["outputs"])))
    for path in made:
        if path == _INPUTS or path.startswith(f"{_INPUTS}/"):
            os.chmod(path, 0o555 if os.path.isdir(path) else 0o444)
        elif tier.owner is not None:
            os.chown(path, *tier.owner)
    if not os.path.isdir(_INPUTS) or _INPUTS not in made:
        return None
    tier.seal(_INPUTS)
    return os.stat(_INPUTS).st_ino


def _ways(path: str) -> "Iterator[str]":
    """A path, and every folder on the way to it."""
    while path:
        yield path
        path = os.path.dirname(path)


def send_back(answer: Answer, request: "Request", inputs: "int | None") -> None:
    """Send the files that were asked for, and what the outputs folder holds.

    Together they are no more than the program may have had on disk. Where the program may
    rename what is in its working directory, nothing is sent from a folder in place of `inputs`.

    Args:
        answer: Where they are sent.
        request: What was asked for.
        inputs: The inode of the folder `inputs`, if there was one.
    """
    left = request["disk"]
    replaced = inputs is not None and _inode(_INPUTS) != inputs
    work = os.open(".", _FOLDER | os.O_CLOEXEC)
    try:
        for path in request["collect"]:
            if replaced and path.startswith(f"{_INPUTS}/"):
                continue
            content = _read(work, path, min(request["file_bytes"], left))
            if isinstance(content, bytes):
                left -= len(content)
                answer.add(FILE, os.fsencode(path) + b"\0" + content)
        if request["outputs"] is not None:
            _send_outputs(answer, work, request, left)
    finally:
        os.close(work)


def _inode(path: str) -> "int | None":
    try:
        return os.lstat(path).st_ino
    except OSError:
        return None


def _send_outputs(answer: Answer, work: int, request: "Request", left: int) -> None:
    root = request["outputs"]
    findings = 0
    folders = [""]
    while folders:
        folder = folders.pop()
        names = _names(work, f"{root}/{folder}".rstrip("/"))
        if isinstance(names, str):
            answer.add(LEFT_OUT, os.fsencode(folder) + b"\0" + names.encode())
            continue
        for name, is_folder in names:
            path = f"{folder}/{name}".lstrip("/")
            if is_folder and path.count("/") < _DEPTH:
                folders.append(path)
                continue
            content = _read(work, f"{root}/{path}", request["file_bytes"], whole=True)
            if isinstance(content, bytes) and len(content) > left:
                content = "all outputs together are too large"
            if isinstance(content, bytes):
                left -= len(content)
                answer.add(OUTPUT, os.fsencode(path) + b"\0" + content)
            elif findings < _NAMES:
                findings += 1
                answer.add(LEFT_OUT, os.fsencode(path) + b"\0" + content.encode())


def _names(work: int, path: str) -> "list[tuple[str, bool]] | str":
    """What is in a folder, sorted; or why it cannot be said."""
    try:
        folder = calls.openat2(work, path, _FOLDER, _BENEATH)
    except OSError as error:
        return f"the folder cannot be read: {error.strerror}"
    try:
        os.fchmod(folder, 0o700)
        with os.scandir(folder) as entries:
            return sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    except OSError as error:
        return f"the folder cannot be read: {error.strerror}"
    finally:
        os.close(folder)


def _read(work: int, path: str, most: int, *, whole: bool = False) -> bytes | str:
    """A regular file, `most` bytes of it; or why there is none. `whole`: all of it or none."""
    try:
        mode = os.lstat(path).st_mode
        for is_kind, why in _KINDS:
            if is_kind(mode):
                return why
        file = calls.openat2(work, path, _FILE, _BENEATH)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    try:
        size = os.fstat(file).st_size
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return "it is no regular file"
        if whole and size > most:
            return f"it has {size} bytes, and {most} are allowed"
        return _content(file, most)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
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
