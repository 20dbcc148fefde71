"""The model this machine has, if it has one."""

import os
from typing import Unpack

from planish_integrations.models.ollama import listed
from planish_integrations.models.registry._model import default_of, model
from planish_integrations.models.registry._providers import PROVIDERS
from planish_integrations.models.transport import HttpModel, Options

__all__ = ["model_from_env"]

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
