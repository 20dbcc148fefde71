"""Law 7: a chain whose types do not match fails at construction, wherever, with both names.

What type checkers find is in `tests/typing`; this is for users who run none.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import LAW, TASK, Tally, attempt

from planish import (
    BestOf,
    Cache,
    Candidate,
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
from planish.errors import MisuseError, WiringError
from planish.judges import all_of
from planish.stores import MemoryStore
from planish.testing.scripted import ScriptedModel, ScriptedSandbox


def text_of(value: int) -> str:
    return str(value)


async def length(value: str) -> int:
    return len(value)


def halve(value: float) -> float:
    return value / 2


def solve(task: Task) -> Report:
    raise AssertionError(task)


def summarise(text: str) -> Report:
    raise AssertionError(text)


class Shout(Primitive[str, str]):
    async def _run(self, value: str) -> str:
        return value.upper()


def untold(value: Any) -> Any:
    return value


def choose(value: object) -> str:
    return "one"


def known(function: Any) -> Any:
    """A step that only knows its types at run time, as for users who run no type checker."""
    return step(function)


a, b, c, d, e = map(known, (text_of, length, halve, solve, summarise))
shout: Any = Shout()
generate: Any = CodeGenerator(ScriptedModel([]))
validate: Any = Validator()
wrong: Any = "text"
store = MemoryStore()

# What is built, and the two names that the message must say.
CHAINS: dict[str, tuple[Callable[[], Any], str, str]] = {
    ">>": (lambda: a >> c, "text_of", "halve"),
    ">> function": (lambda: a >> halve, "text_of", "halve"),
    "function >>": (lambda: text_of >> c, "text_of", "halve"),
    ">> later": (lambda: (b >> a) >> c, "text_of", "halve"),
    ">> earlier": (lambda: b >> (a >> c), "text_of", "halve"),
    ">> class": (lambda: c >> shout, "halve", "Shout"),
    ">> fan-out": (lambda: (a & c) >> b, "text_of & halve", "length"),
    ">> race": (lambda: a >> (d | d), "text_of", "solve | solve"),
    "built in": (lambda: generate >> validate, "CodeGenerator", "Validator()"),
    "Sequential": (lambda: Sequential(a, c), "text_of", "halve"),
    "Sequential, three": (lambda: Sequential(b, a, c), "text_of", "halve"),
    "&": (lambda: a & shout, "text_of", "Shout"),
    "Parallel": (lambda: Parallel(a, shout), "text_of", "Shout"),
    "|": (lambda: d | e, "solve", "summarise"),
    "Race": (lambda: Race(d, e), "solve", "summarise"),
    "| outcome": (lambda: a | a, "Race", "text_of"),
    "Race outcome": (lambda: Race(a, a), "Race", "text_of"),
    "Retry outcome": (lambda: Retry(a, attempts=2), "Retry", "text_of"),
    "Retry input": (lambda: Retry(e, attempts=2), "Retry", "summarise"),
    "Retry of a function": (lambda: Retry(known(text_of), attempts=2), "Retry", "text_of"),
    "Retry of a chain": (lambda: Retry(generate, attempts=2), "Retry", "CodeGenerator"),
    "BestOf outcome": (lambda: BestOf(a, n=2), "BestOf", "text_of"),
    "Fallback": (lambda: Fallback(d, e), "solve", "summarise"),
    "Escalate": (lambda: Escalate(d, e), "solve", "summarise"),
    "Route": (lambda: Route(choose, {"one": d, "two": e}), "solve", "summarise"),
    "through Timeout": (lambda: Timeout(a, seconds=1) >> c, "Timeout", "halve"),
    "through Cache": (lambda: Cache(a, store=store) >> c, "Cache", "halve"),
    "through Escalate": (lambda: Escalate(a, a) >> c, "Escalate", "halve"),
    "through Fallback": (lambda: Fallback(a, a) >> c, "Fallback", "halve"),
    "through Route": (lambda: Route(choose, {"one": a}) >> c, "Route", "halve"),
    "through Retry": (lambda: Retry(d, attempts=2) >> shout, "Retry", "Shout"),
    "Map gives": (lambda: Map(b, concurrency=1) >> shout, "Map", "Shout"),
    "Map takes": (lambda: a >> c >> Map(b, concurrency=1), "text_of", "halve"),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_a_wrong_chain_fails_where_it_is_built_and_names_both(chain: str) -> None:
    build, first, second = CHAINS[chain]
    with pytest.raises(WiringError) as caught:
        build()
    for name in (first, second):  # as a word of its own
        assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", str(caught.value))
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, MisuseError)


HOLDERS: dict[str, Any] = {
    "Escalate": Escalate,
    "Fallback": Fallback,
    "Parallel": Parallel,
    "Race": Race,
}


@pytest.mark.parametrize("name", HOLDERS)
def test_what_holds_steps_says_its_name(name: str) -> None:
    with pytest.raises(WiringError) as caught:
        HOLDERS[name](d, e)
    assert str(caught.value).startswith(f"{name} runs its steps on the same input, but ")


MISUSES: dict[str, tuple[Callable[[], Any], str]] = {
    "no step": (lambda: a >> 3, "3: a step is a primitive or a function"),
    "a class": (lambda: a >> Validator, "did you mean Validator(...)?"),
    "no branch": (lambda: a & wrong, "'text': a step is a primitive"),
    "nothing": (cast("Any", Sequential), "Sequential() has no steps"),
    "no branches": (cast("Any", Parallel), "Parallel() has no steps: pass at least one"),
    "no end": (lambda: Retry(d), "set when to stop"),
    "no routes": (lambda: Route(choose, cast("dict[str, Any]", {})), "Route() has no routes"),
    "no model": (lambda: CodeGenerator(wrong), "a model is an object with `name`"),
    "no sandbox": (lambda: CodeExecution(wrong), "a sandbox is an object with `name`"),
    "no judge": (lambda: Validator(wrong), "a judge is a function"),
    "a judge of tasks": (lambda: Validator(cast("Any", solve)), "a judge is a function"),
    "no judges": (lambda: all_of(wrong), "a judge is a function"),
    "no function": (lambda: known(3), "must be a function"),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_what_is_no_step_is_refused_with_the_way_out(misuse: str) -> None:
    build, says = MISUSES[misuse]
    with pytest.raises(WiringError) as caught:
        build()
    assert says in str(caught.value)


@pytest.mark.anyio
@pytest.mark.parametrize("value", ["text", 3, None])
async def test_what_cannot_be_asked_again_is_refused_before_anything_is_spent(value: Any) -> None:
    tally = Tally()
    loop: Any = Retry(untold >> attempt([1, 4], tally=tally), attempts=3)
    with pytest.raises(WiringError, match="takes no feedback"):
        await loop.run(value)
    assert tally.requests == []


# Chains of three types: whether one fits is known by comparing neighbours.
KINDS: dict[str, tuple[type, type]] = {
    f"{source.__name__}_to_{target.__name__}": (source, target)
    for source in (int, str, bytes)
    for target in (int, str, bytes)
}


def of_kind(name: str) -> Primitive[Any, Any]:
    source, target = KINDS[name]

    def convert(value: Any) -> Any:
        return value

    convert.__name__ = name
    convert.__annotations__ = {"value": source, "return": target}
    return step(convert)


@LAW
@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=2, max_size=5), st.booleans())
def test_a_chain_can_be_built_exactly_if_all_neighbours_fit(
    names: list[str],
    right: bool,  # noqa: FBT001
) -> None:
    fits = all(KINDS[x][1] is KINDS[y][0] for x, y in pairwise(names))
    steps = [of_kind(name) for name in names]

    def build() -> Any:
        if not right:
            return Sequential(*steps)
        chain: Any = steps[-1]
        for one in reversed(steps[:-1]):
            chain = one >> chain
        return chain

    if fits:
        assert build().signature == (KINDS[names[0]][0], KINDS[names[-1]][1])
    else:
        with pytest.raises(WiringError):
            build()


def test_what_fits_is_let_through() -> None:
    assert repr(a >> b >> halve) == "text_of >> length >> halve"
    assert (generate >> CodeExecution(ScriptedSandbox([])) >> validate).signature == (Task, Report)
    assert (a >> untold >> c).signature == (int, float)
    assert Retry(d | d, attempts=2).signature == (Task, Report)
    assert (attempt([1]) & attempt([2])).signature == (Task, tuple[Report, Report])
    assert [Candidate, Execution] == [generate.signature[1], validate.signature[0]]
    assert TASK.tests is not None
