"""The models, readers and loopback names of all protocols, for tests that hold for each of them."""

from collections.abc import Callable, Mapping
from typing import Any

from planish_integrations.anthropic import AnthropicModel
from planish_integrations.gemini import GeminiModel
from planish_integrations.models.anthropic import MessagesReader
from planish_integrations.models.gemini import GeminiReader
from planish_integrations.models.ollama import OllamaReader
from planish_integrations.models.openai._chat import ChatReader
from planish_integrations.models.openai._responses import ResponsesReader
from planish_integrations.models.transport import HttpModel
from planish_integrations.models.transport.protocol import ResponseReader
from planish_integrations.ollama import OllamaModel
from planish_integrations.openai import OpenAIModel, OpenAIResponsesModel

MODELS: Mapping[str, Callable[..., HttpModel]] = {
    "chat": OpenAIModel,
    "responses": OpenAIResponsesModel,
    "anthropic": AnthropicModel,
    "gemini": GeminiModel,
    "ollama": OllamaModel,
}
READERS: Mapping[str, Callable[[], ResponseReader]] = {
    "chat": ChatReader,
    "responses": ResponsesReader,
    "anthropic": MessagesReader,
    "gemini": GeminiReader,
    "ollama": OllamaReader,
}
LOOPBACK_NAMES: Mapping[str, Any] = {name: name for name in MODELS} | {"chat": "openai"}
"""The names that `LoopbackProvider` has for the protocols."""
