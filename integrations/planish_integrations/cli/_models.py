"""From a model's name to the model."""

from collections.abc import Sequence

import click

from planish import Model
from planish_integrations.evaluation import Problem, answers
from planish_integrations.models.registry import model, model_from_env

__all__ = ["OFFLINE", "model_named"]

OFFLINE = ("canonical", "pass")
"""Models that need no network."""


async def model_named(name: str | None, problems: Sequence[Problem], *, attempts: int) -> Model:
    """The model to measure.

    Args:
        name: As it was given; None for what the environment has.
        problems: What it will be asked.
        attempts: How often, each.

    Raises:
        click.UsageError: there is no such model, or an address in the environment is no URL.
        AuthenticationError: there is no key for it.
    """
    if name in OFFLINE:
        return answers(name, problems, attempts=attempts)
    try:
        found = await model_from_env() if name is None else model(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if found is None:
        raise click.UsageError(
            "no model: set PLANISH_MODEL or the key of a provider, as OPENAI_API_KEY, start "
            f"Ollama, or give --model ({' and '.join(OFFLINE)} need no network)"
        )
    return found
