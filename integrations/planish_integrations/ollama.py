"""Ollama's own API (/api/chat)."""

from planish_integrations.models.ollama import OLLAMA_URL, OllamaModel, list_models

__all__ = ["OLLAMA_URL", "OllamaModel", "list_models"]
