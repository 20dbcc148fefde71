"""What grows with the size of a pipeline, of a loop and of a fleet of runs, and how fast."""

import gc
import time
import tracemalloc
from collections.abc import Callable

import anyio
import pytest
from tests.laws.kit import TASK, Tally, attempt, evidence

from planish import Candidate, Primitive, Retry, Task, Validator, step
from planish.stop import Stop, confidence, repeated_candidate
from planish.testing.telemetry import capture

pytestmark = pytest.mark.benchmark

RUNS = 1_000
STEPS = 5_000


def cheapest(load: Callable[[], object], rounds: int = 3) -> float:
    """CPU seconds of the fastest of several rounds."""
    taken: list[float] = []
    for _ in range(rounds):
        begin = time.process_time()
        load()
        taken.append(time.process_time() - begin)
    return min(taken)


def write(task: Task) -> Candidate:
    return Candidate(task=task, code=f"PASSED = 0  # {task.attempt}")


@pytest.mark.parametrize("rule", [None, repeated_candidate() | confidence(1.0)], ids=str)
def test_the_rounds_of_a_loop_take_equally_long(rule: Stop | None) -> None:
    once = step(write) >> step(evidence) >> Validator()

    def loop(attempts: int) -> Callable[[], object]:
        return lambda: anyio.run(count, Retry(once, attempts=attempts, stop=rule))

    async def count(pipeline: Primitive[Task, object]) -> None:
        await pipeline.run(TASK)

    few, many = cheapest(loop(500)), cheapest(loop(2_500), rounds=2)
    print(f"500 rounds: {few:.2f} s; 2,500 rounds: {many:.2f} s, {many / few:.1f} times")
    assert many <= 9 * few  # 5 times the rounds; 25 times as long if it were quadratic


@pytest.mark.one_in(2)  # each event loop, one of them traced
@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("where", ["on asyncio", "on trio"])
def test_runs_that_start_together_leave_the_loop_responsive(where: str, *, traced: bool) -> None:
    backend = where.removeprefix("on ")
    lags: list[float] = []

    async def watch() -> None:
        while True:
            begin = time.process_time()
            await anyio.sleep(0.001)
            lags.append(time.process_time() - begin)

    async def start() -> None:
        loop = Retry(attempt([1, 4], seconds=0.05), attempts=3)
        await loop.run(TASK)
        gc.collect()
        async with anyio.create_task_group() as watching:
            watching.start_soon(watch)
            await anyio.sleep(0.01)
            lags.clear()
            async with anyio.create_task_group() as group:
                for _ in range(RUNS):
                    group.start_soon(loop.run, TASK)
            watching.cancel_scope.cancel()

    if traced:
        with capture():
            anyio.run(start, backend=backend)
    else:
        anyio.run(start, backend=backend)
    lags.sort()
    p99 = lags[int(len(lags) * 0.99)]
    # CPU time of this process: of the wall's, what other processes take is no lag of the loop's.
    print(f"{RUNS} runs on {backend}, traced={traced}: lag p99 {1e3 * p99:.0f} ms of {len(lags)}")
    assert p99 <= 0.1


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_run_in_flight_takes_little_memory(backend: str) -> None:
    async def start() -> float:
        tally, all_wait = Tally(), anyio.Event()
        tally.at = lambda number: all_wait.set() if number == RUNS else None
        loop = Retry(attempt([1], tally=tally, seconds=3600), attempts=3)
        gc.collect()
        memory = 0
        tracemalloc.start()
        try:
            async with anyio.create_task_group() as group:
                for _ in range(RUNS):
                    group.start_soon(loop.run, TASK)
                await all_wait.wait()
                memory, _ = tracemalloc.get_traced_memory()
                group.cancel_scope.cancel()
        finally:
            tracemalloc.stop()
        return memory / RUNS

    each = anyio.run(start, backend=backend)
    print(f"a run in flight on {backend}: {each / 1024:.1f} KiB")
    assert each <= 17.5 * 1024  # measured: 16.5 on asyncio, 16.9 on trio
