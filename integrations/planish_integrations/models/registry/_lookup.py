"""Find a model by its name (`model`), or the one the environment configures (`model_from_env`)."""

import os
from collections.abc import Callable, Mapping
from typing import Any, Unpack, cast

from planish.errors import UnknownModelError
from planish_integrations.models.anthropic import AnthropicModel
from planish_integrations.models.gemini import GeminiModel
from planish_integrations.models.ollama import OllamaModel, list_models
from planish_integrations.models.openai import OpenAIModel, OpenAIResponsesModel
from planish_integrations.models.registry._providers import PROVIDERS, ProtocolName, Provider
from planish_integrations.models.transport import (
    PRICES_AS_OF,
    ApiKey,
    HttpModel,
    Options,
    resolve_key,
    suggest,
)

__all__ = ["model", "model_from_env"]

_CLASSES: Mapping[ProtocolName, Callable[..., HttpModel]] = {
    "chat": OpenAIModel,
    "responses": OpenAIResponsesModel,
    "anthropic": AnthropicModel,
    "gemini": GeminiModel,
    "ollama": OllamaModel,
}
# Prefixes of the providers' model names; used for a hint only.
_MODEL_PREFIXES = {
    "openai": ("gpt-", "chatgpt-", "o1", "o3", "o4", "codex-"),
    "anthropic": ("claude-",),
    "gemini": ("gemini-", "gemma-"),
    "deepseek": ("deepseek-",),
    "mistral": ("mistral-", "codestral-", "devstral-", "magistral-", "ministral-"),
    "xai": ("grok-",),
    "ollama": ("llama", "qwen", "phi"),
}
_MODEL_VARIABLE = "PLANISH_MODEL"


def model(
    name: str,
    *,
    api_key: ApiKey | None = None,
    base_url: str | None = None,
    **options: Unpack[Options],
) -> HttpModel:
    """Return the model with a name, as in `model("openai:gpt-6.1-terra")`.

    Sends nothing. The part before the first colon is one of `PROVIDERS`; the rest is the
    provider's name of the model (for Azure: of the deployment), as in `model("ollama:qwen3:8b")`.

    Args:
        name: Provider and model.
        api_key: The key; None (the default) reads the provider's environment variable. "" sends
            none.
        base_url: The address to use in place of the provider's own; None (the default) for that.
        options: Time-outs, backoff, prices and more: see `Options` in `models.transport`.

    Raises:
        UnknownModelError: the name has no known provider, or no model, or the provider has no
            address; the message says what to write or to set. It is also a ValueError.
        AuthenticationError: there is no key; the message names the variable to set.
        ValueError: an option is invalid; see `HttpModel`.
    """
    if not isinstance(cast("object", name), str):
        raise UnknownModelError(f"model({name!r:.80}): give a text, such as 'ollama:qwen3:8b'")
    prefix, colon, own_name = name.partition(":")
    provider = PROVIDERS.get(prefix)
    if provider is None or not own_name:
        raise UnknownModelError(_unknown_message(name, prefix, colon))
    url = base_url or provider.url(os.environ)
    if not url:
        raise UnknownModelError(
            f"each user of {prefix} has an address of their own: set the environment variable "
            f"{provider.url_variable}, or pass base_url=..."
        )
    # A server of the user's may require no key; a provider at its own address requires one.
    is_own_address = url == provider.base_url or (base_url is None and not provider.base_url)
    key_required = is_own_address and api_key is None and not provider.keyless
    key = resolve_key(
        api_key, os.environ, *provider.key_variables, required_by=prefix if key_required else None
    )
    arguments: dict[str, Any] = {**options}
    if provider.protocol in ("chat", "responses"):
        arguments["variant"] = provider.variant
    result = _CLASSES[provider.protocol](
        own_name, api_key=key, base_url=url, provider=provider.otel, **arguments
    )
    if own_name == provider.default:
        result.hint = _default_hint(prefix, provider)
    return result


async def model_from_env(**options: Unpack[Options]) -> HttpModel | None:
    """Return the model the environment names, else one it has a key for, else a local Ollama's.

    The first of these that is available:

    1. PLANISH_MODEL, as `model` reads it: "anthropic:claude-sonnet-5-5".
    2. The first of `PROVIDERS` whose key is set and that has a default model. OPENAI_MODEL and
       OPENAI_BASE_URL set OpenAI's model and address. Sends nothing to find out.
    3. An Ollama on this machine (or at OLLAMA_HOST), if it accepts a connection within 0.3 s:
       OLLAMA_MODEL, or the first model it lists.

    Args:
        options: As for `model`.

    Returns:
        The model; None if there is none, so that `or` can provide another one:
        `await model_from_env() or ScriptedModel([...])`.

    Raises:
        UnknownModelError: PLANISH_MODEL names no known model.
        AuthenticationError: there is no key for it, or a key has characters that no HTTP header
            can have.
        ValueError: an address in the environment is not an http(s) URL.
    """
    if name := os.environ.get(_MODEL_VARIABLE, "").strip():
        return model(name, **options)
    for prefix, provider in PROVIDERS.items():
        own_name = _default_model(provider)
        if own_name and not provider.keyless and provider.has_key(os.environ):
            return model(f"{prefix}:{own_name}", **options)
    ollama = PROVIDERS["ollama"]
    names = await list_models(ollama.url(os.environ))
    if not names:
        return None
    return model(f"ollama:{_default_model(ollama) or names[0]}", **options)


def _default_model(provider: Provider) -> str | None:
    """Return the provider's model to use if none is named; None if there is no default."""
    variable = provider.model_variable
    return (os.environ.get(variable) if variable else None) or provider.default


def _default_hint(prefix: str, provider: Provider) -> str:
    variables = [f"PLANISH_MODEL={prefix}:<model>"]
    if provider.model_variable:
        variables.append(f"{provider.model_variable}=<model>")
    return (
        f"{provider.default!r} is planish's default for {prefix!r} as of {PRICES_AS_OF}: name "
        f"another with model('{prefix}:<model>') or the environment variable "
        f"{' or '.join(variables)}"
    )


def _unknown_message(name: str, prefix: str, colon: str) -> str:
    if prefix in PROVIDERS:
        example = PROVIDERS[prefix].default or "..."
        return f"{name!r} names no model: write it as in '{prefix}:{example}'"
    known = f"known are {', '.join(PROVIDERS)}"
    prefixes = _MODEL_PREFIXES.items()
    guess = next((p for p, begins in prefixes if name.startswith(begins)), None)
    if guess is not None:
        return f"{name!r} names no provider: write '{guess}:{name}'; {known}"
    hint = suggest(prefix, PROVIDERS)
    text = (
        f"names an unknown provider {prefix!r}"
        if colon
        else "names no provider, as in 'openai:gpt-6.1-terra'"
    )
    return f"{name!r} {text}{f' ({hint})' if hint else ''}; {known}"
