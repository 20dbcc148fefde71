"""Deep and wide pipelines: built in linear time, limited in depth, and alike with listeners."""

import copy
import pickle
import time
from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest
from tests.laws.kit import TASK

from planish import (
    BestOf,
    Cache,
    Escalate,
    Fallback,
    Map,
    Parallel,
    Primitive,
    Report,
    Retry,
    Route,
    Task,
    Timeout,
    budget,
    step,
)
from planish.combinators.map import ItemResult
from planish.configuration import DEEPEST, depth_of
from planish.errors import WiringError
from planish.events import Event, RunStarted, listen
from planish.runtime.primitive import walk
from planish.stores import MemoryStore
from planish.testing.telemetry import capture

STORE = MemoryStore()


def leaf(task: Task) -> Report:
    return Report(task=task)


def same(value: Any) -> Any:
    return value


def first(reports: tuple[Report, ...]) -> Report:
    return reports[0]


def alone(task: Task) -> list[Task]:
    return [task]


def unwrap(results: list[ItemResult[Task, Report]]) -> Report:
    return results[0].unwrap()


def only(_: Task) -> str:
    return "only"


def length(text: str) -> int:
    return len(text)


def choose(_: Report) -> float:
    return 1.0


def chain(first: Any, second: Any) -> Any:
    return first >> second


def both(first: Any, second: Any) -> Any:
    return first & second


def either(first: Any, second: Any) -> Any:
    return first | second


LEVELS: dict[str, Callable[[Any], Primitive[Task, Report]]] = {
    "retry": lambda inner: Retry(inner, attempts=1),
    "timeout": lambda inner: Timeout(inner, seconds=60),
    "fallback": lambda inner: Fallback(inner, step(leaf)),
    "escalate": lambda inner: Escalate(inner, step(leaf)),
    "route": lambda inner: Route(only, {"only": inner}),
    "cache": lambda inner: Cache(inner, store=STORE),
    "best of": lambda inner: BestOf(inner, n=1, scorer=choose),
    "race in a sequence": lambda inner: (inner | step(leaf)) >> step(same),
    "parallel in a sequence": lambda inner: Parallel(inner, step(leaf)) >> step(first),
    "map in a sequence": lambda inner: step(alone) >> Map(inner, concurrency=1) >> step(unwrap),
}


def nested(kinds: list[str]) -> Primitive[Task, Report]:
    """A pipeline of as many levels as there may be, made of these kinds in turn."""
    pipeline: Primitive[Task, Report] = step(leaf)
    turn = 0
    while True:
        try:
            pipeline = LEVELS[kinds[turn % len(kinds)]](pipeline)
        except WiringError:
            return pipeline
        turn += 1


KINDS = [*([kind] for kind in LEVELS), list(LEVELS)]


@pytest.mark.anyio
@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
async def test_the_deepest_pipeline_runs_alike_whoever_observes_it(kinds: list[str]) -> None:
    pipeline = nested(kinds)
    assert DEEPEST - 2 <= depth_of(pipeline) <= DEEPEST
    vars(STORE)["_values"].clear()
    plain = await pipeline.run(TASK)
    vars(STORE)["_values"].clear()
    events: list[Event] = []
    with capture():
        async with listen(events.append), budget(seconds=60, model_calls=9):
            observed = await pipeline.run(TASK)
    assert observed.history == plain.history
    assert observed.stop_reason == plain.stop_reason
    (started,) = (event for event in events if isinstance(event, RunStarted))
    assert len(started.pipeline) <= 1000


@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_all_that_one_does_with_a_pipeline_works_with_the_deepest(kinds: list[str]) -> None:
    pipeline = nested(kinds)
    assert "leaf" in repr(pipeline)
    assert pipeline == nested(kinds)
    assert hash(pipeline) == hash(nested(kinds))
    assert len(list(walk(pipeline))) >= DEEPEST - 2
    assert "leaf" in pipeline.to_mermaid()
    assert copy.deepcopy(pipeline).signature == pipeline.signature
    if "cache" not in kinds:  # a store in memory stays where it is
        assert repr(pickle.loads(pickle.dumps(pipeline))) == repr(pipeline)  # noqa: S301


class Wrapped(Primitive[Task, Report]):
    """A combinator of a user's own."""

    def __init__(self, inner: Primitive[Task, Report]) -> None:
        self.inner = inner

    async def _run(self, value: Task) -> Report:
        return await self.inner.run(value)


def test_combinators_of_ones_own_count() -> None:
    pipeline: Primitive[Task, Report] = step(leaf)
    for _ in range(DEEPEST - 1):
        pipeline = Wrapped(pipeline)
    assert depth_of(pipeline) == DEEPEST
    with pytest.raises(WiringError, match="has 64 levels of primitives within primitives"):
        Timeout(pipeline, seconds=1)
    for _ in range(3000):
        pipeline = Wrapped(pipeline)
    with pytest.raises(WiringError, match="has 64 levels"):
        Timeout(pipeline, seconds=1)


def test_chains_are_flat_and_so_not_deep() -> None:
    for join in (chain, both, either):
        one = step(same) if join is chain else step(leaf)
        assert depth_of(reduce(join, [one] * 100)) == 2
    assert depth_of(Timeout(step(same) >> same, seconds=1) >> same) == 4


def shared(levels: int) -> Primitive[Task, Report]:
    """A pipeline whose text doubles with each level, for it holds the same part twice."""
    pipeline: Primitive[Task, Report] = step(leaf)
    for _ in range(levels):
        pipeline = Fallback(pipeline, pipeline)
    return pipeline


@pytest.mark.anyio
async def test_names_are_bounded() -> None:
    events: list[Event] = []
    async with listen(events.append):
        report = await shared(8).run(TASK)
    assert len(report.branches) > 100
    assert 100 < max(len(branch.name) for branch in report.branches) <= 200
    begin = time.process_time()
    with pytest.raises(WiringError) as caught:
        either(shared(60), step(same) >> str >> step(length))
    assert len(str(caught.value)) < 1000
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("join", [chain, both, either])
def test_a_long_chain_is_built_one_step_at_a_time(join: Callable[[Any, Any], Any]) -> None:
    one: Any = step(same) if join is chain else step(leaf)

    def build(count: int) -> float:
        begin = time.process_time()
        built = reduce(join, [one] * count)
        taken = time.process_time() - begin
        assert len(built.children()) == count
        return taken

    build(500)
    few, many = min(build(500) for _ in range(3)), min(build(5_000) for _ in range(2))
    # 10 times the steps; 100 times as long if each step were compared with all before it.
    assert many <= 40 * few, (few, many)
