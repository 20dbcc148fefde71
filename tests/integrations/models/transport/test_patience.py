"""A provider that asks to come back later is asked again for two minutes, not six times."""

import socket

import anyio
import pytest
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS

from planish.data import Message, Request
from planish.errors import ModelError, OverloadedError, RateLimitError
from planish.testing.clock import FakeClock
from planish_integrations.models.transport import Backoff, HttpModel
from planish_integrations.testing import Fault, LoopbackProvider

pytestmark = pytest.mark.both_loops

ASK = Request(messages=(Message("user", "hello"),))


def model_at(protocol: str, server: LoopbackProvider, clock: FakeClock) -> HttpModel:
    url = server.url(LOOPBACK_NAMES[protocol])
    return MODELS[protocol]("m", base_url=url, api_key="k", clock=clock)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("fault", [Fault.error(429), Fault.error(503), Fault.error(529)])
async def test_a_refusal_without_a_wait_is_tried_again_for_two_minutes(
    protocol: str, fault: Fault
) -> None:
    clock = FakeClock()
    async with LoopbackProvider("hi", faults=fault) as server:
        with pytest.raises((RateLimitError, OverloadedError)) as caught:
            await model_at(protocol, server, clock).reply(ASK)
    assert sum(clock.sleeps) == pytest.approx(120)
    assert caught.value.resends >= 6
    assert max(clock.sleeps) <= 60


@pytest.mark.anyio
@pytest.mark.parametrize("fault", [Fault.error(500), Fault.dropped(), Fault.closed()])
async def test_another_failure_is_tried_six_times(fault: Fault) -> None:
    clock = FakeClock()
    async with LoopbackProvider("hi", faults=fault) as server:
        with pytest.raises(ModelError, match="openai at") as caught:
            await model_at("chat", server, clock).reply(ASK)
    assert caught.value.resends == 5
    assert sum(clock.sleeps) < 32


def free_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return int(unused.getsockname()[1])


@pytest.mark.anyio
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_server_that_is_not_there_on_this_machine_is_tried_three_times(host: str) -> None:
    clock = FakeClock()
    url = f"http://{host}:{free_port()}"
    with pytest.raises(OverloadedError, match="nothing listens there; is the server running") as no:
        await MODELS["ollama"]("m", base_url=url, api_key="", clock=clock).reply(ASK)
    assert no.value.resends == len(clock.sleeps) == 2
    patient = Backoff(tries=7)
    with pytest.raises(OverloadedError) as no:  # as often as the user wants it
        await MODELS["ollama"]("m", base_url=url, backoff=patient, clock=clock).reply(ASK)
    assert no.value.resends == 6


@pytest.mark.anyio
async def test_patience_is_shared_by_the_requests_of_a_model() -> None:
    clock = FakeClock()
    async with LoopbackProvider("hi", faults=Fault.error(503)) as server:
        model = model_at("chat", server, clock)
        with pytest.raises(OverloadedError):
            await model.reply(ASK)
        slept = sum(clock.sleeps)
        for _ in range(5):  # the provider is known to be down: none of them waits
            with pytest.raises(OverloadedError) as caught:
                await model.reply(ASK)
            assert caught.value.resends == 0
        assert sum(clock.sleeps) == slept
        await clock.sleep(121)  # so long without a refusal, the outage may be over
        with pytest.raises(OverloadedError) as caught:
            await model.reply(ASK)
        assert caught.value.resends >= 6


@pytest.mark.anyio
async def test_a_reply_ends_an_outage() -> None:
    clock = FakeClock()
    faults = [Fault.error(503)] * 3 + [None] + [Fault.error(503)] * 3
    async with LoopbackProvider("hi", faults=faults) as server:
        model = model_at("chat", server, clock)
        assert (await model.reply(ASK)).resends == 3
        await clock.sleep(119)
        assert (await model.reply(ASK)).resends == 3


@pytest.mark.anyio
async def test_requests_at_once_give_up_together() -> None:
    clock = FakeClock()
    resends: list[int] = []
    async with LoopbackProvider("hi", faults=Fault.error(529)) as server:
        model = model_at("anthropic", server, clock)

        async def ask() -> None:
            with pytest.raises(OverloadedError) as caught:
                await model.reply(ASK)
            resends.append(caught.value.resends)

        begin = clock.now()
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(ask)
        assert clock.now() - begin >= 120
    assert len(resends) == 20


def test_a_stated_wait_beyond_what_is_left_is_not_waited_for() -> None:
    backoff = Backoff(patience=100.0)
    assert backoff.wait(3, 30.0, 0.0, elapsed=60.0) == 30.0
    assert backoff.wait(3, 50.0, 0.0, elapsed=60.0) is None
    assert backoff.wait(3, None, 1.0, elapsed=99.5) == 0.5
    assert backoff.wait(3, None, 1.0, elapsed=100.0) is None
