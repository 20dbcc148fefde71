import itertools
from collections.abc import Iterator
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from tests.laws.kit import RAISES, TASK, Tally, attempt

from planish import Map, Retry, Task, step
from planish.combinators.map import ItemResult
from planish.errors import ModelError, WiringError, report_of


async def slow_first(value: int) -> int:
    await anyio.sleep(0.03 if value == 0 else 0)
    return 10 * value


def fail_on_two(value: int) -> int:
    if value == 2:
        raise LookupError("two")
    return value


@pytest.mark.anyio
async def test_results_come_in_the_order_of_the_items() -> None:
    done = await Map(step(slow_first), concurrency=3).run(range(5))
    assert [one.unwrap() for one in done] == [0, 10, 20, 30, 40]
    assert [one.index for one in done] == [one.item for one in done] == [0, 1, 2, 3, 4]


@pytest.mark.anyio
async def test_one_value_in_place_of_items_is_refused() -> None:
    mapped: Any = Map(step(slow_first), concurrency=3)
    with pytest.raises(WiringError, match="Map takes items, but it was given a Task: give a list"):
        await mapped.run(TASK)
    with pytest.raises(WiringError, match="it was given an int"):
        async with mapped.stream(3):
            pass


@pytest.mark.anyio
async def test_a_stream_gives_each_as_it_finishes() -> None:
    others_received = anyio.Event()

    async def first_waits_for_the_others(value: int) -> int:
        if value == 0:
            await others_received.wait()
        return value

    found: list[int] = []
    async with Map(step(first_waits_for_the_others), concurrency=3).stream(range(5)) as results:
        async for done in results:
            found.append(done.index)
            if len(found) == 4:
                others_received.set()
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert found[-1] == 0


@pytest.mark.anyio
async def test_one_that_fails_does_not_lose_the_others() -> None:
    done = await Map(step(fail_on_two), concurrency=2).run(range(4))
    assert [one.ok for one in done] == [True, True, False, True]
    assert [one.value for one in done] == [0, 1, None, 3]
    assert isinstance(done[2].error, LookupError)
    with pytest.raises(LookupError, match="two"):
        done[2].unwrap()


@pytest.mark.anyio
async def test_an_error_carries_what_its_item_had_reached() -> None:
    loop = Retry(attempt([2, RAISES]), attempts=3)
    for within in (Map(loop, concurrency=1), Map(loop >> step(same), concurrency=1)):
        (done,) = await within.run([TASK])
        assert isinstance(done.error, ModelError)
        report = report_of(done.error)
        assert report is not None
        assert report.trajectory == (0.5,)


async def same(value: Any) -> Any:
    return value


@pytest.mark.anyio
@pytest.mark.parametrize("concurrency", [1, 2, 5])
async def test_so_many_run_at_once(concurrency: int) -> None:
    tally = Tally()
    most = 0

    def look(_: int) -> None:
        nonlocal most
        most = max(most, tally.active)

    tally.at = look
    batch = Map(attempt([1], tally=tally, seconds=0.005), concurrency=concurrency)
    await batch.run([TASK] * 8)
    assert most == concurrency
    assert len(tally.requests) == 8


@pytest.mark.anyio
async def test_items_are_taken_only_when_there_is_room() -> None:
    started: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            started.append(number)
            yield number

    async with Map(step(slow_first), concurrency=2).stream(items()) as results:
        await results.receive()
        await results.receive()
    # Two were given; each of the two workers holds at most one more, and may ask for the next.
    assert len(started) <= 6


@pytest.mark.anyio
async def test_items_that_cannot_be_had_end_it_with_their_error() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("the file ended")

    with pytest.raises(OSError, match="the file ended"):
        await Map(step(slow_first), concurrency=2).run(items())


@pytest.mark.anyio
async def test_each_item_of_a_stream_is_a_run_of_its_own() -> None:
    loop = Retry(attempt([1, 4]), attempts=3)
    tasks = [Task("Pass.", tests="assert PASSED == 4", id=str(number)) for number in range(3)]
    async with Map(loop, concurrency=2).stream(tasks) as results:
        reports = {done.item.id: done.unwrap() async for done in results}
    assert {name: report.task.id for name, report in reports.items()} == {n: n for n in "012"}
    assert all(report.usage.model_calls == 2 for report in reports.values())


@pytest.mark.anyio
async def test_nothing_gives_nothing() -> None:
    assert await Map(step(slow_first), concurrency=2).run([]) == []


def test_concurrency_is_at_least_one() -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        Map(step(slow_first), concurrency=0)


def test_a_value_that_is_none_is_a_value() -> None:
    done: ItemResult[int, None] = ItemResult(0, 1)
    assert done.ok
    assert done.unwrap() is None


@pytest.mark.anyio
@pytest.mark.parametrize("sized", [True, False])
@pytest.mark.parametrize("streamed", [True, False])
async def test_there_are_no_more_tasks_than_items(*, sized: bool, streamed: bool) -> None:
    before = len(anyio.get_running_tasks())
    most = 0
    started: list[int] = []
    all_started = anyio.Event()

    async def count(item: int) -> int:
        nonlocal most
        started.append(item)
        if len(started) == 5:
            all_started.set()
        await all_started.wait()
        most = max(most, len(anyio.get_running_tasks()) - before)
        return item

    batch = Map(step(count), concurrency=10**6)
    items: Any = list(range(5)) if sized else iter(range(5))
    if streamed:
        async with batch.stream(items) as results:
            values = sorted([done.unwrap() async for done in results])
    else:
        values = [done.unwrap() for done in await batch.run(items)]
    assert values == list(range(5))
    assert 5 <= most <= 6  # one more, which finds that there are no more items


@pytest.mark.anyio
@pytest.mark.parametrize("sized", [True, False])
async def test_as_many_items_run_at_once_as_may(*, sized: bool) -> None:
    active, most = 0, 0

    async def count(item: int) -> None:
        nonlocal active, most
        active += 1
        most = max(most, active)
        await anyio.sleep(0.02)
        active -= 1

    await Map(step(count), concurrency=4).run(range(9) if sized else iter(range(9)))
    assert most == 4


@pytest.mark.anyio
async def test_items_that_never_wait_can_be_cut_short() -> None:
    done: list[int] = []

    def count(item: int) -> None:
        done.append(item)
        if item == 20:
            scope.cancel()

    with anyio.CancelScope() as scope:
        await Map(step(count), concurrency=2).run(itertools.count())
    assert scope.cancelled_caught
    assert len(done) > 20


@pytest.mark.anyio
async def test_an_error_in_the_block_of_a_stream_is_raised_itself() -> None:
    async def same(number: int) -> int:
        return number

    class OwnError(Exception):
        pass

    async def read_some(count: int) -> None:
        async with Map(step(same), concurrency=3).stream(range(9)) as results:
            for _ in range(count):
                await results.receive()
            await anyio.lowlevel.checkpoint()  # other items have ended, and wait to be read
            raise OwnError

    for count in (1, 2):
        with pytest.raises(OwnError):
            await read_some(count)
