"""Each wait has its own limit, and ends in trouble that may pass."""

import httpx
import pytest
from tests.integrations.models.openai.loopback import Answer, Loopback
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS

from planish.data import Message, Request
from planish.errors import OverloadedError
from planish_integrations.models.transport import Backoff, HttpModel, Timeouts
from planish_integrations.testing import Fault, LoopbackProvider

ASK = Request(messages=(Message("user", "hello"),))
ONCE = Backoff(tries=1)
LONG = 60.0  # seconds; a test that waits for it has failed


def model_at(protocol: str, server: LoopbackProvider, timeouts: Timeouts) -> HttpModel:
    url = server.url(LOOPBACK_NAMES[protocol])
    return MODELS[protocol]("m", base_url=url, api_key="k", timeout=timeouts, backoff=ONCE)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_the_first_byte_has_a_limit_of_its_own(protocol: str) -> None:
    async with LoopbackProvider("hi", faults=Fault.slow()) as server:
        model = model_at(protocol, server, Timeouts(first=0.2, between=LONG))
        with pytest.raises(OverloadedError, match="in time") as caught:
            await model.reply(ASK)
        assert isinstance(caught.value.__cause__, httpx.ReadTimeout)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", MODELS)
async def test_so_have_the_pieces_after_it(protocol: str) -> None:
    async with LoopbackProvider("hello " * 9, faults=Fault.stalled()) as server:
        model = model_at(protocol, server, Timeouts(first=LONG, between=0.2))
        with pytest.raises(OverloadedError, match="in time"):
            await model.reply(ASK, list[str]().append)


@pytest.mark.clock(reason="the pieces of an answer must come within 0.1 s of each other")
@pytest.mark.anyio
async def test_a_slow_first_byte_within_its_limit_is_waited_for() -> None:
    async with LoopbackProvider("hi", seconds=0.3) as server:
        model = model_at("chat", server, Timeouts(first=LONG, between=0.1))
        assert (await model.reply(ASK)).text == "hi"


@pytest.mark.clock(reason="the first try must be answered within 0.5 s")
@pytest.mark.anyio
async def test_the_total_covers_all_tries_and_waits() -> None:
    async with LoopbackProvider("hi", faults=Fault.rate_limit(30)) as server:
        model = MODELS["chat"](
            "m", base_url=server.url("openai"), api_key="k", timeout=Timeouts(total=0.5)
        )
        with pytest.raises(OverloadedError, match=r"within 0\.5 seconds") as caught:
            await model.reply(ASK)
        assert caught.value.resends == 1


@pytest.mark.parametrize("name", ["connect", "first", "between", "total"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan")])
def test_a_wrong_limit_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        Timeouts(**{name: value})


KEEP_ALIVES = {
    "comments": (b": keep-alive\n\n", {"content-type": "text/event-stream"}),
    "empty lines": (b"\n", {"content-type": "application/json"}),
    "empty lines of a stream": (b"\r\n", {"content-type": "application/x-ndjson"}),
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", KEEP_ALIVES)
@pytest.mark.parametrize("streamed", [False, True])
async def test_what_only_keeps_a_connection_open_is_no_data(
    name: str, *, streamed: bool, server: Loopback
) -> None:
    piece, headers = KEEP_ALIVES[name]
    body, cuts = piece * 200, tuple(len(piece) * n for n in range(200))
    server.answers.append(Answer(body, headers=headers, cuts=cuts, pause=0.02))
    model = MODELS["chat"](
        "m", base_url=server.url, api_key="k", timeout=Timeouts(first=0.3), backoff=ONCE
    )
    with pytest.raises(OverloadedError, match=r"in time \(no data for 0\.3 s\)") as caught:
        await model.reply(ASK, list[str]().append if streamed else None)
    assert isinstance(caught.value.__cause__, httpx.ReadTimeout)


def test_a_reply_takes_half_an_hour_at_most_by_default() -> None:
    assert Timeouts().total == Timeouts.for_silence(600).total == 1800.0
