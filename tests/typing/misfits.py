"""Compositions whose types do not match. Read by mypy and pyright; never run.

Each line that carries two ignores is wrong, and both checkers must say so: an ignore that
ignores nothing is itself an error. In a constructor that takes several steps of one input, mypy
finds the type that would suit all, which may be `Never`: there it is the use that is wrong.
"""

# What comes of a wrong line is unknown: that says nothing more.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false

from typing import TypeVar

import planish
from planish import (
    BestOf,
    Cache,
    CodeExecution,
    CodeGenerator,
    Escalate,
    Execution,
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
from planish.stores import MemoryStore

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)

Chars = Primitive[str, int]
Digits = Primitive[int, bytes]
Attempt = Primitive[Task, Report]
Judge = Primitive[Execution, Report]


def wire(thing: object) -> None:
    """Use a value."""
    raise TypeError(thing)


async def longest(words: list[str]) -> str:
    return max(words, key=len)


def half(number: int) -> float:
    return number / 2


def two(one: int, other: int) -> int:
    return one + other


def then(chars: Chars, digits: Digits, attempt: Attempt) -> None:
    wire(digits >> chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> digits >> chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> (digits >> chars))  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> longest)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(digits >> half)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> two)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(half >> chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(longest >> digits)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(half >> step(longest))  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> 3)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(3 >> chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> Validator)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(attempt >> attempt)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(attempt >> chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]


def sequential(same: Primitive[int, int], chars: Chars, digits: Digits) -> None:
    wire(Sequential(digits, chars))  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    wire(Sequential(chars, chars))  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    wire(Sequential(chars, same, chars))  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    wire(Sequential(chars, digits, same))  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    wire(Sequential(chars, same, same, chars))  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    wire(Sequential(chars, same, same, same, chars))  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    wire(Sequential(chars, same, same, same, same, chars))  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    wire(Sequential(Sequential(chars, digits), same))  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    wire(Sequential(chars, step(longest)))  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    wire(Sequential(chars, 3))  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    wire(Sequential(chars))  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    wire(Sequential())  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]


async def both(chars: Chars, digits: Digits, same: Primitive[int, int]) -> None:
    wire(chars & digits)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire((digits & same) & chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars & (digits & same))  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire((digits & same) & (chars & chars))  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire((digits & same) >> chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire((digits & same) >> half)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> (digits & chars))  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars & 3)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(await Parallel(chars, digits).run("one"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    wire(await Parallel(digits, digits, chars).run(1))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    wire(step(half) >> Parallel(chars, digits))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue, reportOperatorIssue]
    wire(Parallel(chars, 3))  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    wire(Parallel(digits, same) >> half)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]


async def either(attempt: Attempt, chars: Chars, judge: Judge) -> None:
    wire(chars | chars)  # type: ignore[misc]  # pyright: ignore[reportOperatorIssue]
    wire(attempt | chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(attempt | judge)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire((attempt | attempt) | judge)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(attempt | (judge | judge))  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(attempt | 3)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(Race(chars, chars))  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    wire(Race(attempt, chars))  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    wire(Race(attempt, 3))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Race())  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    wire(await Race(attempt, judge).run(Task("One.")))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(attempt >> Race(attempt, attempt))  # type: ignore[arg-type]  # pyright: ignore[reportOperatorIssue]
    wire(Race(attempt, attempt) >> chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]


def retry(attempt: Attempt, chars: Chars, judge: Judge, silent: Primitive[Task, int]) -> None:
    def of_text(text: str) -> str:
        return text

    wire(Retry(chars, attempts=3))  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    wire(Retry(silent, attempts=3))  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    wire(Retry(judge, attempts=3))  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    wire(Retry(attempt, attempts="3"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Retry(attempt, attempts=3, stop=half))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Retry(attempt, attempts=3, feedback=of_text))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Retry(attempt, attempts=3, feedback="try harder"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Retry(attempt, 3))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    wire(Retry(attempt, retries=3))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    wire(Retry(attempt, attempts=3) >> attempt)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> Retry(attempt, attempts=3))  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]


def best_of(attempt: Attempt, chars: Chars, silent: Primitive[Task, int]) -> None:
    wire(BestOf(silent, n=3))  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    wire(BestOf(chars, n=3))  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    wire(BestOf(attempt, n=3, scorer=half))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(BestOf(attempt, n=3, scorer=str))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(BestOf(attempt, n="3"))  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    wire(BestOf(attempt))  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    wire(BestOf(attempt, n=3) >> attempt)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]


async def one_of(attempt: Attempt, chars: Chars, digits: Digits, judge: Judge) -> None:
    def which(task: Task) -> str:
        return task.language

    wire(await Fallback(chars, digits).run("one"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Fallback(attempt, attempt) >> attempt)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(Fallback(chars, 3))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Fallback())  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    wire(Escalate(chars, chars))  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    wire(Escalate(attempt, 3))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Escalate())  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    wire(await Escalate(attempt, judge).run(Task("One.")))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Escalate(attempt, attempt) >> attempt)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(Route(which, {"one": attempt, "two": chars}))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Route(which, {"one": chars}))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Route(half, {"one": digits}))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Route(which, {1: attempt}))  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    wire(Route(which, [attempt]))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Route(which, {"one": attempt}) >> attempt)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]


async def holders(chars: Chars, digits: Digits) -> None:
    wire(Timeout(3, seconds=1))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Timeout(chars, seconds="1"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Timeout(chars))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    wire(Timeout(chars, seconds=1) >> chars)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(Cache(chars))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    wire(Cache(chars, store={}))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Cache(chars, store=MemoryStore(), key=half))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(digits >> Cache(chars, store=MemoryStore()))  # type: ignore[arg-type]  # pyright: ignore[reportOperatorIssue]
    wire(Map(chars))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    wire(Map(3, concurrency=1))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(await Map(chars, concurrency=1).run([1]))  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    wire(await Map(chars, concurrency=1).run(1))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Map(chars, concurrency=1) >> digits)  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(chars >> Map(digits, concurrency=1))  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(await chars.run(1))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire((await chars.run("one")).upper())  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


def leaves(model: Model, sandbox: Sandbox) -> None:
    wire(CodeGenerator("gpt-5"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(CodeGenerator(sandbox))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(CodeGenerator(model, prompt=half))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(CodeExecution())  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    wire(CodeExecution(model))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(Validator(half))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    wire(CodeGenerator(model) >> Validator())  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(CodeExecution(sandbox) >> CodeGenerator(model))  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
    wire(Retry(CodeGenerator(model) >> CodeExecution(sandbox), attempts=3))  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    wire(CodeGenerator(model) | CodeGenerator(model))  # type: ignore[misc]  # pyright: ignore[reportOperatorIssue]
    wire(step(3))  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    wire(step(two))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]


def misspelt() -> None:
    wire(planish.Retrie)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


class Wrong(Primitive[str, int]):
    """Says one thing and does another."""

    async def _run(self, value: int) -> int:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return value


class WrongToo(Primitive[str, int]):
    """As `Wrong`, at the other end."""

    async def _run(self, value: str) -> str:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return value


class Runs(Primitive[str, int]):
    """`run` is not to be written: it is what traces and budgets stand around."""

    async def run(self, value: str) -> int:  # type: ignore[misc]  # pyright: ignore[reportIncompatibleMethodOverride]
        return len(value)
