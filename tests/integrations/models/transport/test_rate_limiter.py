"""Requests keep to a limit per minute, in the order in which they came."""

from collections.abc import Callable, Sequence

import anyio
import anyio.lowlevel
import pytest
from tests.integrations.models.transport.protocols import MODELS

from planish.data import Message, Request
from planish.testing.clock import FakeClock
from planish_integrations.models.transport import RateLimiter
from planish_integrations.testing import Fault, LoopbackProvider

pytestmark = pytest.mark.both_loops

ASK = Request(messages=(Message("user", "hello"),))


class Still(FakeClock):
    """A clock whose waits take no time: as if all requests came at the same moment."""

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        await anyio.lowlevel.checkpoint()


@pytest.fixture
def clock() -> FakeClock:
    return Still()


class Hanging(FakeClock):
    """A clock whose waits do not end until they are cancelled."""

    hangs: Callable[[], object] = staticmethod(lambda: None)

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.hangs()
        await anyio.sleep_forever()


async def waits(limiter: RateLimiter, clock: FakeClock, tokens: Sequence[float]) -> list[float]:
    """How long each of these requests waits, all coming at the same moment."""
    found: list[float] = []
    for amount in tokens:
        before = len(clock.sleeps)
        await limiter.acquire(amount)
        found.append(sum(clock.sleeps[before:]))
    return found


@pytest.mark.anyio
async def test_requests_are_spread_over_the_minute(clock: FakeClock) -> None:
    limiter = RateLimiter(requests=60, burst=0.0, clock=clock)
    assert await waits(limiter, clock, [0] * 4) == pytest.approx([0.0, 1.0, 2.0, 3.0])


@pytest.mark.anyio
async def test_a_burst_goes_at_once_and_the_rest_is_spread(clock: FakeClock) -> None:
    limiter = RateLimiter(requests=60, burst=3.0, clock=clock)
    assert await waits(limiter, clock, [0] * 6) == pytest.approx([0.0, 0.0, 0.0, 0.0, 1.0, 2.0])


@pytest.mark.anyio
async def test_the_scarcer_of_two_limits_counts(clock: FakeClock) -> None:
    limiter = RateLimiter(requests=60, tokens=600, burst=0.0, clock=clock)
    # 10 tokens a second: 5 tokens are half a second, so the request itself is scarcer.
    assert await waits(limiter, clock, [5, 50, 5, 5]) == pytest.approx([0.0, 1.0, 6.0, 7.0])


@pytest.mark.anyio
async def test_a_request_larger_than_the_burst_goes_and_is_paid_off(clock: FakeClock) -> None:
    limiter = RateLimiter(tokens=60, burst=1.0, clock=clock)
    assert await waits(limiter, clock, [100, 1]) == pytest.approx([0.0, 99.0])


@pytest.mark.anyio
async def test_what_was_not_used_is_free_again(clock: FakeClock) -> None:
    limiter = RateLimiter(tokens=60, burst=0.0, clock=clock)
    await limiter.acquire(100)
    limiter.correct(100, 10)
    assert await waits(limiter, clock, [1]) == pytest.approx([10.0])


@pytest.mark.anyio
async def test_a_pause_does_not_save_up_more_than_the_burst(clock: FakeClock) -> None:
    limiter = RateLimiter(requests=60, burst=1.0, clock=clock)
    await limiter.acquire(0)
    clock.advance(1000.0)
    assert await waits(limiter, clock, [0] * 3) == pytest.approx([0.0, 0.0, 1.0])


@pytest.mark.anyio
async def test_a_wait_that_is_cancelled_gives_its_place_back() -> None:
    clock = Hanging()
    limiter = RateLimiter(requests=60, burst=0.0, clock=clock)
    await limiter.acquire(0)
    for _ in range(3):
        with anyio.CancelScope() as scope:
            clock.hangs = scope.cancel
            await limiter.acquire(0)
    assert clock.sleeps == pytest.approx([1.0, 1.0, 1.0])


@pytest.mark.anyio
async def test_all_wait_while_the_provider_asks_one_to(clock: FakeClock) -> None:
    limiter = RateLimiter(requests=6000, clock=clock)
    limiter.pause(5.0)
    assert await waits(limiter, clock, [0]) == pytest.approx([5.0])


@pytest.mark.anyio
async def test_a_refusal_holds_the_models_that_share_the_pace(clock: FakeClock) -> None:
    limiter = RateLimiter(requests=6000, clock=clock)
    hanging = Hanging()
    async with LoopbackProvider("hi", faults=[Fault.rate_limit(7)]) as server:
        one, two = (
            MODELS["chat"](
                name, base_url=server.url("openai"), api_key="", rate_limiter=limiter, clock=hanging
            )
            for name in ("one", "two")
        )
        async with anyio.create_task_group() as group:
            group.start_soon(one.reply, ASK)
            while not hanging.sleeps:  # noqa: ASYNC110  # until it waits to try again
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        await two.reply(ASK)
        assert clock.sleeps == pytest.approx([7.0], abs=0.02)


@pytest.mark.anyio
async def test_models_ask_the_pace_before_each_try_and_tell_it_what_was_used(
    clock: FakeClock,
) -> None:
    limiter = RateLimiter(requests=60, tokens=6000, burst=0.0, clock=clock)
    async with LoopbackProvider("hi", faults=[Fault.error(503)]) as server:
        model = MODELS["chat"](
            "m", base_url=server.url("openai"), api_key="", rate_limiter=limiter, clock=FakeClock()
        )
        request = Request(messages=ASK.messages, max_tokens=3000)
        await model.reply(request)
        assert len(clock.sleeps) == 1  # the second try waited for its turn
        assert clock.sleeps[0] == pytest.approx(1.0)  # and not for tokens the first did not use
        await model.reply(ASK)
        assert clock.sleeps[1] < 3.0


@pytest.mark.parametrize(
    "wrong", [{"requests": 0}, {"tokens": -1}, {"tokens": float("inf")}, {"burst": -1.0}]
)
def test_a_wrong_setting_is_refused_by_name(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RateLimiter(**wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
