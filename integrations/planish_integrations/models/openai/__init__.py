"""OpenAI's APIs, chat completions and Responses, and other servers that implement them.

>>> from planish_integrations.openai import OpenAIModel
>>> OpenAIModel("qwen3:8b", base_url="http://localhost:11434/v1", provider="ollama", api_key="")
OpenAIModel('qwen3:8b', provider='ollama', base_url='http://localhost:11434/v1')
"""

from planish_integrations.models.openai._common import ProtocolVariant
from planish_integrations.models.openai._model import OPENAI_URL, OpenAIModel, OpenAIResponsesModel
from planish_integrations.models.transport import Backoff, Price

__all__ = [
    "OPENAI_URL",
    "Backoff",
    "OpenAIModel",
    "OpenAIResponsesModel",
    "Price",
    "ProtocolVariant",
]
