"""The catalogue of models, a second time: a figure of it changes by intent, in two places.

Nothing but a bill shows a wrong price, so a slip of a finger in the table would go unnoticed.
"""

from datetime import date

import pytest

from planish_integrations.models.transport.catalogue import CATALOGUE, SELF_HOSTED

# US dollars for a million tokens: input, output, read from the cache, written to it.
PRICES: dict[tuple[str, str], tuple[float, float, float | None, float | None]] = {
    ("openai", "gpt-5-mini"): (0.25, 2.0, 0.025, None),
    ("openai", "gpt-5.3-codex"): (1.75, 14.0, 0.175, None),
    ("openai", "gpt-5.4"): (2.5, 15.0, 0.25, None),
    ("openai", "gpt-5.4-mini"): (0.75, 4.5, 0.075, None),
    ("openai", "gpt-5.4-nano"): (0.2, 1.25, 0.02, None),
    ("openai", "gpt-5.5"): (5.0, 30.0, 0.5, None),
    ("openai", "gpt-5.6-luna"): (0.2, 1.2, 0.02, 0.25),
    ("openai", "gpt-5.6-sol"): (5.0, 30.0, 0.5, 6.25),
    ("openai", "gpt-5.6-terra"): (2.0, 12.0, 0.2, 2.5),
    ("openai", "gpt-6-luna"): (0.1, 0.5, 0.01, 0.125),
    ("openai", "gpt-6-sol"): (2.0, 10.0, 0.2, 2.5),
    ("openai", "gpt-6.1-sol"): (2.0, 10.0, 0.1, 2.5),
    ("openai", "gpt-6.1-terra"): (1.0, 5.0, 0.05, 1.25),
    ("anthropic", "claude-fable-5-1"): (10.0, 50.0, 0.25, 12.5),
    ("anthropic", "claude-haiku-4-5"): (1.0, 5.0, 0.1, 1.25),
    ("anthropic", "claude-haiku-5-5"): (0.1, 0.5, 0.01, 0.125),
    ("anthropic", "claude-opus-4-5"): (5.0, 25.0, 0.5, 6.25),
    ("anthropic", "claude-opus-4-6"): (5.0, 25.0, 0.5, 6.25),
    ("anthropic", "claude-opus-4-7"): (5.0, 25.0, 0.5, 6.25),
    ("anthropic", "claude-opus-4-8"): (5.0, 25.0, 0.5, 6.25),
    ("anthropic", "claude-opus-5"): (5.0, 25.0, 0.5, 6.25),
    ("anthropic", "claude-opus-5-5"): (4.0, 20.0, 0.2, 5.0),
    ("anthropic", "claude-sonnet-4-5"): (3.0, 15.0, 0.3, 3.75),
    ("anthropic", "claude-sonnet-4-6"): (3.0, 15.0, 0.3, 3.75),
    ("anthropic", "claude-sonnet-5"): (2.0, 10.0, 0.2, 2.5),
    ("anthropic", "claude-sonnet-5-5"): (2.0, 10.0, 0.1, 2.5),
    ("gcp.gemini", "gemini-3.1-pro-preview"): (2.0, 12.0, 0.2, None),
    ("gcp.gemini", "gemini-3.5-flash"): (1.5, 9.0, 0.15, None),
    ("gcp.gemini", "gemini-3.6-flash"): (0.75, 3.75, 0.075, None),
    ("gcp.gemini", "gemini-3.7-flash"): (0.75, 3.75, 0.075, None),
    ("gcp.gemini", "gemini-3.8-flash"): (0.75, 3.75, 0.075, None),
    ("openrouter", "openai/gpt-6.1-terra"): (1.0, 5.0, 0.05, 1.25),
    ("groq", "openai/gpt-oss-120b"): (0.15, 0.6, 0.075, None),
    ("deepseek", "deepseek-flash"): (0.3, 1.2, 0.006, None),
    ("deepseek", "deepseek-v4-flash"): (0.3, 1.2, 0.006, None),
    ("deepseek", "deepseek-v4-pro"): (1.32, 3.96, 0.044, None),
    ("mistral_ai", "codestral-latest"): (0.3, 0.9, None, None),
    ("x_ai", "grok-4.5"): (2.0, 6.0, 0.5, None),
    ("x_ai", "grok-4.6"): (2.0, 6.0, 0.5, None),
}
CONFIRMED = {
    *(name for provider, name in PRICES if provider in ("groq", "deepseek")),
    *("claude-fable-5-1", "claude-haiku-4-5", "claude-haiku-5-5", "claude-opus-5"),
    *("claude-opus-5-5", "claude-sonnet-5", "claude-sonnet-5-5"),
}
MOST_OUTPUT = {"openai": 128_000, "gcp.gemini": 65_536, "groq": 65_536, "deepseek": 384_000}
RETIRES = {"gpt-5-mini": date(2026, 12, 11), "claude-sonnet-4-5": date(2026, 11, 30)}
PRICE_ENDS = {"gemini-3.8-flash": date(2026, 12, 31)}


def test_every_model_is_here() -> None:
    assert {(p, name) for p, models in CATALOGUE.items() for name in models} == PRICES.keys()
    assert {"ollama", "vllm", "llama_cpp", "lm_studio"} == SELF_HOSTED


@pytest.mark.parametrize(("provider", "name"), PRICES)
def test_a_model_has_its_figures(provider: str, name: str) -> None:
    listed = CATALOGUE[provider][name]
    price = listed.price
    found = (price.input, price.output, price.cache_read, price.cache_write)
    expected = PRICES[provider, name]
    assert [n is None for n in found] == [n is None for n in expected]
    assert [n or 0 for n in found] == pytest.approx([n or 0 for n in expected])
    assert listed.confirmed == (name in CONFIRMED)
    assert listed.max_output == MOST_OUTPUT.get(provider)
    assert (listed.retires, listed.price_ends) == (RETIRES.get(name), PRICE_ENDS.get(name))
