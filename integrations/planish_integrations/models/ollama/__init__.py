"""Ollama's own API, /api/chat.

>>> from planish_integrations.ollama import OllamaModel
>>> OllamaModel("qwen3:8b")
OllamaModel('qwen3:8b', provider='ollama')
"""

from planish_integrations.models.ollama._listed import listed
from planish_integrations.models.ollama._model import OLLAMA_URL, OllamaModel

__all__ = ["OLLAMA_URL", "OllamaModel", "listed"]
