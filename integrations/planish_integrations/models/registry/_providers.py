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
from planish_integrations.models.openai import OPENAI_URL, ProtocolVariant
from planish_integrations.models.transport.catalogue import DEFAULTS

__all__ = ["PROVIDERS", "ProtocolName", "Provider"]

ProtocolName = Literal["chat", "responses", "anthropic", "gemini", "ollama"]
"""The supported protocols: OpenAI's chat completions and Responses, Anthropic's Messages,
Gemini's generateContent, Ollama's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One provider of models: its protocol, address, environment variables and default model.

    Attributes:
        protocol: The protocol of its API.
        base_url: Its address; empty if each user has a different one.
        key_variables: Environment variables that may hold the key, in order.
        keyless: It requires no key: a server on this machine.
        otel: Its name in OpenTelemetry: `gen_ai.provider.name`.
        default: The model to use if none is named; None if there is no default.
        model_variable: The environment variable that names the model; None if there is none.
        url_variable: The environment variable that holds the address; None if there is none.
        url_path: The path to append to the address in `url_variable`.
        variant: How it differs from other servers with the same protocol.
    """

    protocol: ProtocolName = "chat"
    base_url: str = ""
    key_variables: tuple[str, ...] = ()
    keyless: bool = False
    otel: str
    default: str | None = None
    model_variable: str | None = None
    url_variable: str | None = None
    url_path: str = ""
    variant: ProtocolVariant = field(default_factory=ProtocolVariant)

    def url(self, variables: Mapping[str, str]) -> str:
        """Return its address in this environment; "" if it is unknown.

        Args:
            variables: The environment.
        """
        url = variables.get(self.url_variable, "").strip() if self.url_variable else ""
        if not url:
            return self.base_url
        # OLLAMA_HOST is "host:port"; where a key is sent, the scheme has to be explicit.
        if self.keyless and "://" not in url:
            url = f"http://{url}"
        return url.rstrip("/") + self.url_path

    def has_key(self, variables: Mapping[str, str]) -> bool:
        """Return whether the environment has a key for it."""
        return any(variables.get(name, "").strip() for name in self.key_variables)


_NEW_LIMIT_FIELD = ProtocolVariant(max_tokens="max_completion_tokens")
_AZURE = ProtocolVariant(max_tokens="max_completion_tokens", key_header="api-key")
_AZURE_KEYS = ("AZURE_OPENAI_API_KEY",)

PROVIDERS: Mapping[str, Provider] = MappingProxyType(
    {
        "openai": Provider(
            base_url=OPENAI_URL,
            key_variables=("OPENAI_API_KEY",),
            otel="openai",
            default=DEFAULTS["openai"],
            model_variable="OPENAI_MODEL",
            url_variable="OPENAI_BASE_URL",
            variant=_NEW_LIMIT_FIELD,
        ),
        "openai-responses": Provider(
            protocol="responses",
            base_url=OPENAI_URL,
            key_variables=("OPENAI_API_KEY",),
            otel="openai",
            url_variable="OPENAI_BASE_URL",
        ),
        "anthropic": Provider(
            protocol="anthropic",
            base_url=ANTHROPIC_URL,
            key_variables=("ANTHROPIC_API_KEY",),
            otel="anthropic",
            default=DEFAULTS["anthropic"],
        ),
        "gemini": Provider(
            protocol="gemini",
            base_url=GEMINI_URL,
            key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            otel="gcp.gemini",
            default=DEFAULTS["gemini"],
        ),
        "ollama": Provider(
            protocol="ollama",
            base_url=OLLAMA_URL,
            key_variables=("OLLAMA_API_KEY",),
            keyless=True,
            otel="ollama",
            model_variable="OLLAMA_MODEL",
            url_variable="OLLAMA_HOST",
        ),
        "azure": Provider(
            key_variables=_AZURE_KEYS,
            otel="azure.ai.openai",
            url_variable="AZURE_OPENAI_ENDPOINT",
            url_path="/openai/v1",
            variant=_AZURE,
        ),
        "azure-responses": Provider(
            protocol="responses",
            key_variables=_AZURE_KEYS,
            otel="azure.ai.openai",
            url_variable="AZURE_OPENAI_ENDPOINT",
            url_path="/openai/v1",
            variant=_AZURE,
        ),
        "openrouter": Provider(
            base_url="https://openrouter.ai/api/v1",
            key_variables=("OPENROUTER_API_KEY",),
            otel="openrouter",
            default=DEFAULTS["openrouter"],
        ),
        "groq": Provider(
            base_url="https://api.groq.com/openai/v1",
            key_variables=("GROQ_API_KEY",),
            otel="groq",
            default=DEFAULTS["groq"],
            variant=_NEW_LIMIT_FIELD,
        ),
        "deepseek": Provider(
            base_url="https://api.deepseek.com",
            key_variables=("DEEPSEEK_API_KEY",),
            otel="deepseek",
            default=DEFAULTS["deepseek"],
            variant=ProtocolVariant(seed=None, schema="json_object"),
        ),
        "mistral": Provider(
            base_url="https://api.mistral.ai/v1",
            key_variables=("MISTRAL_API_KEY",),
            otel="mistral_ai",
            default=DEFAULTS["mistral"],
            variant=ProtocolVariant(seed="random_seed", stream_usage=False),
        ),
        "xai": Provider(
            base_url="https://api.x.ai/v1",
            key_variables=("XAI_API_KEY",),
            otel="x_ai",
            default=DEFAULTS["xai"],
        ),
        "together": Provider(
            base_url="https://api.together.xyz/v1",
            key_variables=("TOGETHER_API_KEY",),
            otel="together_ai",
        ),
        "fireworks": Provider(
            base_url="https://api.fireworks.ai/inference/v1",
            key_variables=("FIREWORKS_API_KEY",),
            otel="fireworks_ai",
        ),
        "cerebras": Provider(
            base_url="https://api.cerebras.ai/v1",
            key_variables=("CEREBRAS_API_KEY",),
            otel="cerebras",
            variant=_NEW_LIMIT_FIELD,
        ),
        "huggingface": Provider(
            base_url="https://router.huggingface.co/v1",
            key_variables=("HF_TOKEN",),
            otel="huggingface",
        ),
        "perplexity": Provider(
            base_url="https://api.perplexity.ai",
            key_variables=("PERPLEXITY_API_KEY",),
            otel="perplexity",
            variant=ProtocolVariant(seed=None, stream_usage=False),
        ),
        "moonshot": Provider(
            base_url="https://api.moonshot.ai/v1",
            key_variables=("MOONSHOT_API_KEY",),
            otel="moonshot_ai",
            variant=ProtocolVariant(seed=None, schema="json_object"),
        ),
        "zai": Provider(
            base_url="https://api.z.ai/api/paas/v4",
            key_variables=("ZAI_API_KEY",),
            otel="z_ai",
            variant=ProtocolVariant(seed=None, stream_usage=False, schema="json_object"),
        ),
        "vllm": Provider(
            base_url="http://localhost:8000/v1",
            key_variables=("VLLM_API_KEY",),
            keyless=True,
            otel="vllm",
        ),
        "llamacpp": Provider(
            base_url="http://localhost:8080/v1",
            key_variables=("LLAMACPP_API_KEY",),
            keyless=True,
            otel="llama_cpp",
        ),
        "lmstudio": Provider(base_url="http://localhost:1234/v1", keyless=True, otel="lm_studio"),
    }
)
"""The providers, by the name before the colon in `"openai:gpt-6.1-terra"`."""
