"""Law 4: nothing of a run outlives it, whether it returns, raises or is cancelled."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import LAW, TASK, Tally, attempt, both_loops
from tests.laws.marks import around
from tests.laws.nestings import Spec, specs
from tests.laws.spans import counting

from planish import Cache, Map, Retry, budget, step
from planish.context.scope import Scope, current
from planish.data.events import Event
from planish.errors import ModelError
from planish.events import listen, watch
from planish.steps.function import Step
from planish.stores import MemoryStore


class UnforeseenError(Exception):
    """Not one of planish's."""


def fail(_: int) -> None:
    raise UnforeseenError


async def run_and_look(spec: Spec, moment: int, fate: str) -> None:
    """Run a nesting; at the so-manyeth request, let its fate befall it."""
    tally = Tally()
    pipeline = spec.build(tally)
    before = around()
    with counting() as counted, anyio.CancelScope() as scope:
        befalls: dict[str, Callable[[int], Any]] = {
            "cancelled": lambda _: scope.cancel(),
            "raises": fail,
            "returns": lambda _: None,
        }
        tally.at = lambda number: befalls[fate](number) if number == moment else None
        with suppress(ModelError, UnforeseenError):
            await pipeline.run(TASK)
    assert around() == before
    assert tally.active == 0
    assert counted.started > 0
    assert counted.left_open == []


@LAW
@given(specs(), st.integers(1, 8), st.sampled_from(["returns", "raises", "cancelled"]))
def test_no_task_span_or_scope_is_left(spec: Spec, moment: int, fate: str) -> None:
    both_loops(lambda: run_and_look(spec, moment, fate))


@LAW
@given(specs(raising=False))
def test_what_comes_after_a_part_of_a_run_is_not_within_it(spec: Spec) -> None:
    scopes: list[Scope] = []

    def look(value: Any) -> Any:
        scopes.append(current())
        return value

    async def run() -> None:
        scopes.clear()
        async with listen(lambda _: None):
            await (step(look) >> spec.build(Tally()) >> step(look)).run(TASK)
        before, after = scopes
        assert after == before

    both_loops(run)


@LAW
@given(specs(passing=False), st.integers(0, 10))
def test_a_listener_that_raises_leaves_nothing_either(spec: Spec, moment: int) -> None:
    async def run() -> None:
        before = around()
        heard: list[Event] = []

        def show(event: Event) -> None:
            heard.append(event)
            if len(heard) > moment:
                raise UnforeseenError

        with counting() as counted, suppress(ModelError, UnforeseenError):
            async with listen(show):
                await spec.build(Tally()).run(TASK)
        assert around() == before
        assert counted.left_open == []

    both_loops(run)


@LAW
@given(specs(raising=False, passing=False), st.integers(0, 3))
def test_time_running_out_leaves_nothing(spec: Spec, moment: int) -> None:
    async def run() -> None:
        tally = Tally()
        pipeline = spec.build(tally, seconds=0.001 if moment else 0.0)
        before = around()
        with counting() as counted:
            async with budget(seconds=0.002 * moment):
                report = await pipeline.run(TASK)
        assert not report.passed
        assert around() == before
        assert tally.active == 0
        assert counted.left_open == []

    both_loops(run)


@pytest.mark.anyio
@pytest.mark.parametrize("read", [0, 1, 2])
async def test_a_stream_left_early_ends_what_runs(read: int) -> None:
    tally = Tally()
    batch = Map(attempt([1], tally=tally, seconds=0.01), concurrency=2)
    before = around()
    async with batch.stream([TASK] * 10) as results:
        for _ in range(read):
            assert (await results.receive()).ok
    assert around() == before
    assert tally.active == 0
    assert len(tally.requests) < 10


@pytest.mark.anyio
async def test_a_watched_run_left_early_is_ended() -> None:
    tally = Tally()
    before = around()
    async with watch(Retry(attempt([1], tally=tally, seconds=0.01), attempts=9), TASK) as run:
        async for event in run:
            if event.kind == "code_executed":
                break
    assert around() == before
    assert tally.active == 0
    assert len(tally.requests) < 9


@pytest.mark.anyio
async def test_what_the_body_of_a_block_raises_comes_out_as_it_is() -> None:
    with pytest.raises(UnforeseenError):
        async with Map(attempt([1]), concurrency=2).stream([TASK]):
            raise UnforeseenError
    with pytest.raises(UnforeseenError):
        async with watch(attempt([1]), TASK):
            raise UnforeseenError


@pytest.mark.anyio
async def test_a_cache_holds_no_call_in_flight_after_a_cancelled_run() -> None:
    tally = Tally()
    cache = Cache(attempt([1], tally=tally, seconds=10), store=MemoryStore())
    with anyio.CancelScope() as scope:
        tally.at = lambda _: scope.cancel()
        await cache.run(TASK)
    assert len(tally.requests) == 1
    assert tally.active == 0
    assert vars(cache)["_running"] == {}


class Begun:
    """How many branches have begun, of two."""

    def __init__(self) -> None:
        self.count = 0
        self.both = asyncio.Event()

    def add(self) -> None:
        self.count += 1
        if self.count == 2:
            self.both.set()


def shielded(cleaned: list[str], begun: Begun) -> Step[Any, Any]:
    """A step that hangs, and needs a while to clean up."""

    async def hang(value: Any) -> Any:
        try:
            begun.add()
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.02)
            cleaned.append("cleaned")
        return value

    return step(hang)


def native(use: Callable[[Any, Begun], Any]) -> None:
    """Run a hanging race in asyncio's own way, and cut it short in asyncio's own way."""
    cleaned: list[str] = []

    async def main() -> None:
        begun = Begun()
        hanging = shielded(cleaned, begun) >> attempt([4])
        tasks = asyncio.all_tasks()
        ended = pytest.raises((asyncio.CancelledError, TimeoutError))
        with counting() as counted, ended:
            await use((hanging | hanging).run(TASK), begun)
        assert asyncio.all_tasks() == tasks
        assert cleaned == ["cleaned"] * 2
        assert counted.left_open == []

    asyncio.run(main())


def test_cancelling_an_asyncio_task_cleans_up() -> None:
    async def cancel(run: Any, begun: Begun) -> None:
        task = asyncio.create_task(run)
        await begun.both.wait()
        task.cancel()
        await task

    native(cancel)


def test_asyncio_wait_for_cleans_up() -> None:
    async def wait(run: Any, begun: Begun) -> None:
        loop = asyncio.get_running_loop()
        real = loop.time
        # An hour passes when both branches have begun.
        loop.time = lambda: real() + 3600 * begun.both.is_set()  # type: ignore[method-assign]
        await asyncio.wait_for(run, 3600)

    native(wait)
