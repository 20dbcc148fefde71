from typing import Any

import pytest

from planish import Route, step
from planish.errors import WiringError


def size(value: int) -> str:
    return "big" if value > 9 else "small"


async def ask(value: int) -> str:
    return size(value)


def double(value: int) -> int:
    return 2 * value


def halve(value: int) -> int:
    return value // 2


@pytest.mark.anyio
@pytest.mark.parametrize("choose", [size, ask])
async def test_the_step_of_the_chosen_name_is_run(choose: Any) -> None:
    route: Route[int, int] = Route(choose, {"big": step(halve), "small": step(double)})
    assert [await route.run(value) for value in (3, 10)] == [6, 5]


@pytest.mark.anyio
@pytest.mark.parametrize("chosen", ["huge", "", None])
async def test_a_name_that_is_no_route_is_named_with_those_there_are(chosen: Any) -> None:
    def choose(value: int) -> str:
        return chosen  # type: ignore[no-any-return]

    route = Route(choose, {"big": step(halve), "small": step(double)})
    with pytest.raises(WiringError) as caught:
        await route.run(3)
    assert repr(chosen) in str(caught.value)
    assert "'big', 'small'" in str(caught.value)


def test_it_prints_its_choice_and_its_routes() -> None:
    route = Route(size, {"big": step(halve), "small": step(double)})
    assert repr(route) == "Route(size, {'big': halve, 'small': double})"


def test_its_doors_are_those_of_all_its_routes() -> None:
    assert Route(size, {"big": step(halve), "small": step(double)}).signature == (int, int)
    either: Any = Route(size, {"big": step(halve), "small": step(size)})
    assert either.signature == (int, int | str)
