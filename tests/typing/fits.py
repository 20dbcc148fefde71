"""What fits, and what type it has. Read by mypy and pyright; never run."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar, assert_type

from planish import (
    BestOf,
    Cache,
    CodeExecution,
    CodeGenerator,
    Escalate,
    Fallback,
    Map,
    Parallel,
    Primitive,
    Race,
    Report,
    Retry,
    Route,
    Sequential,
    Task,
    Timeout,
    Validator,
    step,
)
from planish.abc import Model, Sandbox
from planish.combinators.map import ItemResult
from planish.runtime.primitive import FanOut
from planish.steps.function import Step
from planish.stop import confidence, stagnation
from planish.stores import MemoryStore

In = TypeVar("In")
Out = TypeVar("Out")

Chars = Primitive[str, int]
Digits = Primitive[int, bytes]
Attempt = Primitive[Task, Report]


async def longest(words: list[str]) -> str:
    return max(words, key=len)


def half(number: int) -> float:
    return number / 2


def plan(task: Task) -> Task:
    return task


async def look_up(task: Task) -> Task:
    return task


def explain(report: Report) -> str:
    return str(report.passed)


def by_score(report: Report) -> float:
    return report.score or 0.0


def which(task: Task) -> str:
    return task.language


def then(chars: Chars, digits: Digits, anything: Primitive[Any, Any]) -> None:
    assert_type(chars >> digits, Primitive[str, bytes])
    assert_type(chars >> half, Primitive[str, float])
    assert_type(longest >> chars, Primitive[list[str], int])
    assert_type(longest >> chars >> digits, Primitive[list[str], bytes])
    assert_type(longest >> (chars >> half), Primitive[list[str], float])
    assert_type(chars >> anything, Primitive[str, Any])
    assert_type(anything >> chars, Primitive[Any, int])
    assert_type(Sequential(chars, digits), Sequential[str, bytes])
    assert_type(Sequential(step(longest), chars, digits), Sequential[list[str], bytes])
    assert_type(Sequential(Sequential(step(longest), chars), digits), Sequential[list[str], bytes])


def long(same: Primitive[int, int]) -> None:
    assert_type(Sequential(same, same, same, same), Sequential[int, int])
    assert_type(Sequential(same, same, same, same, same), Sequential[int, int])
    assert_type(Sequential(same, same, same, same, same, same), Sequential[int, int])
    assert_type(same >> same >> same >> same >> same >> same >> same, Primitive[int, int])


def functions() -> None:
    assert_type(step(longest), Step[list[str], str])
    assert_type(step(half), Step[int, float])

    @step
    async def double(number: int) -> int:
        return 2 * number

    assert_type(double, Step[int, int])
    assert_type(double >> half, Primitive[int, float])


def both(chars: Chars, same: Primitive[str, str], third: Primitive[str, bytes]) -> None:
    assert_type(chars & same, FanOut[str, int, str])
    assert_type((chars & same) & third, FanOut[str, int, str, bytes])
    assert_type(chars & (same & third), FanOut[str, int, str, bytes])
    assert_type((chars & same) & (same & third), FanOut[str, int, str, str, bytes])
    assert_type(same >> (chars & same), Primitive[str, tuple[int, str]])
    assert_type(Parallel(chars, same), Parallel[str, int, str])
    assert_type(Parallel(chars, same, third), Parallel[str, int, str, bytes])
    assert_type(Parallel(chars, same, third, chars), Parallel[str, int, str, bytes, int])
    assert_type(Parallel(chars, same, third, chars, same), Parallel[str, int, str, bytes, int, str])
    assert_type(
        Parallel(chars, same, third, chars, same, third),
        Parallel[str, int, str, bytes, int, str, bytes],
    )
    assert_type(Parallel(*[same, same]), Parallel[str, *tuple[str, ...]])
    assert_type(Parallel(chars & same, third), Parallel[str, int, str, bytes])
    assert_type(Parallel(chars, same & third), Parallel[str, int, str, bytes])

    async def add(both: tuple[int, str]) -> str:
        return f"{both}"

    assert_type((chars & same) >> add, Primitive[str, str])


def either(a: Attempt, b: Attempt, wide: Primitive[object, Report]) -> None:
    assert_type(a | b, Attempt)
    assert_type(a | wide, Attempt)
    assert_type((a | b) | a, Attempt)
    assert_type(a | (b | a), Attempt)
    assert_type(Race(a, b), Race[Task, Report])
    assert_type(Race(a, wide), Race[Task, Report])


def holders(a: Attempt, chars: Chars) -> None:
    assert_type(Retry(a, attempts=3), Retry[Task, Report])
    assert_type(Retry(a, stop=stagnation(3) | confidence(0.8)), Retry[Task, Report])
    assert_type(Retry(a, attempts=3, feedback=explain), Retry[Task, Report])
    assert_type(BestOf(a, n=3), BestOf[Task, Report])
    assert_type(BestOf(a, n=3, scorer=by_score), BestOf[Task, Report])
    assert_type(BestOf(chars, n=3, scorer=half), BestOf[str, int])
    assert_type(Fallback(a, a), Fallback[Task, Report])
    assert_type(Fallback(chars, chars), Fallback[str, int])
    assert_type(Escalate(a, a, a), Escalate[Task, Report])
    assert_type(Route(which, {"python": a}), Route[Task, Report])
    assert_type(Timeout(chars, seconds=1.0), Timeout[str, int])
    assert_type(Cache(chars, store=MemoryStore()), Cache[str, int])
    assert_type(Cache(chars, store=MemoryStore(), key=len), Cache[str, int])
    assert_type(Map(chars, concurrency=8), Map[str, int])


async def results(a: Attempt, chars: Chars) -> None:
    assert_type(await a.run(Task("One.")), Report)
    assert_type(await (chars & chars).run("one"), tuple[int, int])
    assert_type(await Map(chars, concurrency=8).run({"one", "two"}), list[ItemResult[str, int]])
    async with Map(chars, concurrency=8).stream(iter("ab")) as finished:
        async for done in finished:
            assert_type(done, ItemResult[str, int])
            assert_type(done.unwrap(), int)


def variants(model: Model, sandbox: Sandbox) -> None:
    run, check = CodeExecution(sandbox), Validator()
    attempt = CodeGenerator(model) >> run >> check
    assert_type(attempt, Attempt)
    assert_type(Retry(plan >> attempt, attempts=5, feedback=explain), Retry[Task, Report])
    loop = Retry(look_up >> attempt, attempts=3)
    assert_type(attempt | (CodeGenerator(model) >> run >> check) | loop, Attempt)
    generator = Escalate(CodeGenerator(model), CodeGenerator(model, temperature=1.0))
    assert_type(generator >> run >> check, Attempt)


def takes_many(many: Primitive[Iterable[In], Out]) -> Out:
    raise TypeError(many)


def closed(a: Attempt) -> None:
    assert_type(Retry(a | a, attempts=2), Retry[Task, Report])
    assert_type(Retry(a, attempts=2) | Retry(a, attempts=3), Attempt)
    assert_type(BestOf(Retry(a, attempts=2), n=8), BestOf[Task, Report])
    nested = Timeout(Fallback(Race(a, Retry(a, attempts=2)), BestOf(a, n=2)), seconds=60.0)
    assert_type(nested, Timeout[Task, Report])
    every = Map(Cache(nested, store=MemoryStore()), concurrency=4)
    assert_type(every, Map[Task, Report])
    assert_type(takes_many(every), list[ItemResult[Task, Report]])
    assert_type(plan >> Escalate(nested, a), Attempt)


class Sql:
    """An outcome and an input that planish has never heard of: the loop serves it too."""

    passed = True
    score: float | None = None
    feedback = "none"

    def with_feedback(self, feedback: str, /) -> "Sql":
        self.feedback = feedback
        return self


def any_outcome(queries: Primitive[Sql, Sql]) -> None:
    assert_type(Retry(queries, attempts=2), Retry[Sql, Sql])
    assert_type(queries | queries, Primitive[Sql, Sql])
    assert_type(BestOf(queries, n=2), BestOf[Sql, Sql])


def stored(function: Callable[[int], Awaitable[str]], digits: Primitive[str, bytes]) -> None:
    assert_type(function >> digits, Primitive[int, bytes])
    assert_type(step(function), Step[int, str])
