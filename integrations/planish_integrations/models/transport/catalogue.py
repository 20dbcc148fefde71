"""Default models, prices and end dates of models, as of `PRICES_AS_OF`.

All of them are updated here. `python -m planish_integrations.models.registry.retirements` prints
the entries that end soon. A user's own prices replace these: see `Options`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from planish.data.usage import Price
from planish_integrations.models.transport.prices import Prices

__all__ = ["CATALOGUE", "DEFAULTS", "PRICES", "PRICES_AS_OF", "SELF_HOSTED", "CatalogueEntry"]

PRICES_AS_OF = date(2026, 11, 23)
"""The day on which the table was last compared with its sources; prices change."""

DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "gpt-6.1-terra",
        "anthropic": "claude-sonnet-5-5",
        "gemini": "gemini-3.8-flash",
        "openrouter": "openai/gpt-6.1-terra",
        "groq": "openai/gpt-oss-120b",
        "deepseek": "deepseek-flash",
        "mistral": "codestral-latest",
        "xai": "grok-4.5",
    }
)
"""The default model of each provider, by the name before the colon in `model("name:...")`. Other
providers have no default: the user has to name a model."""

SELF_HOSTED = frozenset({"ollama", "vllm", "llama_cpp", "lm_studio"})
"""Servers that users run themselves, by OpenTelemetry name: on this machine they are free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """The price, limits and end dates of one model.

    Attributes:
        price: The list price. If a provider charges more for long prompts, at some hours, or for
            longer caching: the price of short prompts at peak hours with the shortest caching.
        source: The page of the provider's documentation on the price or the end of the model.
        confirmed: The price comes from a copy of the provider's documentation. Otherwise it
            comes from third parties and is unconfirmed as of `PRICES_AS_OF`.
        max_output: The most tokens of a reply; None if it is unknown.
        retires: The day from which requests fail; None if none is announced.
        price_ends: The last day of this price; None if none is announced.
    """

    price: Price
    source: str
    confirmed: bool = False
    max_output: int | None = None
    retires: date | None = None
    price_ends: date | None = None


_OPENAI = "https://developers.openai.com/api/docs/pricing"
_OPENAI_RETIREMENTS = "https://developers.openai.com/api/docs/deprecations"
_ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/pricing"
_ANTHROPIC_RETIREMENTS = "https://platform.claude.com/docs/en/about-claude/model-deprecations"
_GEMINI = "https://ai.google.dev/gemini-api/docs/pricing"
_DEEPSEEK = "https://api-docs.deepseek.com/quick_start/pricing"
_GROQ = "https://console.groq.com/docs/models"
_MISTRAL = "https://docs.mistral.ai/getting-started/models/"
_XAI = "https://docs.x.ai/docs/models"
_OPENROUTER = "https://openrouter.ai/openai/gpt-6.1-terra"


def _openai(price: Price, *, retires: date | None = None) -> CatalogueEntry:
    source = _OPENAI if retires is None else _OPENAI_RETIREMENTS
    return CatalogueEntry(price=price, source=source, max_output=128_000, retires=retires)


def _claude(
    tokens_in: float,
    tokens_out: float,
    *,
    read: float = 0.1,
    confirmed: bool = True,
    retires: date | None = None,
) -> CatalogueEntry:
    # Reading the cache costs a fraction of the input price (a tenth or less), writing 1.25 of it.
    price = Price(
        input=tokens_in,
        output=tokens_out,
        cache_read=tokens_in * read,
        cache_write=tokens_in * 1.25,
    )
    source = _ANTHROPIC if retires is None else _ANTHROPIC_RETIREMENTS
    return CatalogueEntry(price=price, source=source, confirmed=confirmed, retires=retires)


def _gemini(price: Price, *, price_ends: date | None = None) -> CatalogueEntry:
    return CatalogueEntry(price=price, source=_GEMINI, max_output=65_536, price_ends=price_ends)


def _deepseek(price: Price) -> CatalogueEntry:
    return CatalogueEntry(price=price, source=_DEEPSEEK, confirmed=True, max_output=384_000)


_GEMINI_FLASH = Price(input=0.75, output=3.75, cache_read=0.075)
_TERRA = Price(input=1.0, output=5.0, cache_read=0.05, cache_write=1.25)
_DEEPSEEK_FLASH = _deepseek(Price(input=0.3, output=1.2, cache_read=0.006))
_GROK = CatalogueEntry(price=Price(input=2.0, output=6.0, cache_read=0.5), source=_XAI)
_GPT_OSS = CatalogueEntry(
    price=Price(input=0.15, output=0.6, cache_read=0.075),
    source=_GROQ,
    confirmed=True,
    max_output=65_536,
)
_OPUS = _claude(5.0, 25.0, confirmed=False)
_SONNET = _claude(3.0, 15.0, confirmed=False)

CATALOGUE: Mapping[str, Mapping[str, CatalogueEntry]] = MappingProxyType(
    {
        "openai": {
            "gpt-5-mini": _openai(
                Price(input=0.25, output=2.0, cache_read=0.025), retires=date(2026, 12, 11)
            ),
            "gpt-5.3-codex": _openai(Price(input=1.75, output=14.0, cache_read=0.175)),
            "gpt-5.4": _openai(Price(input=2.5, output=15.0, cache_read=0.25)),
            "gpt-5.4-mini": _openai(Price(input=0.75, output=4.5, cache_read=0.075)),
            "gpt-5.4-nano": _openai(Price(input=0.2, output=1.25, cache_read=0.02)),
            "gpt-5.5": _openai(Price(input=5.0, output=30.0, cache_read=0.5)),
            "gpt-5.6-luna": _openai(
                Price(input=0.2, output=1.2, cache_read=0.02, cache_write=0.25)
            ),
            "gpt-5.6-sol": _openai(Price(input=5.0, output=30.0, cache_read=0.5, cache_write=6.25)),
            "gpt-5.6-terra": _openai(
                Price(input=2.0, output=12.0, cache_read=0.2, cache_write=2.5)
            ),
            "gpt-6-luna": _openai(Price(input=0.1, output=0.5, cache_read=0.01, cache_write=0.125)),
            "gpt-6-sol": _openai(Price(input=2.0, output=10.0, cache_read=0.2, cache_write=2.5)),
            "gpt-6.1-sol": _openai(Price(input=2.0, output=10.0, cache_read=0.1, cache_write=2.5)),
            "gpt-6.1-terra": _openai(_TERRA),
        },
        "anthropic": {
            "claude-fable-5-1": _claude(10.0, 50.0, read=0.025),
            "claude-haiku-4-5": _claude(1.0, 5.0),
            "claude-haiku-5-5": _claude(0.1, 0.5),
            "claude-opus-4-5": _OPUS,
            "claude-opus-4-6": _OPUS,
            "claude-opus-4-7": _OPUS,
            "claude-opus-4-8": _OPUS,
            "claude-opus-5": _claude(5.0, 25.0),
            "claude-opus-5-5": _claude(4.0, 20.0, read=0.05),
            "claude-sonnet-4-5": _claude(3.0, 15.0, confirmed=False, retires=date(2026, 11, 30)),
            "claude-sonnet-4-6": _SONNET,
            "claude-sonnet-5": _claude(2.0, 10.0),
            "claude-sonnet-5-5": _claude(2.0, 10.0, read=0.05),
        },
        "gcp.gemini": {
            "gemini-3.1-pro-preview": _gemini(Price(input=2.0, output=12.0, cache_read=0.2)),
            "gemini-3.5-flash": _gemini(Price(input=1.5, output=9.0, cache_read=0.15)),
            "gemini-3.6-flash": _gemini(_GEMINI_FLASH),
            "gemini-3.7-flash": _gemini(_GEMINI_FLASH),
            "gemini-3.8-flash": _gemini(_GEMINI_FLASH, price_ends=date(2026, 12, 31)),
        },
        "openrouter": {"openai/gpt-6.1-terra": CatalogueEntry(price=_TERRA, source=_OPENROUTER)},
        "groq": {"openai/gpt-oss-120b": _GPT_OSS},
        "deepseek": {
            "deepseek-flash": _DEEPSEEK_FLASH,
            "deepseek-v4-flash": _DEEPSEEK_FLASH,
            "deepseek-v4-pro": _deepseek(Price(input=1.32, output=3.96, cache_read=0.044)),
        },
        "mistral_ai": {
            "codestral-latest": CatalogueEntry(price=Price(input=0.3, output=0.9), source=_MISTRAL)
        },
        "x_ai": {"grok-4.5": _GROK, "grok-4.6": _GROK},
    }
)
"""The entries, by the OpenTelemetry name of the provider and by model."""

PRICES: Mapping[str, Prices] = MappingProxyType(
    {
        provider: MappingProxyType({name: entry.price for name, entry in models.items()})
        for provider, models in CATALOGUE.items()
    }
)
"""The prices in `CATALOGUE`, by provider and by model."""
