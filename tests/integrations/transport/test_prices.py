"""A price is known or it is not; what it is, the user may say better."""

from datetime import date

import pytest
from tests.integrations.transport.inside import asked
from tests.integrations.transport.wires import MODELS, PROVIDER_WIRES

from planish import Message, Reply, Request, Usage, limits
from planish.errors import BudgetExceededError
from planish.testing.telemetry import capture
from planish_integrations.testing import LoopbackProvider
from planish_integrations.transport import PRICES, PRICES_AS_OF, PRICES_SOURCE, Price, Prices
from planish_integrations.transport._options import price_of

ASK = Request(messages=(Message("user", "hello"),))
MILLION = Usage(input_tokens=1_000_000, output_tokens=1_000_000)


async def cost(wire: str, name: str, prices: Prices | None = None) -> float:
    async with LoopbackProvider([Reply(text="hi", usage=MILLION)]) as server:
        url = server.url(PROVIDER_WIRES[wire])
        model = MODELS[wire](name, base_url=url, api_key="", prices=prices)
        return (await model.reply(ASK)).usage.usd


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("wire", "name", "usd"),
    [
        ("chat", "gpt-5-mini", 2.25),
        ("responses", "gpt-5-mini-2025-08-07", 2.25),
        ("anthropic", "claude-sonnet-4-5-20250929", 18.0),
        ("gemini", "gemini-3.5-flash", 10.5),
        ("chat", "gpt-5-minimal", 0.0),
        ("ollama", "qwen3:8b", 0.0),
    ],
)
async def test_what_a_known_model_costs_is_counted(wire: str, name: str, usd: float) -> None:
    assert await cost(wire, name) == pytest.approx(usd)


@pytest.mark.anyio
async def test_the_users_table_replaces_the_shipped_one() -> None:
    assert await cost("chat", "gpt-5-mini", {"gpt-5-mini": Price(input=1, output=1)}) == 2.0
    assert await cost("chat", "gpt-5-mini", {}) == 0.0


def test_the_longest_name_that_fits_counts() -> None:
    cheap, dear = Price(input=1, output=1), Price(input=2, output=2)
    prices = {"m": dear, "m-mini": cheap}
    assert price_of("m-mini-2026", prices) is cheap
    assert price_of("m-2026", prices) is dear
    assert price_of("m@2026", prices) is dear
    assert price_of("mm", prices) is None


def test_what_is_written_to_the_cache_has_a_price_of_its_own() -> None:
    price = Price(input=3.0, output=15.0, cached=0.3, written=3.75)
    used = Usage(input_tokens=1_000_000, cached_tokens=500_000)
    assert price.of(used, written=400_000) == pytest.approx(0.3 + 0.15 + 1.5)


def test_the_shipped_table_says_of_which_day_it_is_and_where_it_is_from() -> None:
    assert date(2026, 1, 1) < PRICES_AS_OF
    assert PRICES_SOURCE.startswith("https://")
    for of_provider in PRICES.values():
        for price in of_provider.values():
            assert 0 < price.input < price.output
            assert price.cached is not None
            assert price.cached < price.input


@pytest.mark.anyio
async def test_a_budget_of_money_holds_with_the_shipped_table() -> None:
    replies = [Reply(text="hi", usage=MILLION)]
    async with LoopbackProvider(replies) as server:
        model = MODELS["chat"]("gpt-5-mini", base_url=server.url("openai"), api_key="")
        with capture() as captured:
            async with limits(usd=2.0):
                await asked(model)
                with pytest.raises(BudgetExceededError):
                    await asked(model)
    (first, *_) = captured.named("chat gpt-5-mini")
    assert (first.attributes or {})["planish.cost.usd"] == pytest.approx(2.25)


@pytest.mark.anyio
async def test_an_unknown_price_is_no_cost_of_zero_on_the_span() -> None:
    async with LoopbackProvider(["hi"]) as server:
        model = MODELS["ollama"]("qwen3:8b", base_url=server.url("ollama"), api_key="")
        with capture() as captured:
            await asked(model)
    (span,) = captured.named("chat qwen3:8b")
    assert "planish.cost.usd" not in (span.attributes or {})
