"""Sending a request again, for as long as that can help."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from random import SystemRandom

from planish.abc import Clock, OnText
from planish.data.message import Reply
from planish.errors import CircuitOpenError, ModelError, OverloadedError, RateLimitError
from planish_integrations.models.transport._backoff import Backoff
from planish_integrations.models.transport._breaker import Breaker
from planish_integrations.models.transport._pace import Pace
from planish_integrations.models.transport._trouble import Trouble

__all__ = ["Manners", "Send", "Told", "Tries", "marked", "persist"]

_chance = SystemRandom().random

Send = Callable[[], Awaitable[Reply]]
"""Sends a request once; raises `Trouble` where it may go better next time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a model behaves towards its provider.

    Attributes:
        backoff: How often to try, and how long to wait between.
        clock: How to wait.
        pace: What limit to keep to; None for none.
        breaker: When to leave it alone; None for never.
    """

    backoff: Backoff
    clock: Clock
    pace: Pace | None = None
    breaker: Breaker | None = None


class Told:
    """Passes pieces of text on, and knows whether any was."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.something = False

    def __call__(self, text: str) -> None:
        self.something = True
        self._on_text(text)


@dataclass(slots=True)
class Tries:
    """How often a request has failed so far; also for whoever cancels it."""

    failures: int = 0


async def persist(
    send: Send, manners: Manners, told: Told | None, whom: str, tokens: float, tries: Tries
) -> Reply:
    """Send until it is answered, or until it is better to give up.

    Args:
        send: Sends it once.
        manners: How often, and when.
        told: Where text goes; once some went, nothing is sent again: pieces given twice would
            not join to `Reply.text`.
        whom: Who is asked, for messages.
        tokens: How many it may use, for the pace.
        tries: Counts the failures.

    Raises:
        PlanishError: what `Model.reply` raises; a `ModelError` says in `resends` how often it
            was sent again.
    """
    while True:
        try:
            reply = await _paced(send, manners, whom, tokens)
        except Trouble as trouble:
            tries.failures += 1
            wait = manners.backoff.wait(tries.failures, trouble.asked, _chance())
            if manners.pace is not None and isinstance(trouble.error, RateLimitError):
                manners.pace.hold(min(trouble.asked or 0.0, manners.backoff.longest))
            if wait is None or (told is not None and told.something):
                raise marked(trouble.error, tries.failures - 1) from trouble.__cause__
        except ModelError as error:
            # A circuit that is open kept the last one from being sent.
            marked(
                error, tries.failures - (tries.failures > 0 and isinstance(error, CircuitOpenError))
            )
            raise
        else:
            return replace(reply, resends=tries.failures)
        await manners.clock.sleep(wait)


async def _paced(send: Send, manners: Manners, whom: str, tokens: float) -> Reply:
    """Send once, when it is its turn; then count what it used, which is nothing if it failed."""
    if manners.pace is None:
        return await _once(send, manners.breaker, whom)
    await manners.pace.take(tokens)
    used = 0.0
    try:
        reply = await _once(send, manners.breaker, whom)
        used = reply.usage.tokens
    finally:
        manners.pace.correct(tokens, used)
    return reply


async def _once(send: Send, breaker: Breaker | None, whom: str) -> Reply:
    if breaker is None:
        return await send()
    breaker.enter(whom)
    settle = breaker.left
    try:
        reply = await send()
        settle = breaker.passed
        return reply
    except Trouble as trouble:
        down = isinstance(trouble.error, OverloadedError)
        settle = breaker.failed if down else breaker.passed
        raise
    except Exception:
        settle = breaker.passed  # a refusal or nonsense: somebody is there
        raise
    finally:
        settle()


def marked(error: ModelError, resends: int) -> ModelError:
    """The error, saying how often the request was sent again."""
    error.resends = resends
    if resends:
        error.add_note(f"after {resends + 1} tries")
    return error
