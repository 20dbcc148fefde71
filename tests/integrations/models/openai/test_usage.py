"""Tokens are counted as the provider tells, and cost what the user says."""

from collections.abc import Callable

import pytest
from tests.integrations.models.openai.loopback import (
    Loopback,
    completion,
)

from planish.data.message import Message, Request
from planish.data.usage import Usage
from planish_integrations.models.openai._common import parse_usage
from planish_integrations.openai import OpenAIModel, Price

ASK = Request(messages=(Message("user", "hello"),))
ModelAt = Callable[..., OpenAIModel]


@pytest.mark.anyio
async def test_what_it_costs_is_counted_to_the_cent(server: Loopback, model_at: ModelAt) -> None:
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 100_000,
        "prompt_tokens_details": {"cached_tokens": 400_000},
    }
    price = Price(input=0.25, output=2.0, cache_read=0.025)
    costs: list[float] = []
    for given in (
        {"price": price},
        {"prices": {"loopback-1": price}},
        {"prices": {"o": price}},
        {},
    ):
        server.answers.append(completion(usage=usage))
        costs.append((await model_at(**given).reply(ASK)).usage.usd)
    assert costs == [pytest.approx(0.15 + 0.01 + 0.2), pytest.approx(0.36), 0.0, 0.0]


def test_cached_tokens_cost_as_much_as_others_where_no_price_says_else() -> None:
    used = Usage(input_tokens=1_000_000, cached_tokens=500_000)
    assert Price(input=1.0, output=0.0).cost(used) == 1.0
    more = Usage(input_tokens=1, cached_tokens=1_000_000)
    assert Price(input=1.0, output=0.0, cache_read=0.1).cost(more) == pytest.approx(1e-7)


@pytest.mark.parametrize("wrong", [{"input": -1.0}, {"output": float("inf")}, {"cache_read": -0.1}])
def test_a_wrong_price_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Price(**({"input": 1.0, "output": 1.0} | wrong))


@pytest.mark.anyio
async def test_usage_that_is_not_reported_is_estimated_and_marked(
    server: Loopback, model_at: ModelAt
) -> None:
    server.answers.append(completion("four characters a token.", usage=None))
    reply = await model_at(price=Price(input=1, output=1)).reply(ASK)
    assert reply.usage == Usage(
        input_tokens=2, output_tokens=6, estimated_tokens=8, model_calls=1, usd=8e-6
    )


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        # xAI's chat completions: reasoning is not part of the completion.
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 9,
                "total_tokens": 100,
                "completion_tokens_details": {"reasoning_tokens": 81},
            },
            (10, 90, 81),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 9, "reasoning_tokens": 81}, (10, 90, 81)),
        # Gemini's: thoughts are in the total only.
        ({"prompt_tokens": 66, "completion_tokens": 6, "total_tokens": 100}, (66, 34, 28)),
        # OpenAI's: reasoning is part of the completion.
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 90,
                "total_tokens": 100,
                "completion_tokens_details": {"reasoning_tokens": 81},
            },
            (10, 90, 81),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 90, "total_tokens": 7}, (10, 90, 0)),
    ],
)
def test_reasoning_outside_of_the_completion_is_output(
    told: dict[str, object], counted: tuple[int, int, int]
) -> None:
    usage = parse_usage(told)
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) == counted


@pytest.mark.parametrize("name", ["num_cached_tokens", "cached_tokens", "prompt_cache_hit_tokens"])
def test_cached_tokens_are_read_by_any_name(name: str) -> None:
    assert parse_usage({"prompt_tokens": 10, name: 4}).cached_tokens == 4


@pytest.mark.parametrize(
    "told",
    [
        {"prompt_tokens_details": {"cached_tokens": 5}},
        {"prompt_tokens_details": {"cached_tokens": 5}, "prompt_cache_hit_tokens": 5},
        {"prompt_cache_hit_tokens": 5},
        {"prompt_tokens_details": None, "cached_tokens": 5},
    ],
)
def test_cached_tokens_are_found_under_each_name_they_have(told: dict[str, object]) -> None:
    assert parse_usage(told | {"prompt_tokens": 9}).cached_tokens == 5


@pytest.mark.parametrize(
    ("told", "counted"),
    [(7, 7), (7.0, 7), (True, 0), (-7, 0), (1.5, 0), ("7", 0), (None, 0), (float("inf"), 0)],
)
def test_only_whole_numbers_are_counted(told: object, counted: int) -> None:
    assert parse_usage({"prompt_tokens": told}).input_tokens == counted
