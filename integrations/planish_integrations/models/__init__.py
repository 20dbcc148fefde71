"""Language models, by name (`model("openai:...")`) or from one of the modules here.

>>> from planish_integrations.models import model
>>> model("ollama:qwen3:8b")
OllamaModel('qwen3:8b', provider='ollama')
>>> model("vllm:Qwen/Qwen3-Coder", base_url="http://gpu-7:8000/v1")
OpenAIModel('Qwen/Qwen3-Coder', provider='vllm', base_url='http://gpu-7:8000/v1')

`registry` finds a model by its provider's name; it imports all providers, so it is loaded when
one of its names is first used here. `openai`, `anthropic`, `gemini` and `ollama` each implement
one provider's protocol, over `transport`; `foreign` adapts models of other libraries.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planish_integrations.models.registry import PROVIDERS, Provider, model, model_from_env

__all__ = ["PROVIDERS", "Provider", "model", "model_from_env"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from planish_integrations.models import registry  # noqa: PLC0415 - it imports all providers

        return getattr(registry, name)
