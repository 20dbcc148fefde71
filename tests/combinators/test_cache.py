import math
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from tests.laws.kit import RAISES, TASK, Tally, attempt, evidence, player

from planish import (
    BestOf,
    Cache,
    Candidate,
    Execution,
    Fallback,
    Retry,
    Task,
    Timeout,
    Validator,
    budget,
    step,
)
from planish.data import Status, Usage
from planish.data.events import Event
from planish.errors import ModelError
from planish.events import CodeGenerated, listen
from planish.stores import MemoryStore


@pytest.mark.anyio
async def test_equal_inputs_are_run_once() -> None:
    tally = Tally()
    cache = Cache(attempt([4], tally=tally), store=MemoryStore())
    first = await cache.run(TASK)
    equal = Task("Pass some checks.", tests="assert PASSED == 4", id="checks")
    async with budget(model_calls=9) as allowance:
        again = await cache.run(equal)
    assert again.history == first.history
    assert (first.usage, again.usage) == (tally.usage, allowance.spent)
    assert allowance.spent == Usage()
    assert len(tally.requests) == 1
    await cache.run(Task("Pass other checks.", tests="assert PASSED == 4"))
    assert len(tally.requests) == 2


@pytest.mark.anyio
async def test_feedback_and_candidates_make_inputs_unequal() -> None:
    tally = Tally()
    cache = Cache(attempt([1], tally=tally), store=MemoryStore())
    await Retry(BestOf(cache, n=3), attempts=2).run(TASK)
    assert len(tally.requests) == 6


@pytest.mark.anyio
async def test_equal_inputs_at_the_same_time_are_run_once() -> None:
    tally = Tally()
    cache = Cache(attempt([4], tally=tally, seconds=0.01), store=MemoryStore())
    results: list[Any] = []

    async def one() -> None:
        results.append(await cache.run(TASK))

    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(one)
    assert len(tally.requests) == 1
    assert len(results) == 10
    assert all(result.history == results[0].history for result in results)
    assert sum((result.usage for result in results), Usage()) == tally.usage


@pytest.mark.anyio
async def test_what_raises_is_not_kept_and_the_next_one_waiting_tries() -> None:
    tally = Tally()

    def fail_at_first(number: int) -> None:
        if number == 1:
            raise ModelError("at first")

    tally.at = fail_at_first
    cache = Cache(attempt([4], tally=tally, seconds=0.01), store=MemoryStore())
    ends: list[str] = []

    async def one() -> None:
        try:
            ends.append((await cache.run(TASK)).stop_reason)
        except ModelError as error:
            ends.append(str(error))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(one)
    assert sorted(ends) == ["at first", *["success"] * 4]
    assert len(tally.requests) == 2


@pytest.mark.anyio
async def test_a_call_that_is_cancelled_hands_on_to_one_that_waits() -> None:
    tally = Tally()

    async def hang_first(number: int) -> None:
        if number == 1:
            await anyio.sleep_forever()

    tally.meanwhile = hang_first
    cache = Cache(attempt([4], tally=tally), store=MemoryStore())
    passed: list[bool] = []

    async def leader(scope: anyio.CancelScope) -> None:
        with scope:
            await cache.run(TASK)

    async def follower() -> None:
        passed.append((await cache.run(TASK)).passed)

    async with anyio.create_task_group() as group:
        scope = anyio.CancelScope()
        group.start_soon(leader, scope)
        while not tally.requests:
            await anyio.lowlevel.checkpoint()
        group.start_soon(follower)
        group.start_soon(follower)
        await anyio.wait_all_tasks_blocked()
        scope.cancel()
    assert passed == [True, True]
    assert len(tally.requests) == 2


@pytest.mark.anyio
@pytest.mark.parametrize("cut", ["budget", "timeout"])
async def test_a_run_cut_short_is_not_kept(cut: str) -> None:
    tally = Tally()
    store = MemoryStore()
    loop = Retry(attempt([1, 4], tally=tally, seconds=60 if cut == "timeout" else 0), attempts=3)
    cache = Cache(Timeout(loop, seconds=0.01 if cut == "timeout" else 60), store=store)
    async with budget(model_calls=1):
        assert (await cache.run(TASK)).stop_reason == cut
    assert len(store) == 0
    if cut == "budget":
        assert (await cache.run(TASK)).passed
        assert len(store) == 1


@pytest.mark.anyio
async def test_what_has_failed_is_kept_as_it_is() -> None:
    tally = Tally()
    cache = Cache(attempt([1], tally=tally), store=MemoryStore())
    assert not (await cache.run(TASK)).passed
    assert not (await cache.run(TASK)).passed
    assert len(tally.requests) == 1


@pytest.mark.anyio
async def test_code_that_was_kept_was_not_generated() -> None:
    cache = Cache(player([1]), store=MemoryStore())
    heard: list[Event] = []
    async with listen(heard.append):
        await cache.run(TASK)
        await cache.run(TASK)
    assert len([event for event in heard if isinstance(event, CodeGenerated)]) == 1


@pytest.mark.anyio
async def test_a_key_of_ones_own_says_what_is_equal() -> None:
    calls: list[str] = []

    def note(value: str) -> str:
        calls.append(value)
        return value

    def folded(value: str) -> Hashable:
        return value.lower()

    cache = Cache(step(note), store=MemoryStore(), key=folded)
    assert [await cache.run(text) for text in ("One", "ONE", "two")] == ["One", "One", "two"]
    assert calls == ["One", "two"]


@pytest.mark.anyio
async def test_none_is_kept_too() -> None:
    calls: list[int] = []
    cache = Cache(step(calls.append), store=MemoryStore(), result_type=type(None))
    for _ in range(2):
        await cache.run(1)
    assert calls == [1]


def test_one_cache_serves_one_event_loop_after_the_other() -> None:
    tally = Tally()
    cache = Cache(attempt([RAISES, 4], tally=tally), store=MemoryStore())
    for backend in ("asyncio", "trio", "asyncio"):
        with pytest.raises(ModelError):
            anyio.run(cache.run, TASK, backend=backend)
    assert len(tally.requests) == 3


@pytest.mark.anyio
async def test_inputs_that_are_equal_and_of_different_types_are_different() -> None:
    def text_of(value: Any) -> str:
        return repr(value)

    cache = Cache(step(text_of), store=MemoryStore())
    inputs: list[Any] = [1, True, 1.0, 1 + 0j, 0, False, 0.0, -0.0, "1", b"1"]
    inputs += [(1,), (True,), ((1.0,),), ((1,),), frozenset({1}), frozenset({True}), None]
    for _ in range(2):
        assert [await cache.run(value) for value in inputs] == [repr(value) for value in inputs]


def lost(candidate: Candidate) -> Execution:
    return replace(evidence(candidate), status=Status.INFRA_ERROR)


@pytest.mark.anyio
async def test_not_a_number_is_one_input() -> None:
    calls: list[float] = []

    def note(value: float) -> int:
        calls.append(value)
        return len(calls)

    cache = Cache(step(note), store=MemoryStore())
    assert [await cache.run(math.nan), await cache.run(float("nan"))] == [1, 1]


@pytest.mark.anyio
@pytest.mark.parametrize("broken", ["race", "best of", "fallback", "parallel", "sandbox"])
async def test_what_an_outage_cut_short_is_not_kept(broken: str) -> None:
    tally = Tally()
    works, fails = attempt([1], tally=tally), attempt([RAISES], tally=tally)
    pipelines: dict[str, Any] = {
        "race": works | fails,
        "best of": BestOf(attempt([1, RAISES], tally=tally), n=2),
        "fallback": Fallback(fails, works),
        "parallel": works & (works | fails),
        "sandbox": player([1], tally=tally) >> step(lost) >> Validator(),
    }
    cache = Cache(pipelines[broken], store=MemoryStore())
    await cache.run(TASK)
    first = len(tally.requests)
    await cache.run(TASK)
    assert len(tally.requests) == 2 * first > 0


@pytest.mark.anyio
async def test_what_passed_beside_an_outage_is_kept() -> None:
    tally = Tally()
    race = Fallback(attempt([RAISES], tally=tally), attempt([4], tally=tally))
    cache = Cache(race, store=MemoryStore())
    first, again = await cache.run(TASK), await cache.run(TASK)
    assert first.history == again.history
    assert (first.usage.model_calls, again.usage.model_calls) == (1, 0)  # the cached one is free
    assert len(tally.requests) == 2
