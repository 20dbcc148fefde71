"""Loops whose rounds never wait end between two rounds: at a timeout, a limit, a cancellation."""

import itertools
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import anyio
import pytest
from tests.laws.kit import TASK

from planish import (
    BestOf,
    Cache,
    Fallback,
    Map,
    Primitive,
    Report,
    Retry,
    Task,
    Timeout,
    budget,
    step,
)
from planish.errors import DeadlineError, LimitError
from planish.stores import MemoryStore

ENDLESS = 10**9
Round = Callable[[Task], Report]


def repeat(_: Task) -> "itertools.repeat[Task]":
    return itertools.repeat(TASK)


def fail(task: Task) -> Report:
    return Report(task=task)


def same_report(report: Report) -> Report:
    return report


LOOPS: dict[str, Callable[[Round], Primitive[Task, Any]]] = {
    "retry": lambda one: Retry(step(one), attempts=ENDLESS),
    "retry of cache hits": lambda one: Retry(
        step(one) >> Cache(step(same_report), store=MemoryStore(), key=str),
        attempts=ENDLESS,
    ),
    "best of": lambda one: BestOf(step(one), n=10_000, concurrency=1),
    "fallback": lambda one: Fallback(*[step(one)] * 10_000),
    "map": lambda one: step(repeat) >> Map(step(one), concurrency=2),
}


def counted(rounds: list[int], at: Callable[[int], object] = lambda _: None) -> Round:
    def one(task: Task) -> Report:
        rounds.append(1)
        at(len(rounds))
        return fail(task)

    return one


def at_the_third(scope: anyio.CancelScope) -> Callable[[int], object]:
    def cancel(number: int) -> None:
        if number == 3:
            scope.cancel()

    return cancel


@pytest.mark.anyio
@pytest.mark.parametrize("loop", LOOPS)
async def test_a_timeout_ends_it(loop: str) -> None:
    rounds: list[int] = []
    with anyio.fail_after(20):
        with pytest.raises(DeadlineError) if loop == "map" else nullcontext():
            report = await Timeout(LOOPS[loop](counted(rounds)), seconds=0.05).run(TASK)
            assert report.stop_reason == "timeout"
    assert len(rounds) < 10_000


@pytest.mark.anyio
@pytest.mark.parametrize("loop", LOOPS)
async def test_a_limit_of_seconds_ends_it(loop: str) -> None:
    rounds: list[int] = []
    async with budget(seconds=0.05) as spent:
        with suppress(LimitError):
            await LOOPS[loop](counted(rounds)).run(TASK)
    assert spent.refused
    assert len(rounds) < 10_000


@pytest.mark.anyio
@pytest.mark.parametrize("loop", ["retry", "retry of cache hits", "best of", "fallback"])
async def test_a_cancellation_ends_it_after_the_round(loop: str) -> None:
    rounds: list[int] = []
    with anyio.CancelScope() as scope:
        await LOOPS[loop](counted(rounds, at_the_third(scope))).run(TASK)
    assert scope.cancelled_caught
    assert len(rounds) == 3


@pytest.mark.anyio
async def test_a_cancellation_ends_a_map_within_milliseconds() -> None:
    rounds: list[int] = []
    with anyio.CancelScope() as scope:
        await LOOPS["map"](counted(rounds, at_the_third(scope))).run(TASK)
    assert scope.cancelled_caught
