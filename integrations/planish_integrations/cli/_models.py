"""From a model's name to the model."""

import os
from collections.abc import Sequence

import click

from planish import Model
from planish_integrations.evaluation import Problem, answers
from planish_integrations.openai import OpenAIModel, model_from_env

__all__ = ["OFFLINE", "model_named"]

OFFLINE = ("canonical", "pass")
"""Models that need no network."""

_OLLAMA = "ollama:"
_OLLAMA_URL = "http://localhost:11434/v1"


async def model_named(name: str | None, problems: Sequence[Problem], *, attempts: int) -> Model:
    """The model to measure.

    Args:
        name: As it was given; None for what the environment has.
        problems: What it will be asked.
        attempts: How often, each.

    Raises:
        click.UsageError: there is no such model, or OPENAI_BASE_URL is not a URL.
        AuthenticationError: there is no key for it.
    """
    if name in OFFLINE:
        return answers(name, problems, attempts=attempts)
    try:
        return await _from_env() if name is None else _of_server(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


async def _from_env() -> Model:
    found = await model_from_env()
    if found is None:
        raise click.UsageError(
            "no model: set OPENAI_API_KEY, start Ollama, or give --model "
            f"({' and '.join(OFFLINE)} need no network)"
        )
    return found


def _of_server(name: str) -> Model:
    if name.startswith(_OLLAMA):
        own = name.removeprefix(_OLLAMA)
        if not own:
            raise click.UsageError("--model ollama: needs a name, as in ollama:qwen3:8b")
        return OpenAIModel(own, base_url=_OLLAMA_URL, provider="ollama", api_key="")
    base_url = os.environ.get("OPENAI_BASE_URL")
    return OpenAIModel(name, base_url=base_url) if base_url else OpenAIModel(name)
