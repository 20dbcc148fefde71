"""A wrong call fails where it is written; the message names what is wrong and what to write."""

import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from tests.laws.kit import TASK, attempt, grade, player

from planish import (
    BestOf,
    Cache,
    Candidate,
    CodeExecution,
    CodeGenerator,
    Map,
    Parallel,
    Retry,
    Route,
    Task,
    Timeout,
    Validator,
    budget,
    step,
)
from planish.errors import MisuseError, TaskError, WiringError
from planish.events import listen
from planish.feedback import restart_on_repeat
from planish.stop import confidence, deadline, max_attempts, max_usage, stagnation, when
from planish.stores import MemoryStore
from planish.testing import ScriptedModel, ScriptedSandbox

# Without types: type checkers would refuse the wrong calls.
retry: Any = Retry
best_of: Any = BestOf
route: Any = Route
cache: Any = Cache
generator: Any = CodeGenerator
execution: Any = CodeExecution
limits: Any = budget
rule: Any = max_attempts(3)
named: Any = when
SANDBOX = ScriptedSandbox(())
TRY = attempt([1])
NO_COUNTS = [2.5, 0, -1, True, "3", math.nan, math.inf]
NO_TIMES = [0, -1.0, True, "3", math.nan]


def whole(one: Any) -> Any:
    return one


def requirement(task: Task) -> str:
    return task.requirement


def both(a: Any, b: Any) -> Any:
    return a, b


def wrong(value: Any) -> Any:
    """Return a value without its type."""
    return value


async def later(_: Any) -> None:
    pass


def lambda_of_none() -> Any:
    def none() -> int:
        return 1

    return none


COUNTS: dict[str, Callable[[Any], Any]] = {
    "Retry(attempts=": lambda wrong: Retry(TRY, attempts=wrong),
    "BestOf(n=": lambda wrong: BestOf(TRY, n=wrong),
    "BestOf(concurrency=": lambda wrong: BestOf(TRY, n=2, concurrency=wrong),
    "Map(concurrency=": lambda wrong: Map(TRY, concurrency=wrong),
    "MemoryStore(entries=": MemoryStore,
    "max_attempts(attempts=": max_attempts,
    "stagnation(rounds=": stagnation,
}


@pytest.mark.parametrize("wrong", NO_COUNTS)
@pytest.mark.parametrize("place", COUNTS)
def test_a_number_of_things_is_whole_and_at_least_one(place: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"must be at least [12], a whole number") as caught:
        COUNTS[place](wrong)
    assert str(caught.value).startswith(f"{place}{wrong!r})")


@pytest.mark.parametrize("wrong", NO_TIMES)
def test_a_timeout_is_a_number_of_more_than_nothing(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"Timeout\(seconds=.*\): must be more than 0, a number"):
        Timeout(TRY, seconds=wrong)


LIMITS: dict[str, Callable[[Any], Any]] = {
    "deadline(seconds=": deadline,
    "max_usage(tokens=": lambda wrong: max_usage(tokens=wrong),
    "budget(tokens=": lambda wrong: budget(tokens=wrong),
    "budget(usd=": lambda wrong: budget(usd=wrong),
    "budget(seconds=": lambda wrong: budget(tokens=5, seconds=wrong),
    "budget(model_calls=": lambda wrong: budget(model_calls=wrong),
    "budget(sandbox_seconds=": lambda wrong: budget(sandbox_seconds=wrong),
}


@pytest.mark.parametrize("wrong", [-1, True, "3", math.nan])
@pytest.mark.parametrize("place", LIMITS)
def test_a_limit_is_a_number_of_at_least_nothing(place: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match="must be at least 0, a ") as caught:
        LIMITS[place](wrong)
    assert str(caught.value).startswith(f"{place}{wrong!r})")


def test_tokens_and_calls_are_whole_or_unlimited() -> None:
    for name in ("tokens", "model_calls"):
        with pytest.raises(ValueError, match="a whole number"):
            limits(**{name: 2.5})
        with pytest.raises(ValueError, match="a whole number"):
            max_usage(**wrong({name: 2.5}))
        assert repr(limits(**{name: math.inf})) == f"budget({name}=inf)"


@pytest.mark.parametrize("wrong", [0, 1.5, True, "0.5", math.nan])
def test_a_confidence_is_a_fraction(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"confidence\("):
        confidence(wrong)


@pytest.mark.parametrize("name", ["success", "budget", "test_error", "error", "all_failed"])
def test_a_rule_of_ones_own_takes_no_reason_with_a_meaning(name: str) -> None:
    with pytest.raises(ValueError, match=f"when\\('{name}', ...\\): choose another name"):
        when(name, lambda _: True)


@pytest.mark.parametrize("name", ["", " ", None, 3])
def test_a_rule_of_ones_own_has_a_name(name: Any) -> None:
    with pytest.raises(ValueError, match=r"when\("):
        when(name, lambda _: True)


MISTAKES: list[tuple[str, Callable[[], Any]]] = [
    ("when('a reason', function)", lambda: retry(TRY, stop=whole)),
    ("stagnation is a class; write stagnation()", lambda: retry(TRY, stop=stagnation)),
    ("3 is not a stop rule", lambda: retry(TRY, stop=3)),
    ("max_attempts(3) | ...", lambda: rule | whole),
    ("max_attempts(3) & ...", lambda: rule & whole),
    ("the condition must be a function", lambda: named("late", 3)),
    (
        "Retry(feedback='better'): must be a function",
        lambda: retry(TRY, attempts=2, feedback="better"),
    ),
    ("BestOf(scorer=1): must be a function", lambda: best_of(TRY, n=2, scorer=1)),
    ("Route(choose='a'): must be a function", lambda: route("a", {"a": TRY})),
    ("must be a dict of steps by name", lambda: route(whole, [TRY])),
    ("ScriptedModel): this is the class; pass an object of it", lambda: generator(ScriptedModel)),
    ("such as planish_integrations.models.model('gpt-5')", lambda: generator("gpt-5")),
    (
        "CodeGenerator(prompt='Do it.'): must be a function",
        lambda: generator(ScriptedModel(()), prompt="Do it."),
    ),
    ("ScriptedSandbox(...)", lambda: execution(ScriptedSandbox)),
    ("CodeExecution('local'): this is a text", lambda: execution("local")),
    ("must be a ResourceLimits(...)", lambda: execution(ScriptedSandbox(()), limits=30)),
    (
        "restart_on_repeat is a class; write restart_on_repeat(...)",
        lambda: retry(TRY, attempts=2, feedback=restart_on_repeat),
    ),
    ("pass the steps one by one", lambda: Parallel(wrong([TRY, TRY]))),
    ("; for a class, write step(str)", lambda: TRY >> wrong(str)),
    ("in front of CodeExecution(", lambda: wrong(CodeGenerator) >> CodeExecution(SANDBOX)),
    ("planish_integrations.callables.as_model makes one", lambda: generator(whole)),
    ("listen('print'): a listener is a plain function", lambda: listen(wrong("print"))),
    (": a listener is a plain function of an event", lambda: listen(wrong(later))),
    ("write CodeExecution(sandbox)", lambda: player([1]) >> wrong(ScriptedSandbox(()))),
    ("write CodeGenerator(model)", lambda: wrong(ScriptedModel(())) >> CodeExecution(SANDBOX)),
    ("both(a: Any, b: Any) -> Any: a step calls its function", lambda: step(wrong(both))),
    ("none() -> int: a step calls its function with one", lambda: TRY >> wrong(lambda_of_none())),
]


@pytest.mark.parametrize(("says", "make"), MISTAKES, ids=[says for says, _ in MISTAKES])
def test_a_wrong_part_is_refused_at_construction(says: str, make: Callable[[], Any]) -> None:
    with pytest.raises(WiringError) as caught:
        make()
    assert says in str(caught.value)


def nothing(_: Any) -> Any:
    return None


@pytest.mark.anyio
@pytest.mark.parametrize(
    "pipeline",
    [
        player([1]),
        TRY,
        Retry(TRY, attempts=2),
        Timeout(Retry(TRY, attempts=2), seconds=9),
        TRY | TRY,
    ],
)
async def test_a_text_as_the_input_is_told_how_to_become_a_task(pipeline: Any) -> None:
    with pytest.raises(WiringError) as caught:
        await pipeline.run("Add two numbers.")
    assert "takes a Task, but it was given a str: make a Task of the text: Task('...'" in str(
        caught.value
    )


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("pipeline", "says"),
    [
        (
            step(nothing) >> player([1]),
            "takes a Task, but nothing returned None: does it lack a `return`?",
        ),
        (
            player([1]) >> nothing >> CodeExecution(ScriptedSandbox(())),
            "takes a Candidate, but nothing returned None",
        ),
        (
            player([1]) >> step(grade) >> nothing >> Validator(),
            "Validator() takes an Execution, but nothing returned None",
        ),
        (nothing >> Retry(TRY, attempts=2), "takes a Task, but nothing returned None"),
        (
            step(nothing) >> requirement >> step(whole),
            "requirement takes a Task, but nothing returned None: does it lack a `return`?",
        ),
    ],
)
@pytest.mark.parametrize("observed", [True, False])
async def test_a_step_that_returns_nothing_is_named_with_the_one_after_it(
    pipeline: Any, says: str, *, observed: bool
) -> None:
    async with listen(nothing) if observed else nullcontext():
        with pytest.raises(WiringError) as caught:
            await pipeline.run(TASK)
    assert says in str(caught.value)


@pytest.mark.anyio
async def test_none_is_passed_on_where_it_is_accepted() -> None:
    def is_none(value: Task | None) -> bool:
        return value is None

    assert await (step(nothing) >> whole >> is_none).run(TASK)
    assert await (step(is_none) >> whole).run(None)


@pytest.mark.anyio
async def test_a_budget_is_not_entered_twice_at_the_same_time() -> None:
    block = budget(model_calls=9)
    async with block as spent:
        with pytest.raises(MisuseError, match=r"budget\(model_calls=9\) is entered already"):
            async with block:
                pass
        await TRY.run(TASK)
        assert spent.spent.model_calls == 1
    async with block as again:
        assert again is spent


@pytest.mark.anyio
async def test_inputs_that_cannot_be_keys_are_refused_with_the_remedy() -> None:
    class Opaque:
        """A value without a JSON form."""

    async def length(value: Any) -> int:
        return len(value)

    with pytest.raises(WiringError, match=r"the input is a list.*pass key=\.\.\."):
        await Cache(step(length), store=MemoryStore()).run([Opaque()])


def test_a_store_has_the_methods_of_a_store() -> None:
    wrongs: list[Any] = [{}, MemoryStore, None, "redis://"]
    for wrong in wrongs:
        with pytest.raises(WiringError, match=r"Cache\(store=.*MemoryStore\(\)"):
            cache(TRY, store=wrong)
    with pytest.raises(WiringError, match=r"Cache\(key='id'\): must be a function"):
        cache(TRY, store=MemoryStore(), key="id")


@pytest.mark.parametrize("code", [None, b"x = 1"])
def test_code_that_is_no_text_is_refused_where_it_is_written(code: Any) -> None:
    with pytest.raises(TaskError, match=r"Candidate\(code=.*\): must be a text"):
        Candidate(task=TASK, code=code)
    with pytest.raises(TaskError, match=r"Candidate\(files\['a.py'\]=.*\): must be a text"):
        Candidate(task=TASK, code="", files={"a.py": code})
