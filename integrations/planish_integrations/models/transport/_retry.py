"""Send a request again after failures that may pass: backoff, retry policy, resend counts."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isfinite
from random import SystemRandom

from planish.abc import Clock, OnText
from planish.data.message import Reply
from planish.data.usage import Usage, attach_usage, usage_of
from planish.errors import CircuitOpenError, ModelError, OverloadedError, RateLimitError
from planish_integrations.models.transport._breaker import Breaker
from planish_integrations.models.transport._errors import RetryableError
from planish_integrations.models.transport._rate_limiter import RateLimiter

__all__ = [
    "AttemptCounter",
    "Backoff",
    "RetryPolicy",
    "Send",
    "StreamSink",
    "send_with_retry",
    "with_resend_count",
]

_random = SystemRandom().random

Send = Callable[[], Awaitable[Reply]]
"""Sends a request once; raises `RetryableError` if another attempt may succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff with full jitter, for failures that may pass.

    The n-th wait is random between 0 and `first` x 2^(n-1) seconds ("full jitter", Brooker,
    "Exponential Backoff And Jitter", AWS Architecture Blog, 2015). If the provider asks for a
    wait, it is that wait plus up to `first` seconds, so that clients that were sent the same
    wait do not return at once.

    Attributes:
        tries: How often a request is sent, including the first time.
        first: Upper bound of the first wait in seconds; 0.5 is the value of OpenAI's client.
        longest: The longest single wait in seconds. If a provider asks for more, the error is
            raised at once, so that the caller can decide. 60 outlasts per-minute limits.

    Raises:
        ValueError: `tries` is below 1, or a time is negative or not finite.
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
                raise ValueError(f"Backoff({name}={value!r}): must be finite and at least 0")

    def wait(self, failures: int, retry_after: float | None, jitter: float) -> float | None:
        """Return the seconds to wait before the next attempt; None to give up.

        Args:
            failures: How many attempts have failed, from 1.
            retry_after: Seconds the provider asks to wait; None if it does not say.
            jitter: A random number from 0 to 1.
        """
        if failures >= self.tries or (retry_after is not None and retry_after > self.longest):
            return None
        if retry_after is not None:
            return retry_after + jitter * self.first
        doubled = self.first * 2.0 ** min(failures - 1, 60)  # 2^60 s exceeds any `longest`
        return jitter * min(self.longest, doubled)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When a model sends a request, and when it sends one again.

    Attributes:
        backoff: How often to send, and how long to wait between attempts.
        clock: How to wait.
        rate_limiter: The rate limit to keep; None for none.
        breaker: The circuit breaker; None for none.
    """

    backoff: Backoff
    clock: Clock
    rate_limiter: RateLimiter | None = None
    breaker: Breaker | None = None


class StreamSink:
    """Passes streamed text to a callback and records whether there was any."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.has_output = False

    def __call__(self, text: str) -> None:
        self.has_output = True
        self._on_text(text)


@dataclass(slots=True)
class AttemptCounter:
    """The failed attempts of one request; still readable after the request was cancelled.

    Attributes:
        failures: How many attempts failed.
        unreadable: How many of them brought a response that cannot be read.
        usage: What they used.
    """

    failures: int = 0
    unreadable: int = 0
    usage: Usage = field(default_factory=Usage)

    @contextmanager
    def attached(self) -> Generator[None]:
        """Attach `usage` to any exception that leaves the block: see `planish.data.usage_of`."""
        try:
            yield
        except BaseException as error:
            attach_usage(error, self.usage)
            raise


async def send_with_retry(
    send: Send,
    policy: RetryPolicy,
    sink: StreamSink | None,
    subject: str,
    tokens: float,
    counter: AttemptCounter,
) -> Reply:
    """Send a request until it succeeds or the policy gives up.

    Args:
        send: Sends the request once.
        policy: How often to send, and when.
        sink: Receives streamed text; after the first piece there is no retry, because pieces
            that are passed on twice would not join to `Reply.text`.
        subject: How messages of the circuit breaker begin.
        tokens: How many tokens the request may use, for the rate limiter.
        counter: Counts the failures.

    Raises:
        PlanishError: what `Model.reply` raises; `ModelError.resends` is the number of resends.
    """
    while True:
        try:
            reply = await _send_at_rate(_counted(send, counter), policy, subject, tokens)
        except RetryableError as failure:
            counter.failures += 1
            counter.unreadable += failure.is_unreadable
            wait = policy.backoff.wait(counter.failures, failure.retry_after, _random())
            if policy.rate_limiter is not None and isinstance(failure.error, RateLimitError):
                policy.rate_limiter.pause(min(failure.retry_after or 0.0, policy.backoff.longest))
            # A response that cannot be read is paid for: one more is requested, not all tries.
            if counter.unreadable > 1:
                wait = None
            if wait is None or (sink is not None and sink.has_output):
                raise with_resend_count(failure.error, counter.failures - 1) from failure.__cause__
        except ModelError as error:
            # An open circuit means that the last attempt was not sent.
            unsent = counter.failures > 0 and isinstance(error, CircuitOpenError)
            with_resend_count(error, counter.failures - unsent)
            raise
        else:
            return replace(reply, resends=counter.failures, failed_usage=counter.usage)
        await policy.clock.sleep(wait)


def _counted(send: Send, counter: AttemptCounter) -> Send:
    """Return `send`, which also adds up what it has used when it fails."""

    async def counted() -> Reply:
        try:
            return await send()
        except BaseException as error:
            counter.usage += usage_of(error) or Usage()
            raise

    return counted


async def _send_at_rate(send: Send, policy: RetryPolicy, subject: str, tokens: float) -> Reply:
    """Send once the rate limit allows it; a failed request counts as no tokens."""
    if policy.rate_limiter is None:
        return await _send_through_breaker(send, policy.breaker, subject)
    await policy.rate_limiter.acquire(tokens)
    used = 0.0
    try:
        reply = await _send_through_breaker(send, policy.breaker, subject)
        used = reply.usage.tokens
    finally:
        policy.rate_limiter.correct(tokens, used)
    return reply


async def _send_through_breaker(send: Send, breaker: Breaker | None, subject: str) -> Reply:
    if breaker is None:
        return await send()
    breaker.enter(subject)
    record = breaker.record_cancellation
    try:
        reply = await send()
        record = breaker.record_success
        return reply
    except RetryableError as failure:
        is_down = isinstance(failure.error, OverloadedError)
        record = breaker.record_failure if is_down else breaker.record_success
        raise
    except Exception:
        record = breaker.record_success  # an error response shows that the provider is up
        raise
    finally:
        record()


def with_resend_count(error: ModelError, resends: int) -> ModelError:
    """Set how often the request was sent again on an error, and return the error."""
    error.resends = resends
    if resends:
        error.add_note(f"after {resends + 1} tries")
    return error
