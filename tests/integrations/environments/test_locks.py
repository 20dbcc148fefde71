"""Locks between processes."""

import fcntl
import os
import stat
from pathlib import Path

import pytest
import trio
import trio.testing

from planish_integrations.environments._locks import (
    SharedLocks,
    exclusive_lock,
    try_exclusive_lock,
)


def test_one_at_a_time_has_an_exclusive_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with try_exclusive_lock(path) as first:
        assert first is not None
        assert not os.get_inheritable(first)
        with try_exclusive_lock(path) as second:
            assert second is None
    with try_exclusive_lock(path) as third:
        assert third is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_shared_locks_exclude_exclusive_ones_until_the_last_is_released(tmp_path: Path) -> None:
    path, locks = tmp_path / "lock", SharedLocks()

    def is_free() -> bool:
        with try_exclusive_lock(path) as descriptor:
            return descriptor is not None

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - the folder changes as it is read
    with locks.lock(path):
        with locks.lock(path), locks.lock(path):
            assert not is_free()
        assert not is_free()
        with SharedLocks().lock(path):
            assert not is_free()
    assert is_free()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_a_lock_that_cannot_be_had_leaves_no_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with pytest.raises(OSError, match="No locks"), SharedLocks().lock(tmp_path / "lock"):
        pass
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


@pytest.mark.parametrize(("released", "latest"), [(0.005, 0.01), (0.025, 0.03), (10.0, 10.25)])
def test_a_lock_that_is_released_is_soon_had(
    tmp_path: Path, released: float, latest: float
) -> None:
    path = tmp_path / "lock"
    had: list[float] = []

    async def hold() -> None:
        async with exclusive_lock(path):
            await trio.sleep(released)

    async def want() -> None:
        start = trio.current_time()
        async with exclusive_lock(path) as descriptor:
            assert not os.get_inheritable(descriptor)
            had.append(trio.current_time() - start)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hold)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(want)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert released <= had[0] <= latest + 1e-9
