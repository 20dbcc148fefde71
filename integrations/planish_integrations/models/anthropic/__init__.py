"""Anthropic's Messages API.

>>> from planish_integrations.anthropic import AnthropicModel
>>> AnthropicModel("claude-sonnet-5-5", api_key="sk-ant-1")
AnthropicModel('claude-sonnet-5-5', provider='anthropic')
"""

from planish_integrations.models.anthropic._model import ANTHROPIC_URL, AnthropicModel

__all__ = ["ANTHROPIC_URL", "AnthropicModel"]
