"""Find models by name: the one package that imports all providers.

>>> from planish_integrations.models import model
>>> model("ollama:qwen3:8b")
OllamaModel('qwen3:8b', provider='ollama')
>>> model("vllm:Qwen/Qwen3-Coder", base_url="http://gpu-7:8000/v1")
OpenAIModel('Qwen/Qwen3-Coder', provider='vllm', base_url='http://gpu-7:8000/v1')
"""

from planish_integrations.models.registry._lookup import model, model_from_env
from planish_integrations.models.registry._providers import PROVIDERS, Provider

__all__ = ["PROVIDERS", "Provider", "model", "model_from_env"]
