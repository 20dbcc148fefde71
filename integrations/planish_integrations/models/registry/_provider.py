"""What is to be known of one provider, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from planish_integrations.models.openai import Dialect

__all__ = ["Provider", "WireName"]

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
