"""OpenAI"s APIs, chat completions and Responses, and the many servers that speak them."""

from planish_integrations.models.openai import (
    OPENAI_URL,
    Backoff,
    Dialect,
    OpenAIModel,
    OpenAIResponsesModel,
    Price,
)

__all__ = ["OPENAI_URL", "Backoff", "Dialect", "OpenAIModel", "OpenAIResponsesModel", "Price"]
