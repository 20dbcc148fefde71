"""All wires, for tests that hold for each of them."""

from collections.abc import Callable, Mapping
from typing import Any

from planish_integrations.anthropic import AnthropicModel
from planish_integrations.gemini import GeminiModel
from planish_integrations.models.anthropic import MessagesAnswer
from planish_integrations.models.gemini import GeminiAnswer
from planish_integrations.models.ollama import OllamaAnswer
from planish_integrations.models.openai._chat import ChatAnswer
from planish_integrations.models.openai._responses import ResponsesAnswer
from planish_integrations.models.transport import HttpModel
from planish_integrations.models.transport.protocol import Answer
from planish_integrations.ollama import OllamaModel
from planish_integrations.openai import OpenAIModel, OpenAIResponsesModel

MODELS: Mapping[str, Callable[..., HttpModel]] = {
    "chat": OpenAIModel,
    "responses": OpenAIResponsesModel,
    "anthropic": AnthropicModel,
    "gemini": GeminiModel,
    "ollama": OllamaModel,
}
ANSWERS: Mapping[str, Callable[[], Answer]] = {
    "chat": ChatAnswer,
    "responses": ResponsesAnswer,
    "anthropic": MessagesAnswer,
    "gemini": GeminiAnswer,
    "ollama": OllamaAnswer,
}
PROVIDER_WIRES: Mapping[str, Any] = {name: name for name in MODELS} | {"chat": "openai"}
"""What `LoopbackProvider` calls them."""
