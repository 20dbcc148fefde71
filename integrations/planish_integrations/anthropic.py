"""Anthropic's Messages API."""

from planish_integrations.models.anthropic import ANTHROPIC_URL, AnthropicModel

__all__ = ["ANTHROPIC_URL", "AnthropicModel"]
