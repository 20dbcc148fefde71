"""planish's own tables, of prices and finish reasons, for the models of other libraries."""

from collections.abc import Mapping

from planish.data.message import FinishReason
from planish.data.usage import Price

__all__ = ["find_finish_reason", "find_price"]

# Names of providers in LangChain and pydantic-ai that differ from OpenTelemetry's.
_PROVIDERS: Mapping[str, str] = {
    "gemini": "gcp.gemini",
    "google": "gcp.gemini",
    "google-gla": "gcp.gemini",
    "google_genai": "gcp.gemini",
    "grok": "x_ai",
    "mistral": "mistral_ai",
    "mistralai": "mistral_ai",
    "xai": "x_ai",
}
_VARIANTS = ("-chat", "-responses")  # pydantic-ai names the API of OpenAI's models so


def find_price(provider: str, model: str) -> Price | None:
    """Return the list price of a provider's model; None if the table has none.

    Args:
        provider: The provider's name in LangChain, pydantic-ai or OpenTelemetry.
        model: The provider's name of the model.
    """
    from planish_integrations.models import transport  # noqa: PLC0415 - loads httpx

    for variant in _VARIANTS:
        provider = provider.removesuffix(variant)
    prices = transport.PRICES.get(_PROVIDERS.get(provider, provider))
    return None if prices is None else transport.find_price(model.removeprefix("models/"), prices)


def find_finish_reason(word: str | None) -> FinishReason:
    """Return planish's name for a word for why a model stopped; "unknown" for an unknown one.

    Args:
        word: The word of the library or of the provider, in any case; None if there is none.
    """
    from planish_integrations.models.transport import protocol  # noqa: PLC0415 - loads httpx

    return protocol.find_finish_reason(word)
