"""Sending a request again, for as long as that can help."""

from dataclasses import replace
from random import SystemRandom

import httpx

from planish.abc import Clock, OnText
from planish.data.message import Reply
from planish.errors import ModelError
from planish_integrations.openai._backoff import Backoff
from planish_integrations.openai._exchange import Exchange
from planish_integrations.openai._trouble import Trouble

__all__ = ["persist"]

_chance = SystemRandom().random


async def persist(
    exchange: Exchange,
    client: httpx.AsyncClient,
    on_text: OnText | None,
    backoff: Backoff,
    clock: Clock,
) -> Reply:
    """Run the exchange until it is answered, or until it is better to give up.

    Raises:
        PlanishError: what `Model.reply` raises.
    """
    told = None if on_text is None else _Told(on_text)
    failures = 0
    while True:
        try:
            reply = await exchange.run(client, told)
        except Trouble as trouble:
            failures += 1
            wait = backoff.wait(failures, trouble.asked, _chance())
            if wait is None or (told is not None and told.something):
                raise _last(trouble, failures) from trouble.__cause__
        else:
            return replace(reply, resends=failures)
        await clock.sleep(wait)


class _Told:
    """Passes pieces of text on, and knows whether any was."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.something = False

    def __call__(self, text: str) -> None:
        self.something = True
        self._on_text(text)


def _last(trouble: Trouble, tries: int) -> ModelError:
    if tries > 1:
        trouble.error.add_note(f"after {tries} tries")
    return trouble.error
