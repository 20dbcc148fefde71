"""A price is known or it is not; what it is, the user may say better."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from tests.integrations.models.transport.in_run import ask_in_run
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS, READERS

from planish import budget
from planish.data import Message, Reply, Request, Usage
from planish.data.usage import FREE
from planish.errors import BudgetExceededError
from planish.testing.telemetry import capture
from planish_integrations.anthropic import AnthropicModel
from planish_integrations.gemini import GeminiModel
from planish_integrations.models import PROVIDERS
from planish_integrations.models.transport import CATALOGUE, PRICES, PRICES_AS_OF, Price, Prices
from planish_integrations.models.transport.catalogue import DEFAULTS
from planish_integrations.models.transport.prices import find_price
from planish_integrations.openai import OpenAIModel
from planish_integrations.testing import LoopbackProvider

ASK = Request(messages=(Message("user", "hello"),))
MILLION = Usage(input_tokens=1_000_000, output_tokens=1_000_000)


async def cost(protocol: str, name: str, prices: Prices | None = None) -> float:
    async with LoopbackProvider([Reply(text="hi", usage=MILLION)]) as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        model = MODELS[protocol](name, base_url=url, api_key="", prices=prices)
        return (await model.reply(ASK)).usage.usd


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("protocol", "name", "usd"),
    [
        ("chat", "gpt-6.1-terra", 6.0),
        ("responses", "gpt-6.1-terra-2026-10-26", 6.0),
        ("anthropic", "claude-sonnet-5-5-20260928", 12.0),
        ("gemini", "gemini-3.5-flash", 10.5),
        ("chat", "gpt-6.1-terrace", 0.0),
        ("ollama", "qwen3:8b", 0.0),
    ],
)
async def test_what_a_known_model_costs_is_counted(protocol: str, name: str, usd: float) -> None:
    assert await cost(protocol, name) == pytest.approx(usd)


@pytest.mark.anyio
async def test_the_users_table_replaces_the_shipped_one() -> None:
    assert await cost("chat", "gpt-6.1-terra", {"gpt-6.1-terra": Price(input=1, output=1)}) == 2.0
    assert await cost("chat", "gpt-6.1-terra", {}) == 0.0


@pytest.mark.parametrize(
    "version",
    ["2026-04-23", "20260423", "260423", "04-2026", "preview-04-23", "0423", "2604", "latest"],
)
def test_a_version_of_a_model_costs_what_the_model_does(version: str) -> None:
    cheap, dear = Price(input=1, output=1), Price(input=2, output=2)
    prices = {"m": dear, "m-mini": cheap}
    assert find_price(f"m-mini-{version}", prices) is cheap
    assert find_price(f"m-{version}", prices) is dear
    assert find_price(f"m@{version}", prices) is dear


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("gpt-5.5-pro", "openai"),
        ("gpt-5.5-pro-2026-04-23", "openai"),
        ("gpt-5.4-mini-high", "openai"),
        ("gpt-6.1-terra-20269923", "openai"),
        ("claude-opus-5-6", "anthropic"),
        ("claude-sonnet-5-6-20260423", "anthropic"),
        ("gemini-3.8-flash-lite", "gcp.gemini"),
        ("grok-4.5-fast", "x_ai"),
        ("deepseek-v4-flash-max", "deepseek"),
        ("openai/gpt-6.1-terra:free", "openrouter"),
    ],
)
def test_another_model_whose_name_begins_alike_has_no_price(name: str, provider: str) -> None:
    assert find_price(name, PRICES[provider]) is None


def test_a_name_of_the_table_is_itself_before_it_is_a_version() -> None:
    release, preview = Price(input=1, output=1), Price(input=2, output=2)
    assert find_price("m-preview", {"m": release, "m-preview": preview}) is preview


TOLD = [
    ("chat", {"cost": 0.25}, 0.25),
    ("responses", {"cost": 0.25}, 0.25),
    (
        "chat",
        {"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}},
        0.21,
    ),
    (
        "chat",
        {"cost": 0.25, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.25}},
        0.25,
    ),
    ("chat", {"cost_in_usd_ticks": 2_500_000_000}, 0.25),
    ("responses", {"cost_in_usd_ticks": 2_500_000_000}, 0.25),
    ("chat", {"cost": {"request_cost": 0.2, "total_cost": 0.25}}, 0.25),
    ("chat", {"cost": "free"}, None),
    ("chat", {"cost": -1}, None),
    ("chat", {"cost": True}, None),
    ("chat", {"cost_in_usd_ticks": 0}, None),
]


@pytest.mark.parametrize(("protocol", "told", "usd"), TOLD)
@pytest.mark.parametrize("price", [None, Price(input=1.0, output=2.0)])
def test_the_cost_that_a_provider_reports_counts_before_the_price(
    protocol: str, told: dict[str, object], usd: float | None, price: Price | None
) -> None:
    counts = {"input_tokens": 1_000_000, "output_tokens": 1_000_000, **told}
    body: dict[str, object] = {"usage": counts}
    body |= {"choices": [{"message": {"content": "hi"}}]} if protocol == "chat" else {"output": []}
    reader = READERS[protocol]()
    reader.read_body(body)
    by_price = 0.0 if price is None else 3.0
    assert reader.to_reply(price).usage.usd == pytest.approx(by_price if usd is None else usd)


def test_what_is_written_to_the_cache_has_a_price_of_its_own() -> None:
    price = Price(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)
    used = Usage(input_tokens=1_000_000, cached_tokens=500_000)
    assert price.cost(replace(used, cache_write_tokens=400_000)) == pytest.approx(0.3 + 0.15 + 1.5)


def test_the_shipped_table_says_of_which_day_it_is_and_where_it_is_from() -> None:
    assert date(2026, 1, 1) < PRICES_AS_OF
    for provider, models in CATALOGUE.items():
        for name, listed in models.items():
            assert listed.source.startswith("https://")
            assert 0 < listed.price.input < listed.price.output
            assert (listed.price.cache_read or 0.0) < listed.price.input
            assert PRICES[provider][name] is listed.price


@pytest.mark.parametrize("row", DEFAULTS)
def test_a_default_is_a_model_of_the_table(row: str) -> None:
    provider = PROVIDERS[row]
    assert provider.default == DEFAULTS[row]
    assert DEFAULTS[row] in CATALOGUE[provider.otel]


def test_no_other_provider_has_a_default() -> None:
    assert {row for row, provider in PROVIDERS.items() if provider.default} == DEFAULTS.keys()


@pytest.mark.anyio
async def test_a_budget_of_money_holds_with_the_shipped_table() -> None:
    replies = [Reply(text="hi", usage=MILLION)]
    async with LoopbackProvider(replies) as server:
        model = MODELS["chat"]("gpt-6.1-terra", base_url=server.url("openai"), api_key="")
        with capture() as captured:
            async with budget(usd=2.0):
                await ask_in_run(model)
                with pytest.raises(BudgetExceededError):
                    await ask_in_run(model)
    (first, *_) = captured.by_name("chat gpt-6.1-terra")
    assert (first.attributes or {})["planish.cost.usd"] == pytest.approx(6.0)


@pytest.mark.anyio
async def test_an_unknown_price_is_no_cost_of_zero_on_the_span() -> None:
    async with LoopbackProvider(["hi"]) as server:
        model = MODELS["ollama"]("qwen3:8b", base_url=server.url("ollama"), api_key="")
        with capture() as captured:
            await ask_in_run(model)
    (span,) = captured.by_name("chat qwen3:8b")
    assert "planish.cost.usd" not in (span.attributes or {})


@pytest.mark.parametrize(
    ("base_url", "price"), [("http://127.0.0.1:9", FREE), ("http://gpu-7:9", None)]
)
def test_a_server_of_ones_own_costs_nothing_on_this_machine(
    base_url: str, price: Price | None
) -> None:
    model = MODELS["ollama"]("qwen3:8b", base_url=base_url, api_key="")
    assert model.price == price
    assert MODELS["ollama"]("qwen3:8b", base_url=base_url, api_key="", price=FREE).price == FREE


WRONG = [
    ({"price": 3}, "price=3): must be a Price(input=3.0, output=15.0) of planish.data, in US"),
    ({"price": 0}, "price=0): must be a Price("),
    ({"price": "free"}, "price='free'): must be a Price("),
    ({"prices": {"m": 3}}, "prices={'m': ...}; the price=3): must be a Price("),
    ({"prices": 3}, "prices=3): must be a dict of Price(...) by model name"),
    ({"timeout": "3"}, "timeout='3'): must be a number of seconds, or Timeouts(...)"),
    ({"timeout": None}, "timeout=None): must be a number"),
    ({"backoff": 3}, "backoff=3): must be a Backoff(...)"),
    ({"max_connections": "3"}, "max_connections='3'): must be a whole number"),
    ({"max_connections": True}, "max_connections=True): must be a whole number"),
    ({"cache": 1}, "cache=1): must be True or False"),
    ({"clock": 3}, "clock=3): must be a Clock"),
    ({"extra": 3}, "extra=3): must be a dict"),
    ({"headers": 3}, "headers=3): must be a dict"),
    ({"time_out": 3}, "time_out=...): no such option; did you mean 'timeout'?"),
    ({"seed": 3}, "seed=...): no such option; each request has its own: CodeGenerator(model, seed"),
    ({"frequency": 3}, "frequency=...): no such option; there are timeout, backoff"),
    ({"base_url": None}, "base_url=None): must be a text, such as 'http://localhost:8000/v1'"),
    ({"base_url": b"http://h"}, "base_url=b'http://h'): must be a text, such as "),
    ({"provider": 3}, "provider=3): must be a text"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_an_option_of_another_type_or_name_is_refused(
    options: dict[str, Any], message: str
) -> None:
    for model in MODELS.values():
        with pytest.raises(TypeError) as raised:
            model("m", api_key="k", **options)
        name = getattr(model, "__name__", "")
        assert str(raised.value).startswith(f"{name}({message}"), raised.value


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (OpenAIModel, {"variant": "x"}, "variant='x'): must be a ProtocolVariant(...) or None"),
        (OpenAIModel, {"max_tokens_field": 3}, "max_tokens_field=3): must be a text"),
        (AnthropicModel, {"max_tokens": "9"}, "max_tokens='9'): must be at least 1, a whole"),
        (AnthropicModel, {"max_tokens": 2.5}, "max_tokens=2.5): must be at least 1, a whole"),
        (AnthropicModel, {"name": 3}, "name=3): must be a text"),
        (GeminiModel, {"name": None}, "name=None): must be a text"),
    ],
)
def test_an_argument_of_one_provider_is_refused_at_construction(
    model: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        model(**{"name": "m", "api_key": "k", **options})
    assert str(raised.value).startswith(f"{model.__name__}({message}"), raised.value
