from collections.abc import Awaitable
from functools import partial
from typing import Any

import pytest

from planish import step
from planish.errors import WiringError
from planish.steps.function import Step


def scale(by: int, value: int) -> int:
    return by * value


async def later(value: int) -> str:
    return str(value)


def promise(value: int) -> Awaitable[str]:
    return later(value)


def untold(value: Any) -> Any:
    return value


class Adder:
    async def __call__(self, value: int) -> int:
        return value + 1


class Scaler:
    def times(self, value: int) -> float:
        return 1.5 * value


@step
def decorated(value: str) -> bytes:
    return value.encode()


STEPS: dict[str, tuple[Any, Any, str, Any]] = {
    "sync": (len, "abc", "len", 3),
    "async": (later, 3, "later", "3"),
    "gives an awaitable": (promise, 3, "promise", "3"),
    "partial": (partial(scale, 2), 3, "scale", 6),
    "partial of a partial": (partial(partial(scale), 3), 3, "scale", 9),
    "object": (Adder(), 3, "Adder", 4),
    "method": (Scaler().times, 3, "times", 4.5),
    "class method": (dict.fromkeys, "ab", "fromkeys", {"a": None, "b": None}),
}


@pytest.mark.anyio
@pytest.mark.parametrize("kind", STEPS)
async def test_any_function_of_one_value_is_a_step(kind: str) -> None:
    function, value, name, result = STEPS[kind]
    made: Step[Any, Any] = step(function)
    assert await made.run(value) == result
    assert made.name == repr(made) == name


@pytest.mark.anyio
async def test_it_is_a_decorator() -> None:
    assert type(decorated) is Step
    assert await decorated.run("ab") == b"ab"
    assert decorated.signature == (str, bytes)


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (later, (int, str)),
        (promise, (int, str)),
        (partial(scale, 2), (int, int)),
        (Adder(), (int, int)),
        (Scaler().times, (int, float)),
        (untold, (Any, Any)),
    ],
)
def test_its_signature_is_that_of_the_function(function: Any, signature: Any) -> None:
    assert step(function).signature == signature


@pytest.mark.parametrize("thing", [3, None, "later"])
def test_what_is_no_function_is_refused(thing: Any) -> None:
    with pytest.raises(WiringError, match="must be a function"):
        step(thing)
