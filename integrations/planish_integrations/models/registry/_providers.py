"""The table of providers, one row each.

Addresses, variables and parameters come from each provider's API reference, as far as they could
be compared on 22 November 2026; default models come from
`planish_integrations.models.transport.catalogue`. A field that a row leaves out has its default.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from planish_integrations.models.anthropic import ANTHROPIC_URL
from planish_integrations.models.gemini import GEMINI_URL
from planish_integrations.models.ollama import OLLAMA_URL
from planish_integrations.models.openai import OPENAI_URL, Dialect
from planish_integrations.models.transport.catalogue import DEFAULTS

__all__ = ["PROVIDERS", "Provider", "WireName"]

WireName = Literal["chat", "responses", "anthropic", "gemini", "ollama"]
"""The APIs that are spoken: OpenAI's chat completions and Responses, Anthropic's Messages,
Gemini's generateContent, Ollama's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Somebody who serves models.

    Attributes:
        wire: The API it speaks.
        base_url: Where; empty where everybody has an address of their own.
        keys: Environment variables that may hold the key, the first that is set counts.
        free: It can be asked without a key: a server on this machine.
        otel: What OpenTelemetry calls it: `gen_ai.provider.name`.
        default: The model to ask where nobody says which.
        model_variable: The environment variable that says which.
        url_variable: The environment variable that says where instead.
        url_path: What stands behind that address.
        dialect: How it differs from others of its API.
    """

    wire: WireName = "chat"
    base_url: str = ""
    keys: tuple[str, ...] = ()
    free: bool = False
    otel: str
    default: str | None = None
    model_variable: str | None = None
    url_variable: str | None = None
    url_path: str = ""
    dialect: Dialect = field(default_factory=Dialect)

    def url(self, variables: Mapping[str, str]) -> str:
        """Where it is by this environment; empty where that is not known."""
        said = variables.get(self.url_variable, "").strip() if self.url_variable else ""
        if not said:
            return self.base_url
        if self.free and "://" not in said:  # OLLAMA_HOST is "host:port"; a key asks for more
            said = f"http://{said}"
        return said.rstrip("/") + self.url_path

    def has_key(self, variables: Mapping[str, str]) -> bool:
        """The environment has a key for it."""
        return any(variables.get(name, "").strip() for name in self.keys)


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
