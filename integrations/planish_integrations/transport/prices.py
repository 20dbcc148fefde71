"""What models cost, as far as it was known on one day; a user's own table replaces it."""

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

from planish.data.price import Price
from planish_integrations.transport._options import Prices

__all__ = ["PRICES", "PRICES_AS_OF", "PRICES_SOURCE", "SELF_HOSTED"]

PRICES_AS_OF = date(2026, 11, 22)
"""When the table was last compared with its source. Prices change; a bill is what counts."""

PRICES_SOURCE = "https://docs.github.com/copilot/reference/copilot-billing/models-and-pricing"
"""List prices of all these providers on one page, in US dollars per million tokens. Where a
provider charges more for long contexts, the price is that of short ones."""


SELF_HOSTED = frozenset({"ollama", "vllm", "llama_cpp", "lm_studio"})
"""Servers of one's own, as OpenTelemetry names them: on this machine they cost nothing."""


def _anthropic(sent: float, received: float) -> Price:
    # Its cache is read for a tenth of the price, and written for a quarter more.
    return Price(input=sent, output=received, cached=sent / 10, written=sent * 1.25)


_OPUS = _anthropic(5.0, 25.0)
_SONNET = _anthropic(3.0, 15.0)
_GEMINI_FLASH = Price(input=0.75, output=3.75, cached=0.075)
_GROK = Price(input=2.0, output=6.0, cached=0.5)

PRICES: Mapping[str, Prices] = MappingProxyType(
    {
        "openai": {
            "gpt-5-mini": Price(input=0.25, output=2.0, cached=0.025),
            "gpt-5.3-codex": Price(input=1.75, output=14.0, cached=0.175),
            "gpt-5.4": Price(input=2.5, output=15.0, cached=0.25),
            "gpt-5.4-mini": Price(input=0.75, output=4.5, cached=0.075),
            "gpt-5.4-nano": Price(input=0.2, output=1.25, cached=0.02),
            "gpt-5.5": Price(input=5.0, output=30.0, cached=0.5),
            "gpt-5.6-luna": Price(input=0.2, output=1.2, cached=0.02, written=0.25),
            "gpt-5.6-sol": Price(input=5.0, output=30.0, cached=0.5, written=6.25),
            "gpt-5.6-terra": Price(input=2.0, output=12.0, cached=0.2, written=2.5),
        },
        "anthropic": {
            "claude-haiku-4-5": _anthropic(1.0, 5.0),
            "claude-opus-4-5": _OPUS,
            "claude-opus-4-6": _OPUS,
            "claude-opus-4-7": _OPUS,
            "claude-opus-4-8": _OPUS,
            "claude-opus-5": _OPUS,
            "claude-sonnet-4-5": _SONNET,
            "claude-sonnet-4-6": _SONNET,
            "claude-sonnet-5": _anthropic(2.0, 10.0),
        },
        "gcp.gemini": {
            "gemini-3.1-pro-preview": Price(input=2.0, output=12.0, cached=0.2),
            "gemini-3.5-flash": Price(input=1.5, output=9.0, cached=0.15),
            "gemini-3.6-flash": _GEMINI_FLASH,
            "gemini-3.7-flash": _GEMINI_FLASH,
        },
        "x_ai": {"grok-4.5": _GROK, "grok-4.6": _GROK},
    }
)
"""By provider, as OpenTelemetry names them, and by model."""
