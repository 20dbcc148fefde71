"""OpenAI's chat-completions API, and the many servers that speak it.

>>> from planish_integrations.openai import OpenAIModel
>>> OpenAIModel("qwen3:8b", base_url="http://localhost:11434/v1", provider="ollama", api_key="")
OpenAIModel('qwen3:8b', provider='ollama', base_url='http://localhost:11434/v1')
"""

from planish_integrations.openai._backoff import Backoff
from planish_integrations.openai._from_env import model_from_env
from planish_integrations.openai._model import OpenAIModel
from planish_integrations.openai._usage import Price

__all__ = ["Backoff", "OpenAIModel", "Price", "model_from_env"]
