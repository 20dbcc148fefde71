"""A primitive is what it was constructed with: it prints so, compares so, and has children."""

import copy
import functools
import inspect
import pickle
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import LAW, Tally
from tests.laws.nestings import Spec, specs
from tests.runtime.printed import (
    PRINTED,
    Bare,
    Chunk,
    Strict,
    Twice,
    a,
    b,
    c,
    choose,
    model,
    names,
    plan,
    solve,
    words,
)

from planish.combinators.fallback import Fallback
from planish.combinators.race import Race
from planish.combinators.retry import Retry
from planish.combinators.route import Route
from planish.combinators.sequential import Sequential
from planish.combinators.timeout import Timeout
from planish.errors import WiringError
from planish.runtime.primitive import Primitive, walk
from planish.steps.function import step
from planish.steps.generator import CodeGenerator
from planish.steps.validator import Validator


@dataclass(frozen=True)
class Frozen(Primitive[int, int]):
    size: int = 3

    async def _run(self, value: int) -> int:
        return value


@pytest.mark.parametrize("written", PRINTED)
def test_it_prints_as_it_is_written_and_equals_what_is_written_again(written: str) -> None:
    primitive, again = PRINTED[written](), PRINTED[written]()
    assert repr(primitive) == written
    assert primitive == again
    assert hash(primitive) == hash(again)
    others = [build() for text, build in PRINTED.items() if text != written]
    alike = [other for other in others if other == primitive]
    assert len(alike) == written.startswith("Twice(solve, ")  # the two ways of writing that


@pytest.mark.parametrize("written", [text for text in PRINTED if "ResourceLimits" not in text])
def test_what_it_prints_is_code_that_makes_its_equal(written: str) -> None:
    with_steps = {"solve": a, "plan": b} | (
        {} if "choose," in written or "key=" in written else {"choose": c}
    )
    again = eval(written, {**names, **with_steps, "words": words})  # noqa: S307
    assert again == PRINTED[written]()


def test_configuration_is_what_was_passed_by_name() -> None:
    generator = CodeGenerator(model, temperature=None, seed=3)
    assert generator.config() == {"model": model, "temperature": None, "seed": 3}
    chunk = Chunk(3, "a", tag="x")
    assert chunk.config() == {"size": 3, "labels": ("a",), "options": {"tag": "x"}}
    assert Bare().config() == {}
    assert (b >> a).config() == {"steps": (b, a)}
    assert Race(a, a).config() == {"first": a, "others": (a,)}


def test_a_function_is_the_step_it_became() -> None:
    function: Any = solve
    for made in (Timeout(function, seconds=1), Fallback(function), Route(choose, {"x": function})):
        assert made.children() == (a,)
        assert made.children()[0] is made.children()[0]
    assert Timeout(function, seconds=1) == Timeout(a, seconds=1)
    assert Timeout(function, seconds=1).config()["step"] == a


def test_children_are_in_order_and_walked_depth_first() -> None:
    pipeline = Timeout(b >> Fallback(a, Twice(a)), seconds=1)
    assert [repr(one) for one in walk(pipeline)] == [
        "Timeout(plan >> Fallback(solve, Twice(solve)), seconds=1)",
        "plan >> Fallback(solve, Twice(solve))",
        "plan",
        "Fallback(solve, Twice(solve))",
        "solve",
        "Twice(solve)",
        "solve",
    ]
    assert Strict(model).children() == (b, CodeGenerator(model))
    assert Bare().children() == ()


@given(st.lists(st.sampled_from(sorted(PRINTED)), min_size=2, max_size=5))
def test_equality_follows_the_steps(texts: list[str]) -> None:
    steps = [Twice(PRINTED[text]()) for text in texts]
    assert Sequential(*steps) == Sequential(*(Twice(PRINTED[text]()) for text in texts))
    assert (Sequential(*steps) == Sequential(*steps[::-1])) == (steps == steps[::-1])


@LAW
@given(specs())
def test_equal_nestings_print_and_walk_alike(spec: Spec) -> None:
    tally = Tally()
    one, other = spec.build(tally), spec.build(tally)
    assert repr(one) == repr(other)
    assert " at 0x" not in repr(one)
    assert len(list(walk(one))) == len(list(walk(other)))
    assert one.to_mermaid() == other.to_mermaid()


UNHASHABLE: tuple[tuple[Any, Any], ...] = (
    ([1, {"a": [2]}], [1, {"a": [2]}]),
    ({"a": {1, 2}}, {"a": {2, 1}}),
    (bytearray(b"a"), bytearray(b"a")),
)


@pytest.mark.parametrize(("one", "other"), UNHASHABLE)
def test_values_that_cannot_be_hashed_still_make_equal_hashes(one: Any, other: Any) -> None:
    assert Chunk(3, tag=one) == Chunk(3, tag=other)
    assert hash(Chunk(3, tag=one)) == hash(Chunk(3, tag=other))
    assert Chunk(3, tag=one) != Chunk(3, tag="else")


class Array:
    """Compares as arrays do: to no single truth."""

    def __eq__(self, other: object) -> Any:
        return self

    def __hash__(self) -> int:
        return 1

    def __bool__(self) -> bool:
        raise ValueError("the truth of an array is ambiguous")


def test_values_that_cannot_be_compared_are_equal_to_themselves_only() -> None:
    one: Any = Array()
    assert Chunk(one) == Chunk(one)
    assert Chunk(one) != Chunk(Array())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_classes_are_told_apart() -> None:
    class Other(Bare):
        pass

    assert Bare() == Bare()
    assert Bare() != Other()
    assert Bare() != "Bare()"
    assert len({Bare(), Bare(), Other()}) == 2


def test_a_copy_and_a_pickle_are_equal() -> None:
    pipeline = Timeout(Chunk(3, "a"), seconds=2)
    for made in (copy.copy(pipeline), copy.deepcopy(pipeline)):
        assert made == pipeline
        assert repr(made) == repr(pipeline)


@pytest.mark.parametrize("pipeline", [Timeout(step(plan), seconds=1) >> solve, Validator()])
def test_a_pipeline_of_functions_can_be_pickled(pipeline: Primitive[Any, Any]) -> None:
    again = pickle.loads(pickle.dumps(pipeline))  # noqa: S301 - our own
    assert again == pipeline
    assert hash(again) == hash(pipeline)


def test_the_signature_of_a_class_is_its_constructors() -> None:
    assert list(inspect.signature(Chunk).parameters) == ["size", "labels", "overlap", "options"]
    assert list(inspect.signature(Retry).parameters)[:2] == ["step", "attempts"]
    assert str(inspect.signature(Bare)) == "()"


def test_arguments_that_no_constructor_takes_are_refused() -> None:
    bare: Any = Bare
    with pytest.raises(TypeError, match=r"Bare\(\) takes no arguments"):
        bare(3)
    chunk: Any = Chunk
    with pytest.raises(TypeError, match="size"):
        chunk()


def test_a_dataclass_can_be_a_primitive() -> None:
    assert Frozen().config() == {}
    assert Frozen() == Frozen(3)
    assert Frozen(size=4).config() == {"size": 4}
    assert Frozen(4) == Frozen(size=4)


def test_constructors_of_any_form_are_recorded() -> None:
    class Loose(Bare):
        def __init__(*args: Any, **kwargs: Any) -> None: ...

    class Made(Bare):
        def __new__(cls, size: int) -> Self:
            assert size == 1
            return super().__new__(cls)

    made: Any = Made
    assert repr(Loose(1, tag=2)) == "Loose(1, tag=2)"
    assert repr(made(1)) == "Made()"


def test_an_attribute_may_have_the_name_of_a_method() -> None:
    class Configurable(Bare):
        def __init__(self, config: Any, children: Any) -> None:
            self.config = config  # type: ignore[method-assign]
            self.children = children  # type: ignore[method-assign]

    one = Configurable({"a": 1}, 3)
    assert repr(Timeout(one, seconds=1)) == "Timeout(Configurable({'a': 1}, 3), seconds=1)"
    assert one == Configurable({"a": 1}, 3)
    assert list(walk(one)) == [one]
    assert "Configurable" in one.to_mermaid()


def test_a_partial_with_a_secret_does_not_print_it() -> None:
    assert "canary" not in repr(Chunk(3, api_key="canary"))
    function: Any = choose
    size: Any = partial(function, password="canary")  # noqa: S106
    assert "canary" not in repr(Chunk(size))


def test_a_run_that_is_not_async_is_refused_where_the_class_is_written() -> None:
    def doubled(self: object, value: int) -> int:
        return 2 * value

    async def answers(self: object, value: int) -> int:
        return value

    async def yields(self: object, value: int) -> Any:
        yield value

    @functools.wraps(answers)
    def wrapped(self: object, value: int) -> Any:
        return answers(self, value + 1)

    for wrong in (doubled, yields):
        with pytest.raises(WiringError, match=r"Wrong\._run: write it as `async def _run"):
            type("Wrong", (Primitive,), {"_run": wrong})
    right: Any = type("Right", (Primitive,), {"_run": wrapped})
    assert anyio.run(right().run, 1) == 2
