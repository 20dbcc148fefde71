"""Every step of a run has a path of its own, whatever combinators surround it."""

from collections import Counter
from dataclasses import replace

import pytest
from tests.laws.kit import TASK, attempt

from planish import (
    BestOf,
    Cache,
    Escalate,
    Fallback,
    Map,
    Primitive,
    Report,
    Retry,
    Route,
    Sequential,
    Task,
    Timeout,
    step,
)
from planish.effects import current_path, path_scope
from planish.stores import MemoryStore
from planish.testing.telemetry import capture


class Recorded:
    """A task to task step that records where it was run."""

    def __init__(self) -> None:
        self.paths: list[tuple[str, ...]] = []

    async def __call__(self, task: Task) -> Task:
        self.paths.append(current_path())
        return task


def look(report: Report) -> Task:
    """Start again with the task of a report."""
    return replace(report.task, feedback=None)


@pytest.mark.anyio
async def test_outside_of_combinators_the_path_is_empty() -> None:
    recorded = Recorded()
    await step(recorded).run(TASK)
    assert recorded.paths == [()] == [current_path()]


@pytest.mark.anyio
async def test_each_combinator_adds_a_segment() -> None:
    recorded = Recorded()
    one = step(recorded) >> attempt([4])
    pipelines: dict[str, Primitive[Task, Report]] = {
        "Sequential[0]": one,
        "Race[0]": one | one,
        "BestOf[0]": BestOf(one, n=1),
        "Retry#1": Retry(one, attempts=1),
        "Escalate[0]": Escalate(one),
        "Fallback[0]": Fallback(one),
        "Route[a/b]": Route(lambda _: "a/b", {"a/b": one}),
        "Timeout": Timeout(one, seconds=60),
    }
    for segment, pipeline in pipelines.items():
        recorded.paths.clear()
        await pipeline.run(TASK)
        assert segment in {path[0] for path in recorded.paths}
    recorded.paths.clear()
    await Cache(one, store=MemoryStore()).run(TASK)
    assert recorded.paths[0][0].startswith("Cache")
    recorded.paths.clear()
    await (one & one).run(TASK)
    await Map(one, concurrency=1).run([TASK, TASK])
    firsts = [path[0] for path in recorded.paths]
    assert sorted(firsts) == ["Map[0]", "Map[1]", "Parallel[0]", "Parallel[1]"]


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.anyio
async def test_no_two_steps_of_a_run_have_the_same_path(*, observed: bool) -> None:
    recorded = Recorded()
    loop = Retry(step(recorded) >> attempt([1]), attempts=3)
    both = loop >> look >> loop  # two loops in a row
    pipeline = Map(BestOf(Retry(both, attempts=2) | both, n=2), concurrency=2)
    if observed:
        with capture():
            await pipeline.run([TASK, TASK])
    else:
        await pipeline.run([TASK, TASK])
    assert len(recorded.paths) == 2 * 2 * (2 * 6 + 6)
    assert max(Counter(recorded.paths).values()) == 1
    assert current_path() == ()


@pytest.mark.anyio
async def test_the_path_ends_with_a_step_that_raises() -> None:
    def fail(task: Task) -> Task:
        raise ValueError(task.requirement)

    async def survive(task: Task) -> tuple[str, ...]:
        with pytest.raises(ValueError, match="checks"):
            await Timeout(Sequential(step(fail), step(fail)), seconds=60).run(task)
        return current_path()

    assert await step(survive).run(TASK) == ()


@pytest.mark.anyio
async def test_a_combinator_of_ones_own_adds_its_segment() -> None:
    recorded = Recorded()

    class Twice(Primitive[Task, Task]):
        def __init__(self, inner: Primitive[Task, Task]) -> None:
            self.inner = inner

        async def _run(self, value: Task) -> Task:
            for index in range(2):
                with path_scope(f"Twice[{index}]"):
                    value = await self.inner.run(value)
            return value

    await (Twice(step(recorded)) >> step(recorded)).run(TASK)
    assert recorded.paths == [
        ("Sequential[0]", "Twice[0]"),
        ("Sequential[0]", "Twice[1]"),
        ("Sequential[1]",),
    ]
