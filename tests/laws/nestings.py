"""Random nestings of all combinators, and what each of them should come to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

from hypothesis import strategies as st
from tests.laws.kit import CHECKS, RAISES, Tally, attempt

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
    step,
)
from planish.combinators.map import ItemResult
from planish.stores import MemoryStore

__all__ = ["Spec", "expected", "specs"]

Pipeline = Primitive[Task, Report]


@dataclass(frozen=True)
class Spec:
    """One nesting: a combinator over others, or a leaf that makes one attempt.

    Attributes:
        kind: "leaf", or which combinator.
        inner: What it holds.
        moves: Of a leaf: see `Player`.
        count: Of a loop its attempts, of a best-of its candidates.
    """

    kind: str
    inner: tuple["Spec", ...] = ()
    moves: tuple[int, ...] = ()
    count: int = 1

    def build(self, tally: Tally, seconds: float = 0.0) -> Pipeline:
        """A new pipeline of this shape."""
        return self.assemble(lambda moves: attempt(moves, tally=tally, seconds=seconds))

    def assemble(self, leaf: Callable[[tuple[int, ...]], Pipeline]) -> Pipeline:
        """A new pipeline of this shape, with leaves that a function makes of their moves."""
        if self.kind == "leaf":
            return leaf(self.moves)
        parts = [spec.assemble(leaf) for spec in self.inner]
        return _BUILDERS[self.kind](parts, self.count)

    def kinds(self) -> set[str]:
        """The kinds of this nesting and of all in it."""
        return {self.kind}.union(*(spec.kinds() for spec in self.inner))


async def plan(task: Task) -> Task:
    return replace(task, context=(*task.context, "a plan"))


async def look(report: Report) -> Report:
    return report


def better(reports: Sequence[Report]) -> Report:
    return max(reports, key=lambda report: (report.passed, report.score or -1.0))


async def pick(reports: tuple[Report, ...]) -> Report:
    return better(reports)


async def twice(task: Task) -> list[Task]:
    return [task.for_candidate(index, 2) for index in range(2)]


async def pick_done(results: list[ItemResult[Task, Report]]) -> Report:
    given = [done.unwrap() for done in results if done.ok]
    return better(given) if given else results[0].unwrap()


def last(task: Task, count: int) -> str:
    return str(count)


def _parallel(parts: Sequence[Pipeline]) -> Pipeline:
    both: Primitive[Task, tuple[Report, ...]] = Parallel(*parts)
    return both >> step(pick)


def _map(step_: Pipeline) -> Pipeline:
    return step(twice) >> Map(step_, concurrency=2) >> step(pick_done)


def _route(parts: Sequence[Pipeline]) -> Pipeline:
    routes = {str(index): one for index, one in enumerate(parts)}
    return Route(partial(last, count=len(parts) - 1), routes)


_BUILDERS: dict[str, Callable[[Sequence[Pipeline], int], Pipeline]] = {
    "retry": lambda parts, count: Retry(parts[0], attempts=count),
    "race": lambda parts, _: reduce(lambda one, other: one | other, parts),
    "best_of": lambda parts, count: BestOf(parts[0], n=count),
    "fallback": lambda parts, _: Fallback(*parts),
    "escalate": lambda parts, _: Escalate(*parts),
    "timeout": lambda parts, _: Timeout(parts[0], seconds=60),
    "cache": lambda parts, _: Cache(parts[0], store=MemoryStore()),
    "plan": lambda parts, _: plan >> parts[0],
    "look": lambda parts, _: parts[0] >> look,
    "parallel": lambda parts, _: _parallel(parts),
    "map": lambda parts, _: _map(parts[0]),
    "route": lambda parts, _: _route(parts),
}
_ONE = ("timeout", "cache", "plan", "look", "map")
_COUNTED = ("retry", "best_of")
_SOME = ("race", "fallback", "escalate", "route")


def _grow(inner: st.SearchStrategy[Spec], *, parallel: bool) -> st.SearchStrategy[Spec]:
    one = st.tuples(inner)
    several = (*_SOME, "parallel") if parallel else _SOME
    some = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return (
        st.builds(Spec, st.sampled_from(_ONE), one)
        | st.builds(Spec, st.sampled_from(_COUNTED), one, count=st.integers(1, 3))
        | st.builds(Spec, st.sampled_from(several), some)
    )


def specs(
    *,
    raising: bool = True,
    passing: bool = True,
    leaves: int = 5,
    parallel: bool | None = None,
) -> st.SearchStrategy[Spec]:
    """Random nestings.

    Args:
        parallel: `Parallel` is among them; None for where no answer is an error: what is left of
            a fan-out in which one branch raises depends on the moment, so `expected` is wrong.
        raising: Some answers are errors of the model.
        passing: Some answers pass all checks.
        leaves: About how many leaves there are at most.
    """
    moves = st.lists(
        st.integers(RAISES if raising else 0, CHECKS if passing else CHECKS - 1),
        min_size=1,
        max_size=4,
    )
    leaf = st.builds(Spec, st.just("leaf"), moves=moves.map(tuple))
    return st.recursive(
        leaf,
        partial(_grow, parallel=not raising if parallel is None else parallel),
        max_leaves=leaves,
    )


@dataclass(frozen=True)
class Expected:
    """What a nesting comes to.

    Attributes:
        given: It gives a report; else it raises.
        score: Of the best attempt, in checks passed; None where nothing was judged.
        attempt: The highest attempt number that was judged; 0 for none.
    """

    given: bool
    score: int | None
    attempt: int

    @property
    def passed(self) -> bool:
        """All checks pass."""
        return self.given and self.score == CHECKS


def expected(spec: Spec, attempt_: int = 1, candidate: int = 0) -> Expected:
    """What a nesting comes to, computed without planish."""
    match spec.kind:
        case "leaf":
            move = spec.moves[(attempt_ - 1 + candidate) % len(spec.moves)]
            if move == RAISES:
                return Expected(given=False, score=None, attempt=0)
            return Expected(given=True, score=move, attempt=attempt_)
        case "retry":
            return _expect_loop(spec, attempt_, candidate)
        case "escalate":
            chosen = spec.inner[min(attempt_, len(spec.inner)) - 1]
            return expected(chosen, attempt_, candidate)
        case "route":
            return expected(spec.inner[-1], attempt_, candidate)
        case "fallback":
            return _expect_fallback(spec, attempt_, candidate)
        case "best_of":
            numbers = [candidate * spec.count + index for index in range(spec.count)]
            ends = [expected(spec.inner[0], attempt_, n) for n in numbers]
            return _expect_best(ends)
        case "map":
            ends = [
                expected(spec.inner[0], attempt_, n) for n in (2 * candidate, 2 * candidate + 1)
            ]
            return _expect_all(ends)
        case "parallel" | "race":
            ends = [expected(inner, attempt_, candidate) for inner in spec.inner]
            return _expect_all(ends) if spec.kind == "parallel" else _expect_best(ends)
        case _:
            return expected(spec.inner[0], attempt_, candidate)


def _expect_loop(spec: Spec, attempt_: int, candidate: int) -> Expected:
    score: int | None = None
    highest = 0
    for _ in range(spec.count):
        end = expected(spec.inner[0], attempt_, candidate)
        score, highest = _higher(score, end.score), max(highest, end.attempt)
        if not end.given or end.passed:
            return Expected(end.given, score, highest)
        attempt_ = end.attempt + 1
    return Expected(given=True, score=score, attempt=highest)


def _expect_fallback(spec: Spec, attempt_: int, candidate: int) -> Expected:
    ends: list[Expected] = []
    for inner in spec.inner:
        ends.append(expected(inner, attempt_, candidate))
        if ends[-1].passed:
            break
    return _expect_best(ends)


def _expect_best(ends: Sequence[Expected]) -> Expected:
    """All are in one report, with what those that raised had reached."""
    return Expected(
        given=any(end.given for end in ends),
        score=reduce(_higher, (end.score for end in ends)),
        attempt=max(end.attempt for end in ends),
    )


def _expect_all(ends: Sequence[Expected]) -> Expected:
    """One report is picked, and the others are gone."""
    given = [end for end in ends if end.given]
    if not given:
        return _expect_best(ends)
    return max(given, key=lambda end: (end.score is not None, end.score))


def _higher(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)
