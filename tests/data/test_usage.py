"""What tokens cost, and how usages add up."""

from dataclasses import fields
from math import inf, nan
from typing import Any

import pytest

from planish.data.usage import FREE, Price, Usage

PRICE = Price(input=10.0, output=100.0, cache_read=1.0, cache_write=12.0)


def cost(price: Price = PRICE, *, write: int = 0, **tokens: int) -> float:
    """The cost in millionths of a dollar."""
    return round(price.cost(Usage(cache_write_tokens=write, **tokens)) * 1_000_000, 6)


def test_each_kind_of_tokens_has_its_price() -> None:
    assert cost(input_tokens=3) == 30
    assert cost(output_tokens=2, reasoning_tokens=1) == 200
    assert cost(input_tokens=5, cached_tokens=2) == 3 * 10 + 2 * 1
    assert cost(input_tokens=7, cached_tokens=2, write=4) == 1 * 10 + 2 * 1 + 4 * 12
    assert cost(input_tokens=1, output_tokens=1, model_calls=9, sandbox_runs=9) == 110


@pytest.mark.parametrize("name", [each.name for each in fields(Usage)])
@pytest.mark.parametrize("wrong", ["5", None, True, [1]])
def test_an_amount_that_is_no_number_is_refused(name: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=rf"^Usage\({name}=.*\): must be a number$"):
        Usage(**{name: wrong})


def test_no_more_tokens_are_cached_than_there_are() -> None:
    assert cost(input_tokens=7, cached_tokens=161) == 7 * 1
    assert cost(input_tokens=7, write=161) == 7 * 12
    assert cost(input_tokens=7, cached_tokens=3, write=161) == 3 * 1 + 4 * 12


def test_without_prices_of_their_own_cached_tokens_cost_as_others() -> None:
    plain = Price(input=10.0, output=100.0)
    assert cost(plain, input_tokens=7, cached_tokens=3, write=2) == 70
    free = Price(input=10.0, output=0.0, cache_read=0.0, cache_write=0.0)
    assert cost(free, input_tokens=7, cached_tokens=3, write=2) == 20


@pytest.mark.parametrize(
    ("price", "highest"),
    [
        (Price(input=10.0, output=100.0), 10.0),
        (PRICE, 12.0),
        (Price(input=10.0, output=100.0, cache_read=15.0, cache_write=3.0), 15.0),
    ],
)
def test_the_most_that_tokens_may_cost(price: Price, highest: float) -> None:
    most = price.max_cost(3, 2)
    assert most == pytest.approx((3 * highest + 200) / 1_000_000)
    assert price.max_cost(inf, 0) == inf
    assert price.max_cost(0, inf) == inf


def test_any_number_of_free_tokens_costs_nothing() -> None:
    assert FREE.max_cost(inf, inf) == 0.0
    assert Price(input=0.0, output=1.0).max_cost(inf, 2_000_000) == 2.0
    assert FREE.cost(Usage(input_tokens=10**9, output_tokens=10**9)) == 0.0


@pytest.mark.parametrize("name", ["input", "output", "cache_read", "cache_write"])
@pytest.mark.parametrize("value", [-0.001, inf, nan])
def test_a_price_is_finite_and_not_negative(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=rf"Price\({name}={value}\): must be 0 or more and finite"):
        Price(**{"input": 1.0, "output": 1.0, name: value})
    assert getattr(Price(**{"input": 1.0, "output": 1.0, name: 0.0}), name) == 0.0


def test_usages_add_up_field_by_field() -> None:
    names = [one.name for one in fields(Usage)]
    one = Usage(**{name: number for number, name in enumerate(names, 1)})
    other = Usage(**{name: 10 * number for number, name in enumerate(names, 1)})
    both = one + other
    assert [getattr(both, name) for name in names] == [11 * n for n in range(1, len(names) + 1)]
    assert both.tokens == both.input_tokens + both.output_tokens == 33
    assert Usage() + one == one
