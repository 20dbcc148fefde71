"""Which models are the defaults, what models cost, and when they end, as of one day.

This is the one place to bring up to date. What ends soon is printed by
`python -m planish_integrations.models.registry.retirements`. A user's own
prices replace those of the table: see `Options`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from planish.data.usage import Price
from planish_integrations.models.transport._options import Prices

__all__ = ["CATALOGUE", "DEFAULTS", "PRICES", "PRICES_AS_OF", "SELF_HOSTED", "Listed"]

PRICES_AS_OF = date(2026, 11, 23)
"""When the table was last compared with its sources. Prices change; a bill is what counts."""

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
"""The model to call where none is named, by the name that stands before the colon. Providers that
are not here have no default: the user has to name a model."""

SELF_HOSTED = frozenset({"ollama", "vllm", "llama_cpp", "lm_studio"})
"""Servers of one's own, as OpenTelemetry names them: on this machine they cost nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What is known of one model.

    Attributes:
        price: Its list price. Where a provider charges more for long prompts, at some hours, or
            for a longer life of what is cached: that of short prompts, at the dearest hours, for
            the shortest life.
        source: The page of its provider's documentation on its price or its life.
        confirmed: The price was read in a copy of the provider's own documentation. Otherwise it
            is what others say of it, and unconfirmed as of `PRICES_AS_OF`.
        max_output: The most tokens of an answer; None where that is not known.
        retires: The day from which requests fail; None where none is announced.
        price_ends: The last day of this price; None where none is announced.
    """

    price: Price
    source: str
    confirmed: bool = False
    max_output: int | None = None
    retires: date | None = None
    price_ends: date | None = None


_OPENAI = "https://developers.openai.com/api/docs/pricing"
_OPENAI_ENDS = "https://developers.openai.com/api/docs/deprecations"
_ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/pricing"
_ANTHROPIC_ENDS = "https://platform.claude.com/docs/en/about-claude/model-deprecations"
_GEMINI = "https://ai.google.dev/gemini-api/docs/pricing"
_DEEPSEEK = "https://api-docs.deepseek.com/quick_start/pricing"
_GROQ = "https://console.groq.com/docs/models"
_MISTRAL = "https://docs.mistral.ai/getting-started/models/"
_XAI = "https://docs.x.ai/docs/models"
_OPENROUTER = "https://openrouter.ai/openai/gpt-6.1-terra"


def _openai(price: Price, *, retires: date | None = None) -> Listed:
    source = _OPENAI if retires is None else _OPENAI_ENDS
    return Listed(price=price, source=source, max_output=128_000, retires=retires)


def _claude(
    sent: float,
    received: float,
    *,
    read: float = 0.1,
    confirmed: bool = True,
    retires: date | None = None,
) -> Listed:
    # Its cache is read for a part of the price (a tenth, or less), and written for a quarter more.
    price = Price(input=sent, output=received, cache_read=sent * read, cache_write=sent * 1.25)
    source = _ANTHROPIC if retires is None else _ANTHROPIC_ENDS
    return Listed(price=price, source=source, confirmed=confirmed, retires=retires)


def _gemini(price: Price, *, price_ends: date | None = None) -> Listed:
    return Listed(price=price, source=_GEMINI, max_output=65_536, price_ends=price_ends)


def _deepseek(price: Price) -> Listed:
    return Listed(price=price, source=_DEEPSEEK, confirmed=True, max_output=384_000)


_GEMINI_FLASH = Price(input=0.75, output=3.75, cache_read=0.075)
_TERRA = Price(input=1.0, output=5.0, cache_read=0.05, cache_write=1.25)
_DEEPSEEK_FLASH = _deepseek(Price(input=0.3, output=1.2, cache_read=0.006))
_GROK = Listed(price=Price(input=2.0, output=6.0, cache_read=0.5), source=_XAI)
_GPT_OSS = Listed(
    price=Price(input=0.15, output=0.6, cache_read=0.075),
    source=_GROQ,
    confirmed=True,
    max_output=65_536,
)
_OPUS = _claude(5.0, 25.0, confirmed=False)
_SONNET = _claude(3.0, 15.0, confirmed=False)

CATALOGUE: Mapping[str, Mapping[str, Listed]] = MappingProxyType(
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
        "openrouter": {"openai/gpt-6.1-terra": Listed(price=_TERRA, source=_OPENROUTER)},
        "groq": {"openai/gpt-oss-120b": _GPT_OSS},
        "deepseek": {
            "deepseek-flash": _DEEPSEEK_FLASH,
            "deepseek-v4-flash": _DEEPSEEK_FLASH,
            "deepseek-v4-pro": _deepseek(Price(input=1.32, output=3.96, cache_read=0.044)),
        },
        "mistral_ai": {
            "codestral-latest": Listed(price=Price(input=0.3, output=0.9), source=_MISTRAL)
        },
        "x_ai": {"grok-4.5": _GROK, "grok-4.6": _GROK},
    }
)
"""By provider, as OpenTelemetry names them, and by model."""

PRICES: Mapping[str, Prices] = MappingProxyType(
    {
        provider: MappingProxyType({name: listed.price for name, listed in models.items()})
        for provider, models in CATALOGUE.items()
    }
)
"""The prices of `CATALOGUE`, by provider and by model."""
