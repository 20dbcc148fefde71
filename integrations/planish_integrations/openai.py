"""OpenAI's APIs, chat completions and Responses, and other servers that implement them."""

from planish_integrations.models.openai import (
    OPENAI_URL,
    Backoff,
    OpenAIModel,
    OpenAIResponsesModel,
    Price,
    ProtocolVariant,
)

__all__ = [
    "OPENAI_URL",
    "Backoff",
    "OpenAIModel",
    "OpenAIResponsesModel",
    "Price",
    "ProtocolVariant",
]
