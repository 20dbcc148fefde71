"""Primitives of each class, with the text that each prints as."""

from collections.abc import Callable
from typing import Any

from planish.abc import Model
from planish.combinators.best_of import BestOf
from planish.combinators.cache import Cache
from planish.combinators.escalate import Escalate
from planish.combinators.fallback import Fallback
from planish.combinators.map import Map
from planish.combinators.race import Race
from planish.combinators.retry import Retry
from planish.combinators.route import Route
from planish.combinators.sequential import Sequential
from planish.combinators.timeout import Timeout
from planish.data.execution import Execution
from planish.data.program import ResourceLimits
from planish.data.report import Report
from planish.data.task import Task
from planish.runtime.primitive import Primitive
from planish.steps.execution import CodeExecution
from planish.steps.function import step
from planish.steps.generator import CodeGenerator
from planish.steps.validator import Validator
from planish.stores import MemoryStore
from planish.testing.scripted import ScriptedModel, ScriptedSandbox

__all__ = [
    "PRINTED",
    "Bare",
    "Chunk",
    "Strict",
    "Twice",
    "a",
    "b",
    "c",
    "choose",
    "model",
    "names",
    "plan",
    "solve",
    "words",
]


def solve(task: Task) -> Report:
    raise AssertionError(task)


def plan(task: Task) -> Task:
    return task


def judge(execution: Execution) -> bool:
    return bool(execution)


def words(report: Report) -> str:
    return str(report.score)


def choose(value: object) -> str:
    return str(value)


class Chunk(Primitive[str, str]):
    """As a user writes a step: a plain constructor, and nothing else."""

    def __init__(self, size: int, *labels: str, overlap: int = 0, **options: Any) -> None:
        self.length = size
        self.texts = (labels, overlap, options)

    async def _run(self, value: str) -> str:
        return value


class Twice(Primitive[Any, Any]):
    """As a user writes a combinator."""

    def __init__(self, inner: Primitive[Any, Any], times: int = 2) -> None:
        self._wrapped = inner
        self._times = times

    async def _run(self, value: Any) -> Any:
        return value


class Strict(Sequential[Any, Any]):
    """A pipeline with a constructor of its own."""

    def __init__(self, model: Model) -> None:
        super().__init__(*(step(plan), CodeGenerator(model)))


class Bare(Primitive[int, int]):
    async def _run(self, value: int) -> int:
        return value


a, b, c = step(solve), step(plan), step(choose)
model, sandbox, store = ScriptedModel([]), ScriptedSandbox([]), MemoryStore()
names: dict[str, Any] = {
    **globals(),
    "model": model,
    "ScriptedModel": lambda _: model,  # pyright: ignore[reportUnknownLambdaType]
    "ScriptedSandbox": lambda _: sandbox,  # pyright: ignore[reportUnknownLambdaType]
    "MemoryStore": lambda **_: store,  # pyright: ignore[reportUnknownLambdaType]
}

# How to construct it, and how that prints.
PRINTED: dict[str, Callable[[], Primitive[Any, Any]]] = {
    "CodeGenerator(ScriptedModel('scripted'))": lambda: CodeGenerator(model),
    "CodeGenerator(ScriptedModel('scripted'), temperature=0.2, max_tokens=None, seed=3)": lambda: (
        CodeGenerator(model, temperature=0.2, max_tokens=None, seed=3)
    ),
    "CodeExecution(ScriptedSandbox('scripted'), limits=ResourceLimits(seconds=3))": lambda: (
        CodeExecution(sandbox, limits=ResourceLimits(seconds=3))
    ),
    "Validator()": Validator,
    "Validator(judge, require='isolated')": lambda: Validator(judge, require="isolated"),
    "solve": lambda: a,
    "plan >> solve": lambda: b >> a,
    "solve & plan & choose": lambda: step(solve) & (step(plan) & c),
    "solve | solve | solve": lambda: a | (a | a),
    "Race(solve)": lambda: Race(a),
    "(solve & plan) >> choose": lambda: (step(solve) & step(plan)) >> c,
    "plan >> (solve | solve)": lambda: b >> (a | a),
    "plan >> solve & choose": lambda: (step(plan) >> solve) & c,
    "Retry(solve, attempts=3)": lambda: Retry(a, attempts=3),
    "Retry(plan >> solve, attempts=3, feedback=words)": lambda: Retry(
        b >> a, attempts=3, feedback=words
    ),
    "BestOf(solve, n=3, concurrency=2)": lambda: BestOf(a, n=3, concurrency=2),
    "Fallback(solve, plan >> solve)": lambda: Fallback(a, b >> a),
    "Escalate(solve, solve)": lambda: Escalate(a, a),
    "Route(choose, {'one': solve, 'other': plan >> solve})": lambda: Route(
        choose, {"one": a, "other": b >> a}
    ),
    "Timeout(solve, seconds=2.5)": lambda: Timeout(a, seconds=2.5),
    "Cache(solve, store=MemoryStore(entries=1024), key=choose)": lambda: Cache(
        a, store=store, key=choose
    ),
    "Map(solve, concurrency=4)": lambda: Map(a, concurrency=4),
    "Chunk(3, overlap=0)": lambda: Chunk(3, overlap=0),
    "Chunk(size=3, overlap=1, tag='x')": lambda: Chunk(size=3, overlap=1, tag="x"),
    "Chunk(3, 'a', 'b')": lambda: Chunk(3, "a", "b"),
    "Twice(plan >> solve, 2)": lambda: Twice(b >> a, 2),
    "Twice(solve, times=3)": lambda: Twice(a, times=3),
    "Twice(solve, 3)": lambda: Twice(a, 3),
    "Bare()": Bare,
    "Strict(ScriptedModel('scripted'))": lambda: Strict(model),
}
