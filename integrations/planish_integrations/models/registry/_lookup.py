"""Find a model by its name, or from the environment."""

import os
from collections.abc import Callable, Mapping
from typing import Any, Unpack

from planish.errors import UnknownModelError
from planish_integrations.models.anthropic import AnthropicModel
from planish_integrations.models.gemini import GeminiModel
from planish_integrations.models.ollama import OllamaModel, listed
from planish_integrations.models.openai import OpenAIModel, OpenAIResponsesModel
from planish_integrations.models.registry._providers import PROVIDERS, Provider, WireName
from planish_integrations.models.transport import (
    PRICES_AS_OF,
    HttpModel,
    Options,
    Secret,
    key_of,
    near,
)

__all__ = ["model", "model_from_env"]

_CLASSES: Mapping[WireName, Callable[..., HttpModel]] = {
    "chat": OpenAIModel,
    "responses": OpenAIResponsesModel,
    "anthropic": AnthropicModel,
    "gemini": GeminiModel,
    "ollama": OllamaModel,
}
# Whose names begin so; for a hint only.
_BEGINNINGS = {
    "openai": ("gpt-", "chatgpt-", "o1", "o3", "o4", "codex-"),
    "anthropic": ("claude-",),
    "gemini": ("gemini-", "gemma-"),
    "deepseek": ("deepseek-",),
    "mistral": ("mistral-", "codestral-", "devstral-", "magistral-", "ministral-"),
    "xai": ("grok-",),
    "ollama": ("llama", "qwen", "phi"),
}


def model(
    name: str,
    *,
    api_key: Secret | str | None = None,
    base_url: str | None = None,
    **options: Unpack[Options],
) -> HttpModel:
    """The model a name says: `model("openai:gpt-6.1-terra")`, `model("ollama:qwen3:8b")`.

    Nothing is sent. What stands before the first colon is one of `PROVIDERS`; the rest is the
    provider's own name of the model (for Azure: of the deployment).

    Args:
        name: Provider and model.
        api_key: The key; None (the default) reads the provider's environment variable. "" sends
            none.
        base_url: Where to ask instead of the provider's own address.
        options: Time-outs, backoff, prices and more: see `Options` in `models.transport`.

    Raises:
        UnknownModelError: the name says no provider that is known, or no model, or the
            provider has no address; the message says what to write or to set. It is a
            ValueError, too.
        AuthenticationError: there is no key; the message names the variable to set.
        ValueError: an option is wrong; see `HttpModel`.
    """
    prefix, colon, own = name.partition(":")
    provider = PROVIDERS.get(prefix)
    if provider is None or not own:
        raise UnknownModelError(_unknown(name, prefix, colon))
    where = base_url or provider.url(os.environ)
    if not where:
        raise UnknownModelError(
            f"{prefix} has an address of its own for everybody: set the environment variable "
            f"{provider.url_variable}, or give base_url=..."
        )
    # A server of the user's own may want no key; a provider at its own address wants one.
    at_home = where == provider.base_url or (base_url is None and not provider.base_url)
    needed = at_home and api_key is None and not provider.free
    key = key_of(api_key, os.environ, *provider.keys, needed_by=prefix if needed else None)
    more: dict[str, Any] = {**options}
    if provider.wire in ("chat", "responses"):
        more["dialect"] = provider.dialect
    found = _CLASSES[provider.wire](
        own, api_key=key, base_url=where, provider=provider.otel, **more
    )
    if own == provider.default:
        found.hint = _hint(prefix, provider)
    return found


def default_of(provider: Provider) -> str | None:
    """The model of a provider to ask where nobody says which."""
    variable = provider.model_variable
    return (os.environ.get(variable) if variable else None) or provider.default


def _hint(prefix: str, provider: Provider) -> str:
    variables = [f"PLANISH_MODEL={prefix}:<model>"]
    if provider.model_variable:
        variables.append(f"{provider.model_variable}=<model>")
    return (
        f"{provider.default!r} is planish's default for {prefix!r} as of {PRICES_AS_OF}: name "
        f"another with model('{prefix}:<model>') or the environment variable "
        f"{' or '.join(variables)}"
    )


def _unknown(name: str, prefix: str, colon: str) -> str:
    if prefix in PROVIDERS:
        example = PROVIDERS[prefix].default or "..."
        return f"{name!r} says no model: write it as in '{prefix}:{example}'"
    known = f"known are {', '.join(PROVIDERS)}"
    guess = next((p for p, begins in _BEGINNINGS.items() if name.startswith(begins)), None)
    if guess is not None:
        return f"{name!r} says no provider: write '{guess}:{name}'; {known}"
    hint = near(prefix, PROVIDERS)
    what = f"no provider {prefix!r}" if colon else "no provider, as in 'openai:gpt-6.1-terra'"
    return f"{name!r} says {what}{f' ({hint})' if hint else ''}; {known}"


_VARIABLE = "PLANISH_MODEL"


async def model_from_env(**options: Unpack[Options]) -> HttpModel | None:
    """The model the environment names, else one it has a key for, else a local Ollama's.

    Asked in this order, the first that is there counts:

    1. PLANISH_MODEL, as `model` reads it: "anthropic:claude-sonnet-5-5".
    2. The first of `PROVIDERS` whose key is set and that has a default model. OPENAI_MODEL
       says which one of OpenAI's, OPENAI_BASE_URL where. Nothing is sent to find out.
    3. An Ollama on this machine (or at OLLAMA_HOST), when it accepts a connection within 0.3 s:
       OLLAMA_MODEL, or the first model it lists.

    Args:
        options: As for `model`.

    Returns:
        The model; None where there is none, so that `or` can stand behind it:
        `await model_from_env() or ScriptedModel([...])`.

    Raises:
        UnknownModelError: PLANISH_MODEL names no model.
        AuthenticationError: there is no key for it, or one cannot stand in an HTTP header.
        ValueError: an address in the environment is no http(s) URL.
    """
    if named := os.environ.get(_VARIABLE, "").strip():
        return model(named, **options)
    for name, provider in PROVIDERS.items():
        chosen = default_of(provider)
        if chosen and not provider.free and provider.has_key(os.environ):
            return model(f"{name}:{chosen}", **options)
    ollama = PROVIDERS["ollama"]
    names = await listed(ollama.url(os.environ))
    if not names:
        return None
    return model(f"ollama:{default_of(ollama) or names[0]}", **options)
