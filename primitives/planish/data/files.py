"""The files of a task: taken from texts, bytes or a folder, and checked."""

import errno
import os
import stat
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any, cast

from planish.arguments import PATH_EXAMPLE, path_fault
from planish.data.contract import Contract
from planish.data.contract.types import value_text
from planish.data.record import FrozenDict
from planish.errors import TaskError

__all__ = [
    "MAX_BYTES",
    "MAX_FILES",
    "NO_FILES",
    "FilesLike",
    "TaskFiles",
    "as_files",
    "fold_path",
    "parents",
]

FilesLike = (
    Mapping[str, str | bytes | os.PathLike[str] | float | date | timedelta] | str | os.PathLike[str]
)
"""Content by path, relative to the working directory; or the path of a folder of this machine."""

MAX_FILES = 1_000
"""Most files of a task."""

MAX_BYTES = 64 << 20
"""Most bytes of all files of a task together."""

_RESERVED = frozenset(
    {"solution.py", "solution/__init__.py", "preamble.py", "tests.py", "plan.bin", "pytest.ini"}
)
_MODULES = (".py", ".pyc", ".so", ".pyd")  # what Python imports
_MODULE_NAMES = frozenset({*sys.stdlib_module_names, "pytest", "_pytest", "pluggy"})
_NAMED = 5  # files in a representation
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_ADVICE = "give fewer, or an archive that the code unpacks"


class TaskFiles(FrozenDict[str, bytes]):
    """Content of a task's files by path, checked and sorted by path. `as_files` makes it."""

    __slots__ = ("checked_by",)
    # A task is copied for each attempt. Its files do not change, and are checked once.
    checked_by: Contract | None

    def __repr__(self) -> str:
        """Return the paths and sizes of the first files, without their content."""
        named = [f"{path!r}: <{len(self[path]):,} bytes>" for path in list(self)[:_NAMED]]
        more = [f"... {len(self) - _NAMED:,} more"] if len(self) > _NAMED else []
        return f"{{{', '.join(named + more)}}}"

    def __reduce__(self) -> tuple[Any, ...]:
        return TaskFiles, (dict(self),)


NO_FILES = TaskFiles()
"""Those of a task without files."""


def as_files(files: FilesLike) -> TaskFiles:
    """Return the content of each file of a task by its path.

    Args:
        files: By path, a text (written as UTF-8), bytes, or the `Path` of a file or of a folder of
            this machine; or a number, bool, date, datetime or timedelta, which is written as
            `ValueFile` reads it. Or the path of a folder of this machine for all. Files of this
            machine are read now. A file that is too large is refused by its size, before it is
            read.

    Raises:
        TaskError: a path is no plain path in the working directory; is one that the verification
            uses; differs from another by case only; is also that of a folder; or is that of a
            Python module with a name of the standard library. A file of this machine is a link,
            no regular file, or cannot be read. There are more than 1,000 files, or 64 MiB.
    """
    if isinstance(files, TaskFiles):
        return files
    if isinstance(files, Mapping):
        pairs = _from_mapping(files)
    elif isinstance(cast("object", files), str | os.PathLike):
        pairs = _read_folder(Path(files))
    else:
        raise TaskError(f"Task(files={files!r}): give a dict of contents, or a folder's path")
    found: dict[str, bytes] = {}
    size = 0
    for path, content in pairs:
        if path in found:
            raise TaskError(f"Task(files=...): {path[:300]!r} is given twice")
        if len(found) == MAX_FILES:
            raise TaskError(f"Task(files=...): there are more than {MAX_FILES:,} files: {_ADVICE}")
        found[path] = content
        size += len(content)
        if size > MAX_BYTES:
            raise _too_large(path)
    for path, fault in _faults(found):
        raise TaskError(f"Task(files=...): {path[:300]!r} {fault}; {PATH_EXAMPLE}")
    return TaskFiles(sorted(found.items()))


def _from_mapping(files: Mapping[Any, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the content of each file of a mapping."""
    left = MAX_BYTES
    for path, content in files.items():
        if not isinstance(path, str):
            raise TaskError(f"Task(files=...): the path {path!r} must be a text")
        if isinstance(content, os.PathLike):
            place = Path(cast("os.PathLike[str]", content))
            if place.is_dir() and not place.is_symlink():
                for inner, data in _read_folder(place, f"{path}/"):
                    left -= len(data)
                    yield inner, data
                continue
            data = _read(place, path, left)
        elif isinstance(content, str):
            data = _encoded(path, content)
        elif isinstance(content, bytes):
            data = content
        elif (text := value_text(content)) is not None:
            data = text.encode()
        else:
            kind = type(content).__name__
            raise TaskError(
                f"Task(files=...): {path[:300]!r} must be a text, bytes, a number, a date or time, "
                f"or a Path, not {kind}"
            )
        left -= len(data)
        yield path, data


def _encoded(path: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise TaskError(
            f"Task(files=...): {path[:300]!r} has a lone surrogate, which UTF-8 cannot write: "
            "give bytes"
        ) from error


def _read_folder(folder: Path, start: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield the regular files of a folder, whose number and sizes are checked first.

    Args:
        folder: The folder.
        start: What their paths begin with.
    """
    sizes: dict[str, int] = {}
    total = 0
    for inner, status in _walk(folder):
        path = start + inner
        if not stat.S_ISREG(status.st_mode):
            raise TaskError(
                f"Task(files=...): {path[:300]!r} is a link, or no regular file; give a folder of "
                "plain files"
            )
        sizes[path] = status.st_size
        total += status.st_size
        if len(sizes) > MAX_FILES:
            raise TaskError(f"Task(files=...): there are more than {MAX_FILES:,} files: {_ADVICE}")
        if total > MAX_BYTES:
            raise _too_large(path)
    left = MAX_BYTES
    for path in sizes:
        data = _read(folder / path.removeprefix(start), path, left)
        left -= len(data)
        yield path, data


def _walk(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the relative path and status of all in a folder but folders; no link is followed."""
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        try:
            with os.scandir(folder / inner) as entries:
                for entry in entries:
                    path = f"{inner}/{entry.name}".lstrip("/")
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(path)
                    else:
                        yield path, entry.stat(follow_symlinks=False)
        except OSError as error:
            place = str(folder / inner)
            raise TaskError(
                f"Task(files={place!r}): no folder to read: {error.strerror}"
            ) from error


def _read(file: Path, path: str, most: int) -> bytes:
    """Return the content of a regular file; it is read only if its size is allowed."""
    try:
        descriptor = os.open(file, _READ)
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise TaskError(
            f"Task(files=...): {path[:300]!r} cannot be read from {str(file)[:300]!r}: {reason}"
        ) from error
    with os.fdopen(descriptor, "rb") as content:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise TaskError(f"Task(files=...): {path[:300]!r} is no regular file")
        data = content.read(most + 1) if status.st_size <= most else None
    if data is None or len(data) > most:
        raise _too_large(path)
    return data


def _too_large(path: str) -> TaskError:
    return TaskError(
        f"Task(files=...): with {path[:300]!r} there are more than {MAX_BYTES:,} bytes: give a part"
    )


def _faults(files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield each path that cannot be used, and why."""
    folded: dict[str, str] = {}
    folders = {fold_path(folder) for path in files for folder in parents(path)}
    for path in files:
        key, top = fold_path(path), path.partition("/")[0]
        fault = path_fault(path) or _name_fault(path)
        twin = None if fault else case_fault(path, folded)
        if fault is not None:
            yield path, fault
        elif key in _RESERVED or fold_path(top).startswith("_planish"):
            yield path, "is a path that the verification uses: rename it"
        elif twin is not None:
            yield path, twin
        elif key in folders:
            yield path, "is a file, and other files are in it"
        elif path.endswith(_MODULES) and top.partition(".")[0] in _MODULE_NAMES:
            yield path, "has the name of a module of the standard library or of pytest: rename it"


def _name_fault(path: str) -> str | None:
    """Return what makes a path of the system no text, else None."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return "is not valid UTF-8"
    return None


def parents(path: str) -> Iterator[str]:
    """Yield the folders that a relative path leads through, outermost first."""
    parts = path.split("/")[:-1]
    return ("/".join(parts[: number + 1]) for number in range(len(parts)))


def fold_path(path: str) -> str:
    """Return what equal paths have in common on a file system that ignores case."""
    return unicodedata.normalize("NFC", path).casefold()


def case_fault(path: str, known: dict[str, str]) -> str | None:
    """Add a path and its folders to the known ones; return what is wrong if case alone differs.

    Args:
        path: The path.
        known: Paths and folders before it, by what `fold_path` returns of them.
    """
    for one in (*parents(path), path):
        other = known.setdefault(fold_path(one), one)
        if other != one:
            place = "" if one == path else f"is in {one[:200]!r}, which "
            return f"{place}differs from {other[:200]!r} by case only: rename it"
    return None
