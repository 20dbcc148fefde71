"""Stores: in memory and in a folder, alike to their users."""

import os
import stat
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import anyio
import pytest

from planish.abc import Store
from planish.stores import FileStore, MemoryStore

KEYS = ["", "a", "a/b", "../../etc/passwd", "é ☃ \n\0", "x" * 5000, '["run", "\ud800"]']


def files_in(folder: Path) -> list[Path]:
    """The files of a store."""
    return list(folder.glob("*/*"))


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Each kind of store, empty."""
    return MemoryStore() if request.param == "memory" else FileStore(tmp_path / "a" / "store")


@pytest.mark.anyio
async def test_what_was_put_is_there_until_it_is_replaced(store: Store) -> None:
    assert isinstance(store, Store)
    assert await store.get("a") is None
    assert list(await store.list()) == []
    for key in KEYS:
        await store.put(key, key.encode("utf-8", "surrogatepass") + b"\n\0 first")
        await store.put(key, key.encode("utf-8", "surrogatepass") + b"\n\0 second\n")
    for key in KEYS:
        assert await store.get(key) == key.encode("utf-8", "surrogatepass") + b"\n\0 second\n"
    assert list(await store.list()) == sorted(KEYS)
    assert list(await store.list("a")) == ["a", "a/b"]
    await store.put("empty", b"")
    assert await store.get("empty") == b""


@pytest.mark.anyio
async def test_many_tasks_use_it_at_once(store: Store) -> None:
    async def put_and_get(number: int) -> None:
        value = f"{number} " * 1000
        await store.put("shared", value.encode())
        await store.put(f"own {number}", value.encode())
        assert await store.get(f"own {number}") == value.encode()
        found = (await store.get("shared") or b"").split()
        assert len(set(found)) == 1
        assert len(found) == 1000

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(put_and_get, number)
    assert len(await store.list("own ")) == 20


@pytest.mark.anyio
async def test_memory_drops_what_was_not_used_for_longest() -> None:
    store = MemoryStore(entries=2)
    for key in ("a", "b"):
        await store.put(key, key.encode())
    assert await store.get("a") == b"a"
    await store.put("c", b"c")
    assert len(store) == 2
    assert [await store.get(key) for key in ("a", "b", "c")] == [b"a", None, b"c"]
    assert repr(MemoryStore()) == "MemoryStore(entries=1024)"
    with pytest.raises(ValueError, match="at least 1"):
        MemoryStore(entries=0)


@pytest.mark.anyio
async def test_files_of_a_folder_are_for_their_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        await FileStore(tmp_path / "store").put("key", b"value")
    finally:
        os.umask(before)
    (path,) = files_in(tmp_path / "store")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert tmp_path.joinpath("store").is_dir()


@pytest.mark.anyio
async def test_what_is_no_entry_is_none(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    await store.put("key", b"value")
    (path,) = files_in(tmp_path)
    for text in (b"", b"no line", b"[1]\nvalue", b'"other key"\nvalue', b"\xff\nvalue"):
        path.write_bytes(text)
        assert await store.get("key") is None
    assert list(await store.list("k")) == []


@pytest.mark.anyio
async def test_a_value_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    await store.put("key", b"value")
    with pytest.raises(TypeError):
        await store.put("key", "text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert await store.get("key") == b"value"
    assert len(files_in(tmp_path)) == 1


WRITER = """
import anyio, sys
from planish.stores import FileStore

async def main():
    store = FileStore(sys.argv[1])
    print("ready", flush=True)
    number = 0
    while True:
        number += 1
        await store.put("key", str(number % 10).encode() * 200_000)

anyio.run(main)
"""


def test_a_process_that_is_killed_leaves_a_whole_value(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    for _ in range(3):
        with Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            while anyio.run(store.get, "key") is None:
                pass
            process.kill()
        value = anyio.run(store.get, "key")
        assert value is not None
        assert len(value) == 200_000
        assert len(set(value)) == 1
