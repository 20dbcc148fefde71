"""The providers, one row each.

Addresses, variables and parameters are those of each provider's own API reference, as far as
they could be compared on 22 November 2026; default models are those of
`planish_integrations.models.transport.catalogue`. What a row does not say is the same for all.
"""

from collections.abc import Mapping
from types import MappingProxyType

from planish_integrations.models.anthropic import ANTHROPIC_URL
from planish_integrations.models.gemini import GEMINI_URL
from planish_integrations.models.ollama import OLLAMA_URL
from planish_integrations.models.openai import OPENAI_URL, Dialect
from planish_integrations.models.registry._provider import Provider
from planish_integrations.models.transport.catalogue import DEFAULTS

__all__ = ["PROVIDERS"]

_NEW_NAME = Dialect(max_tokens="max_completion_tokens")
_AZURE = Dialect(max_tokens="max_completion_tokens", key_header="api-key")
_AZURE_KEYS = ("AZURE_OPENAI_API_KEY",)

PROVIDERS: Mapping[str, Provider] = MappingProxyType(
    {
        "openai": Provider(
            base_url=OPENAI_URL,
            keys=("OPENAI_API_KEY",),
            otel="openai",
            default=DEFAULTS["openai"],
            model_variable="OPENAI_MODEL",
            url_variable="OPENAI_BASE_URL",
            dialect=_NEW_NAME,
        ),
        "openai-responses": Provider(
            wire="responses",
            base_url=OPENAI_URL,
            keys=("OPENAI_API_KEY",),
            otel="openai",
            url_variable="OPENAI_BASE_URL",
        ),
        "anthropic": Provider(
            wire="anthropic",
            base_url=ANTHROPIC_URL,
            keys=("ANTHROPIC_API_KEY",),
            otel="anthropic",
            default=DEFAULTS["anthropic"],
        ),
        "gemini": Provider(
            wire="gemini",
            base_url=GEMINI_URL,
            keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            otel="gcp.gemini",
            default=DEFAULTS["gemini"],
        ),
        "ollama": Provider(
            wire="ollama",
            base_url=OLLAMA_URL,
            keys=("OLLAMA_API_KEY",),
            free=True,
            otel="ollama",
            model_variable="OLLAMA_MODEL",
            url_variable="OLLAMA_HOST",
        ),
        "azure": Provider(
            keys=_AZURE_KEYS,
            otel="azure.ai.openai",
            url_variable="AZURE_OPENAI_ENDPOINT",
            url_path="/openai/v1",
            dialect=_AZURE,
        ),
        "azure-responses": Provider(
            wire="responses",
            keys=_AZURE_KEYS,
            otel="azure.ai.openai",
            url_variable="AZURE_OPENAI_ENDPOINT",
            url_path="/openai/v1",
            dialect=_AZURE,
        ),
        "openrouter": Provider(
            base_url="https://openrouter.ai/api/v1",
            keys=("OPENROUTER_API_KEY",),
            otel="openrouter",
            default=DEFAULTS["openrouter"],
        ),
        "groq": Provider(
            base_url="https://api.groq.com/openai/v1",
            keys=("GROQ_API_KEY",),
            otel="groq",
            default=DEFAULTS["groq"],
            dialect=_NEW_NAME,
        ),
        "deepseek": Provider(
            base_url="https://api.deepseek.com",
            keys=("DEEPSEEK_API_KEY",),
            otel="deepseek",
            default=DEFAULTS["deepseek"],
            dialect=Dialect(seed=None, schema="json_object"),
        ),
        "mistral": Provider(
            base_url="https://api.mistral.ai/v1",
            keys=("MISTRAL_API_KEY",),
            otel="mistral_ai",
            default=DEFAULTS["mistral"],
            dialect=Dialect(seed="random_seed", stream_usage=False),
        ),
        "xai": Provider(
            base_url="https://api.x.ai/v1",
            keys=("XAI_API_KEY",),
            otel="x_ai",
            default=DEFAULTS["xai"],
        ),
        "together": Provider(
            base_url="https://api.together.xyz/v1",
            keys=("TOGETHER_API_KEY",),
            otel="together_ai",
        ),
        "fireworks": Provider(
            base_url="https://api.fireworks.ai/inference/v1",
            keys=("FIREWORKS_API_KEY",),
            otel="fireworks_ai",
        ),
        "cerebras": Provider(
            base_url="https://api.cerebras.ai/v1",
            keys=("CEREBRAS_API_KEY",),
            otel="cerebras",
            dialect=_NEW_NAME,
        ),
        "huggingface": Provider(
            base_url="https://router.huggingface.co/v1",
            keys=("HF_TOKEN",),
            otel="huggingface",
        ),
        "perplexity": Provider(
            base_url="https://api.perplexity.ai",
            keys=("PERPLEXITY_API_KEY",),
            otel="perplexity",
            dialect=Dialect(seed=None, stream_usage=False),
        ),
        "moonshot": Provider(
            base_url="https://api.moonshot.ai/v1",
            keys=("MOONSHOT_API_KEY",),
            otel="moonshot_ai",
            dialect=Dialect(seed=None, schema="json_object"),
        ),
        "zai": Provider(
            base_url="https://api.z.ai/api/paas/v4",
            keys=("ZAI_API_KEY",),
            otel="z_ai",
            dialect=Dialect(seed=None, stream_usage=False, schema="json_object"),
        ),
        "vllm": Provider(
            base_url="http://localhost:8000/v1", keys=("VLLM_API_KEY",), free=True, otel="vllm"
        ),
        "llamacpp": Provider(
            base_url="http://localhost:8080/v1",
            keys=("LLAMACPP_API_KEY",),
            free=True,
            otel="llama_cpp",
        ),
        "lmstudio": Provider(base_url="http://localhost:1234/v1", free=True, otel="lm_studio"),
    }
)
"""By the name that stands before the colon: `"openai:gpt-6.1-terra"`."""
