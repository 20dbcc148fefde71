"""OpenAI's APIs, chat completions and Responses, and other servers that implement them."""

from planish_integrations.models.openai import (
    OPENAI_URL,
    Backoff,
    Dialect,
    OpenAIModel,
    OpenAIResponsesModel,
    Price,
)

__all__ = ["OPENAI_URL", "Backoff", "Dialect", "OpenAIModel", "OpenAIResponsesModel", "Price"]
