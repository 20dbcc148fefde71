"""A provider that is down is left alone, then probed by one request."""

import pickle

import anyio
import pytest
from tests.integrations.models.transport.protocols import MODELS

from planish.data import Message, Request
from planish.errors import CircuitOpenError, OverloadedError, RateLimitError, RequestError
from planish.testing.clock import FakeClock
from planish_integrations.models.transport import Backoff, Breaker, HttpModel
from planish_integrations.testing import Fault, LoopbackProvider

pytestmark = pytest.mark.both_loops

ASK = Request(messages=(Message("user", "hello"),))
ONCE = Backoff(tries=1)


def model_at(server: LoopbackProvider, breaker: Breaker, backoff: Backoff = ONCE) -> HttpModel:
    url = server.url("openai")
    return MODELS["chat"](
        "m", base_url=url, api_key="", breaker=breaker, backoff=backoff, clock=FakeClock()
    )


def breaker_of(clock: FakeClock) -> Breaker:
    return Breaker(failures=3, seconds=30.0, clock=clock)


def is_closed(breaker: Breaker) -> bool:
    return breaker.state == "closed"


async def fail(model: HttpModel, times: int) -> None:
    for _ in range(times):
        with pytest.raises(OverloadedError) as caught:
            await model.reply(ASK)
        assert not isinstance(caught.value, CircuitOpenError)


@pytest.mark.anyio
async def test_it_opens_after_so_many_failures_and_then_sends_nothing(clock: FakeClock) -> None:
    breaker = breaker_of(clock)
    async with LoopbackProvider("hi", faults=Fault.error(503)) as server:
        model = model_at(server, breaker)
        await fail(model, 3)
        assert breaker.state == "open"
        with pytest.raises(CircuitOpenError, match="after 3 consecutive failures") as caught:
            await model.reply(ASK)
        assert caught.value.retry_after == pytest.approx(30.0)
        assert len(server.requests) == 3


@pytest.mark.anyio
async def test_its_error_tells_how_long_to_wait_to_the_fraction(clock: FakeClock) -> None:
    breaker = breaker_of(clock)
    async with LoopbackProvider("hi", faults=Fault.error(503)) as server:
        model = model_at(server, breaker)
        await fail(model, 3)
        clock.advance(29.75)
        with pytest.raises(CircuitOpenError) as caught:
            await model.reply(ASK)
        assert caught.value.retry_after == pytest.approx(0.25)


@pytest.mark.anyio
async def test_a_probe_that_is_answered_closes_it(clock: FakeClock) -> None:
    breaker = breaker_of(clock)
    async with LoopbackProvider("hi", faults=[Fault.error(503)] * 3) as server:
        model = model_at(server, breaker)
        await fail(model, 3)
        clock.advance(30.0)
        assert breaker.state == "half-open"
        assert (await model.reply(ASK)).text == "hi"
        assert is_closed(breaker)


@pytest.mark.anyio
async def test_a_probe_that_fails_opens_it_again_at_once(clock: FakeClock) -> None:
    breaker = breaker_of(clock)
    async with LoopbackProvider("hi", faults=Fault.dropped()) as server:
        model = model_at(server, breaker)
        await fail(model, 3)
        clock.advance(30.0)
        await fail(model, 1)
        assert breaker.state == "open"
        assert len(server.requests) == 4


@pytest.mark.anyio
async def test_of_many_at_once_one_is_the_probe(clock: FakeClock) -> None:
    breaker, ends = breaker_of(clock), list[str]()
    async with LoopbackProvider("hi", faults=[Fault.error(503)] * 3, seconds=0.2) as server:
        model = model_at(server, breaker)
        await fail(model, 3)
        clock.advance(30.0)

        async def ask() -> None:
            try:
                ends.append((await model.reply(ASK)).text)
            except CircuitOpenError as error:
                ends.append(type(error).__name__)

        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(ask)
        assert sorted(ends) == ["CircuitOpenError"] * 4 + ["hi"]
        assert len(server.requests) == 4


@pytest.mark.anyio
async def test_a_probe_that_is_cancelled_leaves_room_for_another(clock: FakeClock) -> None:
    breaker = breaker_of(clock)
    faults = [Fault.error(503)] * 3 + [Fault.slow()]
    async with LoopbackProvider("hi", faults=faults) as server:
        model = model_at(server, breaker)
        await fail(model, 3)
        clock.advance(30.0)
        async with anyio.create_task_group() as group:
            group.start_soon(model.reply, ASK)
            while len(server.requests) < 4:  # noqa: ASYNC110  # until the probe has been sent
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        assert breaker.state == "half-open"
        assert (await model.reply(ASK)).text == "hi"


@pytest.mark.anyio
async def test_one_answer_between_starts_the_count_again(clock: FakeClock) -> None:
    breaker, down = breaker_of(clock), Fault.error(503)
    async with LoopbackProvider("hi", faults=[down, down, None, down, down]) as server:
        model = model_at(server, breaker)
        await fail(model, 2)
        await model.reply(ASK)
        await fail(model, 2)
        assert breaker.state == "closed"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("fault", "kind"),
    [(Fault.rate_limit(1), RateLimitError), (Fault.error(400), RequestError)],
)
async def test_a_refusal_is_no_failure(
    fault: Fault, kind: type[Exception], clock: FakeClock
) -> None:
    breaker = Breaker(failures=1, clock=clock)
    async with LoopbackProvider("hi", faults=fault) as server:
        model = model_at(server, breaker)
        with pytest.raises(kind):
            await model.reply(ASK)
        assert breaker.state == "closed"


@pytest.mark.anyio
async def test_it_ends_the_backoff_of_a_request_under_way(clock: FakeClock) -> None:
    breaker = breaker_of(clock)
    async with LoopbackProvider("hi", faults=Fault.error(503)) as server:
        model = model_at(server, breaker, Backoff(tries=9))
        with pytest.raises(CircuitOpenError) as caught:
            await model.reply(ASK)
        assert caught.value.resends == 2
        assert len(server.requests) == 3


@pytest.mark.parametrize("wrong", [{"failures": 0}, {"seconds": 0.0}])
def test_a_wrong_setting_is_refused_by_name(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Breaker(**wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_its_error_travels() -> None:
    error = CircuitOpenError("left alone", retry_after=3.0)
    back: CircuitOpenError = pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes
    assert (str(back), back.retry_after, back.resends) == ("left alone", 3.0, 0)
