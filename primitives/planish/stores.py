"""Stores of keys and values: in memory, and in a folder. Each is a `planish.abc.Store`."""

import json
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from planish.arguments import require_count

__all__ = ["FileStore", "MemoryStore"]

T = TypeVar("T")


class MemoryStore:
    """A store in memory that drops the least recently used values.

    Args:
        entries: The most values it stores; 1,024 by default.

    Raises:
        ValueError: entries is not a whole number of at least 1.
    """

    def __init__(self, entries: int = 1024) -> None:
        require_count("MemoryStore", "entries", entries)
        self._entries = entries
        self._values: OrderedDict[str, bytes] = OrderedDict()

    def config(self) -> Mapping[str, object]:
        """Return the constructor's arguments by name."""
        return {"entries": self._entries}

    async def get(self, key: str, /) -> bytes | None:
        """Return the value under a key; None if there is none."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    async def put(self, key: str, value: bytes, /) -> None:
        """Store a value, and drop the least recently used one if there are too many."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._entries:
            self._values.popitem(last=False)

    async def list(self, prefix: str = "", /) -> Sequence[str]:
        """Return all keys that begin with a text, sorted."""
        return sorted(key for key in self._values if key.startswith(prefix))

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"MemoryStore(entries={self._entries})"


class FileStore:
    """A store in a folder, for all processes that use the folder, one file for each key.

    A value is written to a file of its own that then takes the place of the old one, and is on
    the disk when `put` returns: a reader sees the old value or the new one, also after the
    process is killed or the power fails. Nothing is ever dropped.

    Only you can read the files that it makes: reports hold your tasks, code and tests. Give it a
    folder that only you can write to: its files decide what a cache or a journal answers.

    Args:
        folder: The folder. It is created when the first value is stored.

    Raises:
        OSError: from `put`, `get` and `list`: the folder cannot be written or read.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def config(self) -> Mapping[str, object]:
        """Return the constructor's arguments by name."""
        return {"folder": str(self._folder)}

    async def get(self, key: str, /) -> bytes | None:
        """Return the value under a key; None if there is none."""
        return await _in_thread(partial(self._read, key))

    async def put(self, key: str, value: bytes, /) -> None:
        """Store a value under a key, and replace what was there."""
        await _in_thread(partial(self._write, key, value))

    async def list(self, prefix: str = "", /) -> Sequence[str]:
        """Return all keys that begin with a text, sorted. It opens every file of the folder."""
        return await _in_thread(partial(self._keys, prefix))

    def __repr__(self) -> str:
        return f"FileStore({str(self._folder)!r})"

    def _path(self, key: str) -> Path:
        # Keys may be longer than names of files, and hold any character.
        digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
        return self._folder / digest[:2] / f"{digest[2:]}.entry"

    def _read(self, key: str) -> bytes | None:
        try:
            data = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        head, line, value = data.partition(b"\n")
        return value if line and _key_in(head) == key else None

    def _write(self, key: str, value: bytes) -> None:
        import tempfile  # noqa: PLC0415 - slow to import

        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        number, name = tempfile.mkstemp(dir=path.parent, suffix=".partial")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(json.dumps(key).encode() + b"\n" + value)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)

    def _keys(self, prefix: str) -> Sequence[str]:
        keys: set[str] = set()
        for path in self._folder.glob("*/*.entry"):
            with suppress(FileNotFoundError), path.open("rb") as file:
                key = _key_in(file.readline().rstrip(b"\n"))
                if key is not None and key.startswith(prefix):
                    keys.add(key)
        return sorted(keys)


def _key_in(line: bytes) -> str | None:
    """Return the key that the first line of a file names; None if this is no file of a store."""
    try:
        key: object = json.loads(line)
    except ValueError:
        return None
    return key if isinstance(key, str) else None


def _sync_folder(folder: Path) -> None:
    """Write a folder's entries to the disk, so that a rename survives a crash; on POSIX only."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


async def _in_thread(call: Callable[[], T]) -> T:
    from anyio.to_thread import run_sync  # noqa: PLC0415 - slow to import

    return await run_sync(call)
