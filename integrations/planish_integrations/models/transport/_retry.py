"""Send a request again after errors that may pass."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from math import isfinite
from random import SystemRandom

from planish.abc import Clock, OnText
from planish.data.message import Reply
from planish.errors import CircuitOpenError, ModelError, OverloadedError, RateLimitError
from planish_integrations.models.transport._breaker import Breaker
from planish_integrations.models.transport._errors import Trouble
from planish_integrations.models.transport._rate_limiter import Pace

__all__ = ["Backoff", "Manners", "Send", "Told", "Tries", "marked", "persist"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff with full jitter, for trouble that passes.

    The n-th wait is drawn from 0 to `first` x 2^(n-1) seconds ("full jitter", Brooker,
    "Exponential Backoff And Jitter", AWS Architecture Blog, 2015), or is what the provider
    asks for, and up to `first` more, so that many who were told the same do not come back
    at once.

    Attributes:
        tries: How often a request is sent, the first time included.
        first: Upper bound of the first wait in seconds; 0.5 is that of OpenAI's own client.
        longest: The longest single wait in seconds. When a provider asks for more, the error
            is raised at once: the caller may know better than to sit and wait. 60 outlasts
            the per-minute limits that providers set.

    Raises:
        ValueError: `tries` below 1, or a time that is negative or not finite.
    """

    tries: int = 6
    first: float = 0.5
    longest: float = 60.0

    def __post_init__(self) -> None:
        if self.tries < 1:
            raise ValueError(f"Backoff(tries={self.tries!r}): must be at least 1")
        for name in ("first", "longest"):
            value: float = getattr(self, name)
            if not (value >= 0 and isfinite(value)):
                raise ValueError(f"Backoff({name}={value!r}): must be from 0 and finite")

    def wait(self, failures: int, asked: float | None, chance: float) -> float | None:
        """Seconds to wait before the next try; None to give up.

        Args:
            failures: How many tries have failed, from 1.
            asked: Seconds the provider asks to wait; None where it does not say.
            chance: From 0 to 1, drawn by the caller.
        """
        if failures >= self.tries or (asked is not None and asked > self.longest):
            return None
        if asked is not None:
            return asked + chance * self.first
        doubled = self.first * 2.0 ** min(failures - 1, 60)  # 2^60 s: past any `longest`
        return chance * min(self.longest, doubled)


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
