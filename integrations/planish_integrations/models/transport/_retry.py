"""Send a request again after failures that may pass: backoff, retry policy, resend counts."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isfinite
from random import SystemRandom
from typing import Any

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
    "Outage",
    "RetryPolicy",
    "Send",
    "StreamSink",
    "send_with_retry",
    "with_resend_count",
]

_random = SystemRandom().random
_TRIES = 6  # of a request whose failures were no request to come back later

Send = Callable[[], Awaitable[Reply]]
"""Sends a request once; raises `RetryableError` if another attempt may succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential backoff with full jitter, for failures that may pass.

    The n-th wait is random between 0 and `first` x 2^(n-1) seconds ("full jitter", Brooker,
    "Exponential Backoff And Jitter", AWS Architecture Blog, 2015). If the provider asks for a
    wait, it is that wait plus up to `first` seconds, so that clients that were sent the same
    wait do not return at once.

    A provider that asks to come back later (429, 503, 529) is asked again for `patience` seconds.
    That time begins with the first such response to any request of the model and ends with a
    reply to any of them: while a provider is down, a further request does not wait again.

    Attributes:
        tries: How often a request is sent at most, including the first time. None (the default):
            as often as `patience` allows if the provider asks to come back later; 6 times
            after other failures, such as a refused connection or a response that breaks off.
        first: Upper bound of the first wait in seconds; 0.5 is the value of OpenAI's client.
        longest: The longest single wait in seconds. If a provider asks for more, the error is
            raised at once, so that the caller can decide. 60 outlasts per-minute limits.
        patience: Seconds after the first failure for which a request is sent again; 120 is two
            of the minutes that rate limits are counted in. Waiting for a `RateLimiter` or for
            a connection is not counted.

    Raises:
        ValueError: `tries` is below 1, or a time is negative or not finite.
    """

    tries: int | None = None
    first: float = 0.5
    longest: float = 60.0
    patience: float = 120.0

    def __post_init__(self) -> None:
        if self.tries is not None and self.tries < 1:
            raise ValueError(f"Backoff(tries={self.tries!r}): must be at least 1")
        for name in ("first", "longest", "patience"):
            value: float = getattr(self, name)
            if not (value >= 0 and isfinite(value)):
                raise ValueError(f"Backoff({name}={value!r}): must be finite and at least 0")

    def wait(
        self,
        failures: int,
        retry_after: float | None,
        jitter: float,
        *,
        elapsed: float = 0.0,
        refusals: int = 0,
    ) -> float | None:
        """Return the seconds to wait before the next attempt; None to give up.

        Args:
            failures: How many attempts have failed, from 1.
            retry_after: Seconds the provider asks to wait; None if it does not say.
            jitter: A random number from 0 to 1.
            elapsed: Seconds of `patience` that are used up.
            refusals: In how many of the failures the provider asked to come back later.
        """
        counted = failures - refusals if self.tries is None else failures
        remaining = self.patience - elapsed
        if counted >= (self.tries or _TRIES) or remaining <= 0:
            return None
        if retry_after is not None:
            longest = min(self.longest, remaining)
            return None if retry_after > longest else retry_after + jitter * self.first
        doubled = self.first * 2.0 ** min(failures - 1, 60)  # 2^60 s exceeds any `longest`
        return min(jitter * min(self.longest, doubled), remaining)


class Outage:
    """How long a provider has asked to come back later, in the requests of one model."""

    __slots__ = ("_last", "_since")

    def __init__(self) -> None:
        self._since: float | None = None
        self._last = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        return Outage, ()  # the clock of another machine is another clock

    def record_reply(self) -> None:
        """Record that the provider replied."""
        self._since = None

    def record_refusal(self, now: float, patience: float) -> float:
        """Record that the provider asked to come back later; return for how long it has done so.

        Args:
            now: The time.
            patience: Seconds without a refusal after which a refusal begins a new outage.
        """
        if self._since is None or now - self._last > patience:
            self._since = now
        self._last = now
        return now - self._since


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
        unreadable: How many of them brought a response that cannot be read.
        seconds: Seconds from the first failure on, without the waits for a rate limit.
        usage: What the failed attempts used.
    """

    failures: int = 0
    refusals: int = 0
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
    if failure.is_refusal:
        counter.refusals += 1
        outage = policy.outage.record_refusal(policy.clock.now(), backoff.patience)
        elapsed = max(elapsed, outage)
    if policy.rate_limiter is not None and isinstance(failure.error, RateLimitError):
        policy.rate_limiter.pause(min(failure.retry_after or 0.0, backoff.longest))
    # A response that cannot be read is paid for: one more is requested, not all tries.
    if counter.unreadable > 1:
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
