"""Runs that start together share the event loop with everything else."""

import threading
import time
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from planish import step
from planish.context import turns
from planish.context.turns import take_turn

BUSY = 0.004
"""Seconds that the first part of a run takes: more than two fill a slice of time."""


def work(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


async def busy(value: int) -> int:
    work(BUSY)
    await anyio.lowlevel.checkpoint()
    return value


@pytest.fixture(autouse=True)
def no_turns_of_other_tests() -> None:
    vars(turns)["_turns"].queue.clear()
    vars(turns)["_turns"].last = 0.0


@pytest.mark.anyio
async def test_the_loop_gets_turns_while_many_runs_start() -> None:
    pipeline = step(busy)
    starts: list[int] = []
    seen: list[int] = []

    async def one(index: int) -> None:
        await pipeline.run(index)
        starts.append(index)

    async def watch() -> None:
        while len(starts) < 30:
            seen.append(len(starts))
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as group:
        for index in range(30):
            group.start_soon(one, index)
        group.start_soon(watch)
    # Without turns the loop would run all 30 before it comes round to `watch`.
    assert len(set(seen)) > 10
    assert not vars(turns)["_turns"].queue


@pytest.mark.anyio
async def test_runs_that_wait_start_in_their_order() -> None:
    order: list[int] = []

    async def note(value: int) -> int:
        order.append(value)
        work(BUSY)
        return value

    pipeline = step(note)
    async with anyio.create_task_group() as group:
        for index in range(8):
            group.start_soon(pipeline.run, index)
            await anyio.lowlevel.checkpoint()
    assert order == list(range(8))


@pytest.mark.anyio
async def test_a_run_that_is_cancelled_while_it_waits_does_not_hold_up_the_others() -> None:
    ended: list[int] = []
    scopes = [anyio.CancelScope() for _ in range(12)]
    pipeline = step(busy)

    async def one(index: int) -> None:
        with scopes[index]:
            ended.append(await pipeline.run(index))

    async with anyio.create_task_group() as group:
        for index in range(12):
            group.start_soon(one, index)
        await anyio.lowlevel.checkpoint()
        for index in (4, 5, 9, 11):
            scopes[index].cancel()
    assert len(ended) >= 8
    assert not vars(turns)["_turns"].queue


@pytest.mark.anyio
async def test_a_run_alone_starts_at_once() -> None:
    happened: list[str] = []

    def note(value: int) -> int:
        happened.append("run")
        return value

    async def other() -> None:
        happened.append("other")

    async with anyio.create_task_group() as group:
        group.start_soon(other)
        await step(note).run(1)
    assert happened == ["run", "other"]


def test_what_a_closed_loop_left_holds_nobody_up() -> None:
    state: Any = vars(turns)["_turns"]
    state.queue.append(anyio.Event.__new__(anyio.Event))
    state.last = time.monotonic() - 2

    async def run() -> None:
        with anyio.fail_after(5):
            await step(busy).run(1)

    anyio.run(run)
    assert not state.queue


def test_threads_have_turns_of_their_own() -> None:
    queues: list[Any] = []

    def run() -> None:
        anyio.run(take_turn)
        queues.append(vars(turns)["_turns"].queue)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert queues[0] is not queues[1]


@pytest.mark.anyio
async def test_waiting_with_a_reply_is_not_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(vars(turns)["_turns"], "begin", now - 0.05)  # runs have kept the loop busy
    monkeypatch.setattr(vars(turns)["_turns"], "last", now)
    kept = False
    with anyio.CancelScope() as scope:
        scope.cancel()
        await turns.take_turn_with_reply()
        kept = True
    assert kept
