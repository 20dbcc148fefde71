"""LiteLLM as a planish model: any of its hundred providers, or a Router over several.

Needs `pip install "planish[litellm]"`; it is imported when a model is made. On asyncio only.
"""

from ._model import LiteLLMModel

__all__ = ["LiteLLMModel"]
