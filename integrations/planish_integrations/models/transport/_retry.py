"""Send a request again after failures that may pass: retry policy, resend counts."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import SystemRandom

from planish.abc import Clock, OnText
from planish.data.message import Reply
from planish.data.usage import Usage, attach_usage, usage_of
from planish.errors import CircuitOpenError, ModelError, OverloadedError, RateLimitError
from planish_integrations.models.transport._backoff import Backoff, Outage
from planish_integrations.models.transport._breaker import Breaker
from planish_integrations.models.transport._errors import RetryableError
from planish_integrations.models.transport._rate_limiter import RateLimiter

__all__ = [
    "AttemptCounter",
    "RetryPolicy",
    "Send",
    "StreamSink",
    "send_with_retry",
    "with_resend_count",
]

_random = SystemRandom().random
_TRIES_ABSENT = 3  # of a request to a port of this machine at which nothing listens

Send = Callable[[], Awaitable[Reply]]
"""Sends a request once; raises `RetryableError` if another attempt may succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When a model sends a request, and when it sends one again.

    Attributes:
        backoff: How often to send, and how long to wait between attempts.
        clock: How to wait.
        rate_limiter: The rate limit to keep; None for none.
        breaker: The circuit breaker; None for none.
        outage: How long the provider has asked to come back later.
    """

    backoff: Backoff
    clock: Clock
    rate_limiter: RateLimiter | None = None
    breaker: Breaker | None = None
    outage: Outage = field(default_factory=Outage)


class StreamSink:
    """Passes streamed text to a callback; records whether there was any and what it raised."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self.has_output = False
        self.raised: BaseException | None = None

    def __call__(self, text: str) -> None:
        self.has_output = True
        try:
            self._on_text(text)
        except BaseException as error:
            self.raised = error
            raise


@dataclass(slots=True)
class AttemptCounter:
    """The failed attempts of a request; still readable after it was cancelled.

    Attributes:
        failures: How many attempts failed.
        refusals: In how many of them the provider asked to come back later.
        absent: In how many of them nothing listened at a port of this machine.
        unreadable: How many of them brought a response that cannot be read.
        seconds: Seconds from the first failure on, without the waits for a rate limit.
        usage: What the failed attempts used.
    """

    failures: int = 0
    refusals: int = 0
    absent: int = 0
    unreadable: int = 0
    seconds: float = 0.0
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
            reply = await _send_at_rate(_counted(send, counter), policy, subject, tokens, counter)
        except RetryableError as failure:
            wait = _wait_after(failure, policy, counter)
            if wait is None or (sink is not None and sink.has_output):
                raise with_resend_count(failure.error, counter.failures - 1) from failure.__cause__
        except ModelError as error:
            # An open circuit means that the last attempt was not sent.
            unsent = counter.failures > 0 and isinstance(error, CircuitOpenError)
            with_resend_count(error, counter.failures - unsent)
            raise
        else:
            policy.outage.record_reply()
            return replace(reply, resends=counter.failures, failed_usage=counter.usage)
        await policy.clock.sleep(wait)
        counter.seconds += wait


def _wait_after(
    failure: RetryableError, policy: RetryPolicy, counter: AttemptCounter
) -> float | None:
    """Count a failure; return the seconds to wait before the next attempt, None to give up."""
    backoff, elapsed = policy.backoff, counter.seconds
    counter.failures += 1
    counter.unreadable += failure.is_unreadable
    counter.absent += failure.is_absent
    if failure.is_refusal:
        counter.refusals += 1
        outage = policy.outage.record_refusal(policy.clock.now(), backoff.patience)
        elapsed = max(elapsed, outage)
    if policy.rate_limiter is not None and isinstance(failure.error, RateLimitError):
        policy.rate_limiter.pause(min(failure.retry_after or 0.0, backoff.longest))
    # A response that cannot be read is paid for: one more is requested, not all tries.
    if counter.unreadable > 1:
        return None
    # A server that is not there answers at once, and rarely starts within seconds.
    if backoff.tries is None and counter.absent >= _TRIES_ABSENT:
        return None
    return backoff.wait(
        counter.failures,
        failure.retry_after,
        _random(),
        elapsed=elapsed,
        refusals=counter.refusals,
    )


def _counted(send: Send, counter: AttemptCounter) -> Send:
    """Return `send`, which also adds up what it has used when it fails."""

    async def counted() -> Reply:
        try:
            return await send()
        except BaseException as error:
            counter.usage += usage_of(error) or Usage()
            raise

    return counted


async def _send_at_rate(
    send: Send, policy: RetryPolicy, subject: str, tokens: float, counter: AttemptCounter
) -> Reply:
    """Send once the rate limit allows it; a failed request counts as no tokens."""
    if policy.rate_limiter is not None:
        await policy.rate_limiter.acquire(tokens)
    used, begin = 0.0, policy.clock.now()
    try:
        reply = await _send_through_breaker(send, policy.breaker, subject)
        used = reply.usage.tokens
    finally:
        if counter.failures:
            counter.seconds += policy.clock.now() - begin
        if policy.rate_limiter is not None:
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
