"""What a `Cache` does with its store: one that fails, one that is shared, and a journal."""

import warnings
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from tests.laws.journal import Journal
from tests.laws.kit import TASK, Tally, attempt

from planish import (
    Cache,
    Map,
    Parallel,
    Task,
    step,
)
from planish.effects import intercept
from planish.errors import WiringError
from planish.stores import FileStore, MemoryStore


class Flaky(MemoryStore):
    """A store that fails on request."""

    def __init__(self, broken: str) -> None:
        super().__init__()
        self.broken = broken

    async def get(self, key: str, /) -> bytes | None:
        if self.broken == "get":
            raise OSError("the disk is away")
        if self.broken == "text":
            return b"\xff no result"
        return await super().get(key)

    async def put(self, key: str, value: bytes, /) -> None:
        await anyio.lowlevel.checkpoint()
        if self.broken == "put":
            raise OSError("the disk is full")
        await super().put(key, value)


@pytest.mark.anyio
@pytest.mark.parametrize(("broken", "calls"), [("get", 2), ("put", 2), ("text", 2), ("", 1)])
async def test_a_store_that_fails_loses_nothing(broken: str, calls: int) -> None:
    tally = Tally()
    cache = Cache(attempt([4], tally=tally), store=Flaky(broken))
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert (await cache.run(TASK)).passed
        assert bool(caught) == bool(broken)
        assert all("Flaky" in str(one.message) or "could not" in str(one.message) for one in caught)
    assert len(tally.requests) == calls
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (await cache.run(TASK)).passed


@pytest.mark.anyio
async def test_what_was_paid_for_is_stored_when_the_run_is_cancelled_meanwhile() -> None:
    store = MemoryStore()
    with anyio.CancelScope() as scope:

        async def cancel_and_put(key: str, value: bytes, /) -> None:
            scope.cancel()
            await anyio.lowlevel.checkpoint()
            await MemoryStore.put(store, key, value)

        store.put = cancel_and_put  # type: ignore[method-assign]
        await Cache(attempt([4]), store=store).run(TASK)
        await anyio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert len(store) == 1


@pytest.mark.anyio
async def test_caches_with_prefixes_share_a_store_and_no_results() -> None:
    store = MemoryStore()

    def double(value: int) -> int:
        return 2 * value

    def triple(value: int) -> int:
        return 3 * value

    one = Cache(step(double), store=store, prefix="double")
    other = Cache(step(triple), store=store, prefix="triple")
    assert [await one.run(1), await other.run(1), await one.run(1)] == [2, 3, 2]
    assert len(await store.list("double/")) == 1
    assert len(store) == 2


@pytest.mark.anyio
async def test_another_process_finds_what_a_folder_holds(tmp_path: Path) -> None:
    tally = Tally()
    first = await Cache(attempt([1], tally=tally), store=FileStore(tmp_path / "new")).run(TASK)
    again = await Cache(attempt([1], tally=tally), store=FileStore(tmp_path / "new")).run(TASK)
    assert again.history == first.history
    assert len(tally.requests) == 1


def untyped(value: Any) -> Any:
    return value


class Opaque:
    """A value that has no JSON form."""


def opaque(_: int) -> Opaque:
    return Opaque()


def test_results_that_cannot_be_read_back_are_refused_where_the_cache_is_made() -> None:
    for results in (step(untyped), step(two) >> Map(attempt([1]), concurrency=1)):
        with pytest.raises(WiringError, match="result_type"):
            Cache(results, store=MemoryStore())


@pytest.mark.anyio
async def test_results_without_a_json_form_are_refused_before_the_step_runs() -> None:
    calls: list[int] = []

    def note(value: int) -> Opaque:
        calls.append(value)
        return Opaque()

    with pytest.raises(WiringError, match="cannot be stored"):
        await Cache(step(note), store=MemoryStore()).run(1)
    assert not calls


def two(task: Task) -> list[Task]:
    return [task.for_candidate(index, 2) for index in range(2)]


@pytest.mark.anyio
async def test_a_resumed_run_finds_what_the_cache_held_when_it_was_recorded() -> None:
    tally, records = Tally(), MemoryStore()
    full = MemoryStore()
    await Cache(attempt([4], tally=tally), store=full).run(TASK)
    for store in (full, MemoryStore()):
        async with intercept(Journal(records, "run")):
            assert (await Cache(attempt([4], tally=tally), store=store).run(TASK)).passed
    assert len(tally.requests) == 1


@pytest.mark.anyio
async def test_a_call_that_waited_for_another_does_not_run_the_step_when_resumed() -> None:
    tally, records = Tally(), MemoryStore()
    for _ in range(2):
        cache = Cache(attempt([4], tally=tally), store=MemoryStore())
        async with intercept(Journal(records, "run")):
            both: Any = Parallel(cache, cache)
            assert [report.passed for report in await both.run(TASK)] == [True, True]
    assert len(tally.requests) == 1
