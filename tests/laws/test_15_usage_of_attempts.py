"""Law 15: what a run has used is the sum of what its attempts have used, and each says its place.

Every leaf plans before it generates and is reviewed after it is judged; so is the whole. All of
that is charged.
"""

from collections.abc import Sequence
from functools import partial, reduce
from operator import add
from typing import TypeVar

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.kit import BACKENDS, CHECKS, LAW, TASK, Player, Tally, both_loops, grade
from tests.laws.nestings import Spec, specs
from tests.laws.test_14_any_ending import uses

from planish import CodeGenerator, Primitive, Report, Task, Validator, step
from planish.data import Usage
from planish.effects import effect

Value = TypeVar("Value")
DISCARDING = ("parallel", "map")
"""Of these, a step takes one report of several, so the attempts of the others are gone."""


async def charged(value: Value, name: str, usd: int) -> Value:
    """Return a value, after a call that has a price."""

    async def call() -> str:
        await anyio.lowlevel.checkpoint()
        return name

    await effect("service", name, name, call, str, reserve=Usage(usd=usd, model_calls=1))
    return value


async def plan(task: Task) -> Task:
    return await charged(task, "planner", 100)


async def review(report: Report) -> Report:
    return await charged(report, "reviewer", 10_000)


def leaf(moves: tuple[int, ...], tally: Tally) -> Primitive[Task, Report]:
    generator = CodeGenerator(Player(moves, tally=tally))
    return plan >> generator >> step(grade) >> Validator() >> review


def run(spec: Spec, backend: str) -> Report:
    tally = Tally()
    pipeline = plan >> spec.assemble(lambda moves: leaf(moves, tally)) >> review
    return anyio.run(pipeline.run, TASK, backend=backend)


def total(usages: Sequence[Usage]) -> Usage:
    return reduce(add, usages, Usage())


@given(specs(raising=False, passing=False).filter(lambda spec: not uses(spec, *DISCARDING)))
@settings(LAW)
def test_the_attempts_together_have_used_what_the_run_has_used(spec: Spec) -> None:
    for backend in BACKENDS:
        report = run(spec, backend)
        assert total([attempt.usage for attempt in report.history]) == report.usage
        assert all(attempt.usage.usd >= 10_100 for attempt in report.history)


@given(specs(raising=True, passing=True))
@settings(LAW)
def test_attempts_never_have_used_more_than_the_run_and_lie_within_their_branches(
    spec: Spec,
) -> None:
    async def check() -> None:
        tally = Tally()
        pipeline = plan >> spec.assemble(lambda moves: leaf(moves, tally)) >> review
        try:
            report = await pipeline.run(TASK)
        except Exception:  # noqa: BLE001 - this law is about those that end with a report
            return
        for attempt in report.history:
            assert attempt.started is not None
            assert attempt.seconds >= 0
        if uses(spec, "cache"):  # a stored report has what was used when it was made
            return
        assert total([attempt.usage for attempt in report.history]).usd <= report.usage.usd
        for branch in report.branches:
            own = [report.history[index - 1] for index in branch.attempts]
            assert all(one.path[: len(branch.path)] == branch.path for one in own)
            assert branch.usage.usd <= report.usage.usd

    both_loops(partial(check))


@given(st.integers(2, 4), st.sampled_from(BACKENDS))
@settings(LAW)
def test_what_cancelled_branches_have_used_is_theirs(count: int, backend: str) -> None:
    never = [Spec("leaf", moves=(0,)) for _ in range(count - 1)]
    report = run(Spec("race", (Spec("leaf", moves=(CHECKS,)), *never)), backend)
    used = total([branch.usage for branch in report.branches])
    assert used.usd + 10_100 == report.usage.usd  # with the plan and the review of the whole
    assert report.unwrap().cause == "race"
