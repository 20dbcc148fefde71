"""LiteLLM as a planish model: any of its providers, or a Router over several."""

from planish_integrations.models.foreign.litellm import LiteLLMModel

__all__ = ["LiteLLMModel"]
